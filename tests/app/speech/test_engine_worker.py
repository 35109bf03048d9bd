import os
import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.activity import Activity, Readiness, SaveProgress
from app.speech.engine_worker import (
    NICENESS,
    Ended,
    EngineFactory,
    EngineTask,
    EngineWorker,
    Means,
    Report,
    Result,
    SpeechEngine,
    Urgency,
    Work,
    engine_for,
    preparing,
    speaking,
)
from engine.errors import Canceled, CompileError, InvalidRequest
from engine.export.export_job import ExportProgress
from engine.runtime.synthesizer import Synthesizer
from engine.speech import AudioChunk, DeviceEvent, FallbackEvent, PlanEvent, PreparationEvent, SpeechRequest
from tests.app.fakes import FakeEngine, list_voices
from tests.patience import PATIENCE_MS

REQUEST = SpeechRequest("One. Two. Three.", "af_heart")


class Bench(QObject):
    """A worker and all its reports."""

    def __init__(self, make_engine: EngineFactory, qtbot: QtBot) -> None:
        super().__init__()
        self.reports: list[tuple[EngineTask, Report]] = []
        self.thread_ids: set[int] = set()
        self.qtbot = qtbot
        self.worker = EngineWorker(make_engine, self)
        self.worker.reported.connect(self.take)

    def take(self, task: EngineTask, report: Report) -> None:
        self.thread_ids.add(threading.get_ident())
        self.reports.append((task, report))

    def start_task(self, task: EngineTask) -> EngineTask:
        return self.worker.start_task(task)

    def prepare(self) -> EngineTask:
        return self.start_task(EngineTask(preparing, Urgency.AT_ONCE, self.worker.present))

    def speak(self, urgency: Urgency = Urgency.SPEECH, make_engine: EngineFactory | None = None) -> EngineTask:
        return self.start_task(EngineTask(speaking(REQUEST), urgency, make_engine or self.worker.present))

    def of(self, task: EngineTask) -> list[Report]:
        """Return the reports on a task, once it has ended."""
        ended = [Ended]
        self.qtbot.waitUntil(lambda: [type(each) for of, each in self.reports if of is task][-1:] == ended)
        return [each for of, each in self.reports if of is task]

    def kinds_of(self, task: EngineTask) -> list[type[object]]:
        return [type(report) for report in self.of(task)]


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def bench(engine: FakeEngine, qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench(lambda: engine, qtbot)
    yield bench
    assert bench.worker.shut_down(PATIENCE_MS)


def test_voices_are_listed_without_an_engine(bench: Bench, engine: FakeEngine) -> None:
    assert bench.of(bench.start_task(EngineTask(lambda _: [list_voices()], Urgency.AT_ONCE))) == [
        list_voices(),
        Ended(),
    ]
    assert not engine.threads


def test_preparation_reports_its_steps_and_the_computing_device(bench: Bench, engine: FakeEngine) -> None:
    engine.device = DeviceEvent("cpu (why)", "tir (why)", {})
    reports = bench.of(bench.prepare())
    assert [type(report) for report in reports] == [PreparationEvent, DeviceEvent, Ended]
    assert reports[1] is engine.device


def test_the_engine_lives_in_its_thread_and_reports_arrive_in_the_windows(bench: Bench, engine: FakeEngine) -> None:
    bench.prepare()
    bench.of(bench.speak())
    assert bench.thread_ids == {threading.get_ident()}
    assert len(engine.threads) == 1
    assert threading.get_ident() not in engine.threads


def test_the_engine_lets_sound_and_window_go_first(bench: Bench, engine: FakeEngine) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    bench.of(bench.prepare())
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
    assert engine.niceness == (NICENESS if sys.platform == "linux" else before)


def test_speaking_prepares_plans_and_gives_every_chunk(bench: Bench) -> None:
    assert bench.kinds_of(bench.speak()) == [PreparationEvent, PlanEvent, *[AudioChunk] * 3, Ended]


def test_the_cpu_fallback_is_reported_at_the_point_it_happens(bench: Bench, engine: FakeEngine) -> None:
    engine.fallbacks = {1: "It failed."}
    kinds = bench.kinds_of(bench.speak())
    at = kinds.index(FallbackEvent)
    assert kinds[at - 2 : at + 2] == [AudioChunk, PreparationEvent, FallbackEvent, AudioChunk]


def test_a_canceled_task_ends_immediately(bench: Bench, engine: FakeEngine) -> None:
    engine.hold.clear()
    task = bench.speak()
    bench.qtbot.waitUntil(lambda: bool(engine.requests))
    task.cancel.set()
    reports = bench.of(task)
    assert isinstance(reports[-1], Ended)
    assert isinstance(reports[-1].error, Canceled)
    assert AudioChunk not in [type(report) for report in reports]


def test_a_task_canceled_before_its_turn_costs_nothing(bench: Bench, engine: FakeEngine) -> None:
    task = EngineTask(speaking(REQUEST), Urgency.SPEECH, bench.worker.present)
    task.cancel.set()
    assert bench.kinds_of(bench.start_task(task)) == [Ended]
    assert not engine.threads


@pytest.mark.parametrize("error", [CompileError("No.", "Do."), ZeroDivisionError("surprise")])
def test_any_failure_ends_its_task_and_the_next_task_works(bench: Bench, engine: FakeEngine, error: Exception) -> None:
    engine.speak_error = error
    assert bench.of(bench.speak())[-1] == Ended(error)
    engine.speak_error = None
    assert bench.of(bench.speak())[-1] == Ended()


def test_an_engine_that_cannot_be_created_is_a_failure(bench: Bench) -> None:
    def broken() -> SpeechEngine:
        raise CompileError("No.", "Do.")

    (end,) = bench.of(bench.speak(make_engine=broken))
    assert isinstance(end, Ended)
    assert isinstance(end.error, CompileError)


def test_the_engine_has_the_model_and_the_device_that_were_asked_for() -> None:
    with pytest.raises(InvalidRequest):
        engine_for("kokoro-82m", "cpu", "cudnn")
    engine = engine_for("kokoro-82m", "cpu", "mps")
    assert isinstance(engine, Synthesizer)
    assert (engine.model, engine.device) == ("kokoro-82m", "cpu")


def counting(count: int) -> Work:
    return lambda _: [ExportProgress("", number / count, None) for number in range(count)]


def test_the_most_urgent_task_always_runs_and_equally_urgent_ones_keep_order(bench: Bench) -> None:
    goes_on = threading.Event()

    def held(means: Means) -> Iterator[Result]:
        yield ExportProgress("", 0.0, None)
        assert goes_on.wait(PATIENCE_MS / 1000)
        yield from (ExportProgress("", 0.5, None) for _ in range(3))

    book = bench.start_task(EngineTask(held, Urgency.BOOK))
    later_book = bench.start_task(EngineTask(counting(2), Urgency.BOOK))
    bench.qtbot.waitUntil(lambda: bool(bench.reports))
    file = bench.start_task(EngineTask(counting(2), Urgency.FILE))
    speech = bench.start_task(EngineTask(counting(2), Urgency.SPEECH))
    goes_on.set()
    bench.of(later_book)
    ended = [task for task, report in bench.reports if isinstance(report, Ended)]
    assert ended == [speech, file, book, later_book]


def test_an_engine_stays_open_while_it_is_current_or_has_a_task(bench: Bench, engine: FakeEngine) -> None:
    other, closed = FakeEngine(), []

    def work(means: Means) -> Iterator[Result]:
        assert means.engine() is other
        closed.append(engine.closed)
        yield ExportProgress("", 1.0, None)

    engine.hold_from = 1
    engine.hold.clear()
    book = bench.speak(Urgency.BOOK)
    bench.qtbot.waitUntil(lambda: any(isinstance(report, AudioChunk) for _, report in bench.reports))
    bench.worker.present = lambda: other
    speech = bench.start_task(EngineTask(work, Urgency.SPEECH, bench.worker.present))
    engine.hold.set()
    assert bench.of(speech)[-1] == bench.of(book)[-1] == Ended()
    assert closed == [False]
    assert (engine.closed, other.closed) == (True, False)


def test_a_visiting_engine_is_let_go(bench: Bench, engine: FakeEngine) -> None:
    visitor = FakeEngine()
    bench.of(bench.prepare())
    bench.of(bench.speak(Urgency.AT_ONCE, lambda: visitor))
    assert visitor.closed
    assert not engine.closed


def test_shutting_down_abandons_unfinished_work(engine: FakeEngine, qtbot: QtBot) -> None:
    bench = Bench(lambda: engine, qtbot)
    engine.hold_from = 1
    engine.hold.clear()
    task = bench.speak(Urgency.BOOK)
    bench.qtbot.waitUntil(lambda: any(isinstance(report, AudioChunk) for _, report in bench.reports))
    task.cancel.set()
    assert bench.worker.shut_down(PATIENCE_MS)
    assert engine.closed


@pytest.mark.parametrize(
    ("activity", "can_stop", "idle"),
    [
        (Activity(), False, False),
        (Activity(Readiness.READY), False, True),
        (Activity(Readiness.FAILED), False, True),
        (Activity(Readiness.READY, making=True), True, False),
        (Activity(Readiness.READY, playback=Playback.PLAYING), True, False),
        (Activity(Readiness.READY, playback=Playback.PAUSED), True, True),
        (Activity(Readiness.READY, save=SaveProgress("a.wav")), False, False),
    ],
)
def test_activity_determines_can_stop_and_idle(activity: Activity, can_stop: bool, idle: bool) -> None:
    assert (activity.can_stop, activity.idle) == (can_stop, idle)
