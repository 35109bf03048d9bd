import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QObject, QThread, Signal
from pytestqt.qtbot import QtBot

from app.audio.track import AudioTrack
from app.speech.engine_worker import NICENESS, EngineWorker, engine_for
from app.speech.jobs import (
    ChunkSpoken,
    DeviceChosen,
    FellBack,
    JobEvent,
    PreparationAdvanced,
    Prepared,
    PrepareJob,
    PreviewEnded,
    PreviewJob,
    SaveAdvanced,
    SaveEnded,
    SaveJob,
    SpeakJob,
    SpeechEnded,
    SpeechPlanned,
    VoicesListed,
)
from engine.errors import Cancelled, CompileError, DamagedFile, InvalidRequest, OutputError
from engine.export.order import order_of_text
from engine.speech import AudioChunk, DeviceEvent, Plan, SpeechRequest
from engine.synthesizer import Synthesizer
from tests.app.fakes import RATE_HZ, FakeEngine, list_voices, utterances_of
from tests.patience import PATIENCE_MS

REQUEST = SpeechRequest("One. Two. Three.", "af_heart")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No export finds what another has made."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("engine.export.made_parts.cache_folder", lambda: folder)


class Sender(QObject):
    list_voices = Signal()
    prepare = Signal(object)
    speak = Signal(object)
    save = Signal(object)
    change_engine = Signal(object)


class Bench(Sender):
    """A worker in a thread of its own and everything it has reported."""

    def __init__(self, make_engine: Callable[[], FakeEngine]) -> None:
        super().__init__()
        self.reports: list[JobEvent] = []
        self.thread_ids: set[int] = set()
        self.worker = EngineWorker(make_engine, list_voices)
        self.engine_thread = QThread()
        self.worker.moveToThread(self.engine_thread)
        self.list_voices.connect(self.worker.list_voices)
        self.prepare.connect(self.worker.prepare)
        self.speak.connect(self.worker.speak)
        self.save.connect(self.worker.save)
        self.change_engine.connect(self.worker.change_engine)
        self.worker.reported.connect(self.take)
        self.engine_thread.start()

    def take(self, event: JobEvent) -> None:
        self.thread_ids.add(threading.get_ident())
        self.reports.append(event)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def bench(engine: FakeEngine, qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench(lambda: engine)
    yield bench
    bench.engine_thread.quit()
    assert bench.engine_thread.wait(PATIENCE_MS)


def wait_for(qtbot: QtBot, bench: Bench, kind: type[object]) -> None:
    qtbot.waitUntil(lambda: any(isinstance(report, kind) for report in bench.reports))


def test_voices_are_listed_without_an_engine(bench: Bench, engine: FakeEngine, qtbot: QtBot) -> None:
    bench.list_voices.emit()
    wait_for(qtbot, bench, VoicesListed)
    assert bench.reports == [list_voices()]
    assert not engine.threads


def test_voices_that_cannot_be_listed_are_a_report(qtbot: QtBot, bench: Bench) -> None:
    def broken() -> VoicesListed:
        raise DamagedFile(Path(), "No.", "Do.")

    bench.worker._list_voices = broken
    bench.list_voices.emit()
    wait_for(qtbot, bench, Prepared)
    assert isinstance(bench.reports[-1].error, DamagedFile)


def test_preparing_tells_its_steps(bench: Bench, qtbot: QtBot) -> None:
    bench.prepare.emit(PrepareJob())
    wait_for(qtbot, bench, Prepared)
    assert [type(report) for report in bench.reports] == [PreparationAdvanced, Prepared]


def test_the_engine_lives_in_its_thread_and_reports_arrive_in_the_windows(
    bench: Bench, engine: FakeEngine, qtbot: QtBot
) -> None:
    bench.prepare.emit(PrepareJob())
    bench.speak.emit(SpeakJob(1, REQUEST))
    wait_for(qtbot, bench, SpeechEnded)
    assert bench.thread_ids == {threading.get_ident()}
    assert len(engine.threads) == 1
    assert threading.get_ident() not in engine.threads


def test_the_engine_lets_sound_and_window_go_first(bench: Bench, engine: FakeEngine, qtbot: QtBot) -> None:
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    bench.prepare.emit(PrepareJob())
    wait_for(qtbot, bench, Prepared)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
    assert engine.niceness == (NICENESS if sys.platform == "linux" else before)


def test_speaking_prepares_plans_and_gives_every_chunk(bench: Bench, qtbot: QtBot) -> None:
    job = SpeakJob(1, REQUEST)
    bench.speak.emit(job)
    wait_for(qtbot, bench, SpeechEnded)
    kinds = [type(report) for report in bench.reports]
    assert kinds == [PreparationAdvanced, Prepared, SpeechPlanned, *[ChunkSpoken] * 3, SpeechEnded]
    assert bench.reports[-1] == SpeechEnded(job, None)
    assert bench.reports[-1].job is job


@pytest.mark.parametrize("same_engine", [True, False])
def test_a_preview_is_made_between_two_utterances_if_it_is_for_this_engine(
    bench: Bench, engine: FakeEngine, qtbot: QtBot, same_engine: bool
) -> None:
    make_engine = bench.worker._make_engine if same_engine else lambda: engine
    preview = PreviewJob(SpeechRequest("Sample. Text.", "af_heart"), make_engine)
    bench.worker.previews.append(preview)
    bench.speak.emit(SpeakJob(1, REQUEST))
    wait_for(qtbot, bench, SpeechEnded)
    kinds = [type(report) for report in bench.reports if isinstance(report, (ChunkSpoken, PreviewEnded))]
    assert kinds == [ChunkSpoken, *([PreviewEnded] if same_engine else []), ChunkSpoken, ChunkSpoken]
    made = [report for report in bench.reports if isinstance(report, PreviewEnded)]
    assert [len(report.samples) for report in made] == [2 * RATE_HZ] * same_engine


def test_a_cancelled_job_ends_at_once(bench: Bench, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.hold.clear()
    job = SpeakJob(1, REQUEST)
    bench.speak.emit(job)
    wait_for(qtbot, bench, SpeechPlanned)
    job.cancel.set()
    wait_for(qtbot, bench, SpeechEnded)
    assert isinstance(bench.reports[-1].error, Cancelled)
    assert not any(isinstance(report, ChunkSpoken) for report in bench.reports)


def test_a_job_cancelled_before_its_turn_costs_nothing(bench: Bench, engine: FakeEngine, qtbot: QtBot) -> None:
    job = SpeakJob(1, REQUEST)
    job.cancel.set()
    bench.speak.emit(job)
    wait_for(qtbot, bench, SpeechEnded)
    assert not engine.requests


@pytest.mark.parametrize("error", [CompileError("No.", "Do."), ZeroDivisionError("surprise")])
def test_any_failure_becomes_a_report_and_the_next_job_works(
    bench: Bench, engine: FakeEngine, qtbot: QtBot, error: Exception
) -> None:
    engine.speak_error = error
    bench.speak.emit(SpeakJob(1, REQUEST))
    wait_for(qtbot, bench, SpeechEnded)
    assert bench.reports[-1].error is error
    engine.speak_error = None
    bench.reports.clear()
    bench.speak.emit(SpeakJob(2, REQUEST))
    wait_for(qtbot, bench, SpeechEnded)
    assert bench.reports[-1].error is None


def test_what_computes_is_reported(qtbot: QtBot) -> None:
    device = DeviceEvent("cpu (why)", "tir (why)", {})
    bench = Bench(lambda: FakeEngine(device=device))
    bench.prepare.emit(PrepareJob())
    wait_for(qtbot, bench, Prepared)
    assert DeviceChosen(device) in bench.reports
    bench.engine_thread.quit()
    assert bench.engine_thread.wait(PATIENCE_MS)


def test_an_engine_that_cannot_be_made_is_a_report(qtbot: QtBot) -> None:
    def broken() -> FakeEngine:
        raise CompileError("No.", "Do.")

    bench = Bench(broken)
    bench.prepare.emit(PrepareJob())
    wait_for(qtbot, bench, Prepared)
    assert isinstance(bench.reports[-1].error, CompileError)
    bench.engine_thread.quit()
    assert bench.engine_thread.wait(PATIENCE_MS)


def test_the_engine_has_the_model_and_the_device_that_were_asked_for() -> None:
    with pytest.raises(InvalidRequest):
        engine_for("kokoro-82m", "cpu", "cudnn")
    engine = engine_for("kokoro-82m", "cpu", "mps")
    assert isinstance(engine, Synthesizer)
    assert (engine.model, engine.device) == ("kokoro-82m", "cpu")


def track_of(samples: np.ndarray) -> AudioTrack:
    track, utterance = AudioTrack(), utterances_of("One.")[0]
    track.plan(Plan((utterance,)))
    track.append(AudioChunk(utterance, 1, samples, RATE_HZ))
    track.finish()
    return track


def save_job(bench: Bench, path: Path, track: AudioTrack | None = None) -> SaveJob:
    return SaveJob(order_of_text(path, REQUEST), bench.worker._make_engine, track)


def test_saving_writes_the_speech_that_is_made(bench: Bench, engine: FakeEngine, qtbot: QtBot, tmp_path: Path) -> None:
    samples = np.linspace(-0.5, 0.5, 200, dtype=np.float32)
    bench.save.emit(save_job(bench, tmp_path / "a.wav", track_of(samples)))
    wait_for(qtbot, bench, SaveEnded)
    assert bench.reports[-1].error is None
    assert [report.progress.fraction for report in bench.reports if isinstance(report, SaveAdvanced)] == [1.0]
    read, rate_hz = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert rate_hz == RATE_HZ
    np.testing.assert_allclose(read, samples, atol=1e-4)
    assert not engine.requests


def test_saving_makes_what_is_not_made(bench: Bench, engine: FakeEngine, qtbot: QtBot, tmp_path: Path) -> None:
    bench.save.emit(save_job(bench, tmp_path / "a.wav"))
    wait_for(qtbot, bench, SaveEnded)
    assert bench.reports[-1].error is None
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ


def test_what_is_asked_for_last_is_spoken_first_and_files_keep_their_order(
    bench: Bench, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    bench.save.emit(save_job(bench, tmp_path / "a.wav"))
    bench.save.emit(save_job(bench, tmp_path / "b.flac"))
    bench.speak.emit(SpeakJob(1, REQUEST))
    engine.hold.set()
    qtbot.waitUntil(lambda: sum(isinstance(report, SaveEnded) for report in bench.reports) == 2)
    ended = [report.job for report in bench.reports if isinstance(report, (SpeechEnded, SaveEnded))]
    assert isinstance(ended[0], SpeakJob)
    assert [job.order.path.name for job in ended[1:]] == ["a.wav", "b.flac"]


def test_an_order_is_carried_out_by_the_engine_of_its_time(
    bench: Bench, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    job, other = save_job(bench, tmp_path / "a.wav"), FakeEngine()
    bench.change_engine.emit(lambda: other)
    bench.save.emit(job)
    wait_for(qtbot, bench, SaveEnded)
    assert len(engine.requests) == 1
    assert not other.requests
    qtbot.waitUntil(lambda: engine.closed)


def test_saving_where_nothing_can_be_written_is_a_report(bench: Bench, qtbot: QtBot, tmp_path: Path) -> None:
    bench.save.emit(save_job(bench, tmp_path / "no folder" / "a.wav", track_of(np.zeros(2, np.float32))))
    wait_for(qtbot, bench, SaveEnded)
    assert isinstance(bench.reports[-1].error, OutputError)


@pytest.fixture
def in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker used here does not lower the priority of this thread, which would be that of all later tests."""
    monkeypatch.setattr("app.speech.engine_worker.give_way", lambda niceness: None)


def test_an_engine_that_is_renewed_is_loaded_again_without_a_word(qtbot: QtBot, in_this_thread: None) -> None:
    engine = FakeEngine()
    worker = EngineWorker(lambda: engine)
    reports: list[JobEvent] = []
    worker.reported.connect(reports.append)
    worker.renew()
    assert not engine.closed
    worker.prepare(PrepareJob())
    engine.prepared, told = 0, len(reports)
    worker.renew()
    assert engine.closed
    assert engine.prepared == 1
    assert len(reports) == told


def test_a_failure_to_renew_shows_at_the_next_job(qtbot: QtBot, in_this_thread: None) -> None:
    engine = FakeEngine()
    worker = EngineWorker(lambda: engine)
    reports: list[JobEvent] = []
    worker.reported.connect(reports.append)
    worker.prepare(PrepareJob())
    engine.prepared, engine.prepare_error = 0, CompileError("It is broken.", "Repair it.")
    worker.renew()
    worker.prepare(PrepareJob())
    assert reports[-1] == Prepared(engine.prepare_error)


def test_that_the_processor_speaks_is_reported_in_its_place(bench: Bench, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.fallbacks = {1: "It failed."}
    bench.speak.emit(SpeakJob(1, REQUEST))
    wait_for(qtbot, bench, SpeechEnded)
    kinds = [type(report) for report in bench.reports]
    at = kinds.index(FellBack)
    assert kinds[at - 2 : at + 2] == [ChunkSpoken, PreparationAdvanced, FellBack, ChunkSpoken]
    assert bench.reports[at] == FellBack("It failed.")
