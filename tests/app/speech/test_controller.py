import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from engine.errors import CompileError, NothingToSpeak, OutputError
from engine.export.export_job import ExportJob, order_of_text
from engine.export.exporting import CHAPTER_PAUSE_SECONDS
from engine.speech import SpeechRequest, Utterance
from engine.text.documents import Chapter, Document
from tests.app.fakes import RATE_HZ, FakeEngine, FakeOutput, chunk_of, list_voices, toggle, utterances_of
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS

TEXT = "One. Two. Three."
REQUEST = SpeechRequest(TEXT, "af_heart")
OTHER, SHORT, DOTS = (SpeechRequest(text, "af_heart") for text in ("Other.", "Short.", "…"))
NOTHING = NothingToSpeak("There is nothing.", "Type.")
BOOK = Document("Book", "", "en", (Chapter("One", "A. B."), Chapter("Two", "C. D. E.")))


class Desk(SpeechController):
    """A controller with a fake engine and a fake device; `fake.hold` blocks the generation of speech."""

    def __init__(self, qtbot: QtBot) -> None:
        self.fake, self.output, self.qtbot = FakeEngine(), FakeOutput(), qtbot
        super().__init__(lambda: self.fake, self.output, list_voices=list_voices)

    def begin(self) -> None:
        """Request speech from the engine, which generates none of it yet."""
        self.fake.hold.clear()
        self.speak(REQUEST)
        self.qtbot.waitUntil(lambda: bool(self.fake.requests))

    def begin_after_one(self, request: SpeechRequest = REQUEST, source: object = None) -> None:
        """Generate the first sentence, and none after it yet."""
        self.fake.hold_from = 1
        self.fake.hold.clear()
        self.speak(request, source)
        self.qtbot.waitUntil(lambda: self.track.length > 0)

    def stop_after_one(self) -> None:
        """Stop when two sentences are not generated yet."""
        self.begin_after_one()
        self.stop()
        assert self.track.partial

    def make(self, request: SpeechRequest = REQUEST, source: object = None) -> None:
        """Generate the whole speech and play it."""
        self.speak(request, source)
        self.wait_made()

    def wait_made(self) -> None:
        self.qtbot.waitUntil(lambda: self.track.finished and not self.activity.making)

    def wait_for_the_engine(self) -> None:
        """Wait until its thread has finished all requests, and the results have arrived."""
        with self.qtbot.waitSignal(self.voices_listed):
            self.list_voices()

    def save_now(self, path: Path, request: SpeechRequest) -> None:
        with self.qtbot.waitSignal(self.saved):
            self.save(path, request)

    def save_on(self) -> None:
        """Let the engine continue until a file is saved."""
        with self.qtbot.waitSignal(self.saved):
            self.fake.hold.set()

    def wait_saved(self) -> None:
        self.qtbot.waitUntil(lambda: not self.activity.saving)

    def hear(self, samples: int) -> None:
        self.output.stream.pull(samples)
        self.player.tick()

    def listen(self, samples: int) -> None:
        for _ in range(samples // 100):
            self.hear(100)

    @property
    def heard_texts(self) -> list[str]:
        """The text of each utterance of the track, by its place there."""
        spans = [segment.utterance for segment in self.track.segments]
        return [self.text[each.start : each.end] for each in spans]

    @property
    def place_heard(self) -> int | None:
        segment = self.track.segment_at(self.player.position)
        return segment.utterance.start if segment is not None else None


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    assert desk.shut_down(PATIENCE_MS)


def test_prepares_in_the_background_and_says_so(desk: Desk) -> None:
    seen = []
    desk.activity_changed.connect(seen.append)
    with desk.qtbot.waitSignal(desk.voices_listed) as listed:
        desk.list_voices()
    assert listed.args == [list_voices()]
    desk.prepare()
    desk.qtbot.waitUntil(lambda: desk.activity.readiness is Readiness.READY)
    assert any(activity.preparation and activity.preparation.total == 7 for activity in seen)
    assert desk.activity.idle


def test_speaking_fills_the_track_and_plays_it(desk: Desk) -> None:
    desk.make()
    expected = np.concatenate([chunk_of(utterance, 3).samples for utterance in utterances_of(TEXT)])
    np.testing.assert_array_equal(desk.track.samples(), expected)
    assert desk.player.playback is Playback.PLAYING
    assert desk.output.stream.active
    assert desk.track.whole
    assert desk.request == REQUEST


def test_speaking_before_it_is_ready_happens_when_it_is(desk: Desk) -> None:
    desk.prepare()
    desk.make()
    assert desk.fake.prepared == 1
    assert desk.track.whole


def test_the_playing_utterance_is_announced(desk: Desk) -> None:
    heard: list[Utterance | None] = []
    desk.utterance_changed.connect(heard.append)
    desk.make()
    while desk.player.playback is Playback.PLAYING:
        desk.hear(100)
    assert [utterance and utterance.index for utterance in heard] == [0, 1, 2, None]


@pytest.fixture
def deaf_engine(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    """An engine that is busy with the second sentence, even if canceled, until the end of the test."""
    synthesize = desk.fake.synthesize
    monkeypatch.setattr(desk.fake, "synthesize", lambda request, observe, cancel: synthesize(request, observe, None))
    desk.fake.hold_from = 1
    desk.fake.hold.clear()
    ends = threading.Timer(PATIENCE_SECONDS, desk.fake.hold.set)  # or a stop that waits for it would wait forever
    ends.start()
    yield desk.fake
    ends.cancel()
    desk.fake.hold.set()


def test_stopping_is_silent_at_once_even_when_the_engine_is_busy(desk: Desk, deaf_engine: FakeEngine) -> None:
    desk.speak(REQUEST)
    desk.qtbot.waitUntil(lambda: bool(desk.output.streams) and desk.output.stream.active)
    desk.stop()
    assert not deaf_engine.hold.is_set()  # it is still busy
    assert not desk.output.stream.active
    assert desk.activity.idle


def test_audio_generated_before_a_stop_can_be_played(desk: Desk) -> None:
    desk.speak(REQUEST)
    desk.qtbot.waitUntil(lambda: desk.track.length > 0)
    with desk.qtbot.waitSignal(desk.track_grew):
        desk.stop()
    length = desk.track.length
    desk.wait_for_the_engine()
    assert desk.track.length == length
    toggle(desk)
    assert desk.player.playback is Playback.PLAYING


def test_a_new_request_replaces_the_old_one_and_drops_its_late_chunks(desk: Desk) -> None:
    desk.begin()
    desk.speak(SpeechRequest("Other.", "am_adam"))
    desk.fake.hold.set()
    desk.wait_made()
    assert desk.track.segment_count == 1
    segment = desk.track.segment_at(0)
    assert segment.utterance.text == "Other."


def test_a_request_that_is_refused_leaves_the_speech_before_it(desk: Desk) -> None:
    desk.make()
    desk.hear(1200)
    track = desk.track
    desk.fake.speak_error = NOTHING
    with desk.qtbot.waitSignals([desk.failed, desk.planned]):
        desk.speak(DOTS)
    assert desk.track is track
    assert desk.request == REQUEST
    assert desk.player.position == 1200
    assert desk.player.playback is Playback.STOPPED
    toggle(desk)
    desk.output.stream.pull(100)
    np.testing.assert_array_equal(desk.output.stream.heard()[-100:], track.samples()[1200:1300])


def test_a_refused_request_restores_the_last_speech_that_has_audio(desk: Desk) -> None:
    desk.make()
    track = desk.track
    desk.fake.hold.clear()
    desk.speak(OTHER)
    desk.fake.speak_error = NOTHING
    with desk.qtbot.waitSignal(desk.failed):
        desk.speak(DOTS)
        desk.fake.hold.set()
    assert desk.track is track
    assert desk.request == REQUEST


def test_a_file_that_is_refused_leaves_the_speech_before_it(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    desk.stop()
    track = desk.track
    desk.fake.speak_error = NOTHING
    with desk.qtbot.waitSignal(desk.failed):
        desk.save(tmp_path / "a.wav", DOTS)
    assert desk.track is track
    assert desk.request == REQUEST
    assert not desk.activity.saving


def test_a_failure_midway_keeps_the_audio_generated_before_it(desk: Desk) -> None:
    desk.fake.speak_error, desk.fake.fails_after = CompileError("No.", "Do."), 2
    with desk.qtbot.waitSignal(desk.failed) as failed:
        desk.speak(REQUEST)
    assert failed.args[0] is desk.fake.speak_error
    assert desk.track.length == 2 * RATE_HZ
    assert desk.player.playback is Playback.PLAYING
    assert not desk.activity.making


def test_a_failed_preparation_can_be_tried_again(desk: Desk) -> None:
    desk.fake.prepare_error = CompileError("No.", "Do.")
    with desk.qtbot.waitSignal(desk.failed):
        desk.prepare()
    assert desk.activity.readiness is Readiness.FAILED
    desk.fake.prepare_error = None
    desk.prepare()
    desk.qtbot.waitUntil(lambda: desk.activity.readiness is Readiness.READY)


def test_saving_spoken_text_does_not_generate_it_again(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    with desk.qtbot.waitSignal(desk.saved) as saved:
        desk.save(tmp_path / "a.wav", REQUEST)
    assert saved.args[0] == tmp_path / "a.wav"
    assert len(desk.fake.requests) == 1
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ


def test_saving_first_generates_missing_audio_and_stays_silent(desk: Desk, tmp_path: Path) -> None:
    desk.save_now(tmp_path / "a.wav", REQUEST)
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert not desk.output.streams


def test_saving_during_generation_waits_for_all_of_it(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.save_on()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert len(desk.fake.requests) == 1


def test_speaking_text_that_is_being_saved_plays_and_still_saves_it(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.speak(REQUEST)
    desk.save_on()
    assert desk.track.whole
    assert desk.player.playback is Playback.PLAYING


def test_stopping_stops_the_sound_and_not_the_save(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.stop()
    assert not desk.activity.can_stop
    assert desk.activity.save.name == "a.wav"
    desk.save_on()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert desk.activity.idle


def test_other_speech_comes_first_and_the_save_resumes_afterwards(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.qtbot.waitUntil(lambda: bool(desk.fake.requests))
    ends: list[str] = []
    desk.track_grew.connect(lambda: ends.append("speech") if desk.track.whole else None)
    desk.saved.connect(lambda path: ends.append(path.name))
    desk.speak(SpeechRequest("Other. Text.", "am_adam"))
    desk.save_on()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert desk.text == "Other. Text."
    assert desk.track.length == 2 * RATE_HZ
    assert (ends[0], ends[-1]) == ("speech", "a.wav")
    assert len(desk.fake.requests) == 2


def test_saving_a_different_text_does_not_interrupt_playback(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    track = desk.track
    desk.save_now(tmp_path / "a.wav", OTHER)
    assert soundfile.info(tmp_path / "a.wav").frames == RATE_HZ
    assert desk.track is track
    assert desk.player.playback is Playback.PLAYING


def test_a_save_can_be_canceled_and_then_leaves_no_file(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.qtbot.waitUntil(lambda: bool(desk.fake.requests))
    desk.saving.cancel()
    assert not desk.activity.saving
    desk.fake.hold.set()
    desk.make(OTHER)
    assert not list(tmp_path.iterdir())


def test_canceling_a_save_of_the_playing_text_keeps_its_audio(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.saving.cancel()
    desk.fake.hold.set()
    desk.wait_made()
    assert desk.track.whole
    assert not list(tmp_path.iterdir())


def test_a_second_file_waits_for_the_first_one(desk: Desk, tmp_path: Path) -> None:
    saved: list[Path] = []
    desk.saved.connect(saved.append)
    desk.fake.hold.clear()
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.save(tmp_path / "b.flac", OTHER)
    assert (desk.activity.save.name, desk.activity.save.waiting_count) == ("a.wav", 1)
    desk.fake.hold.set()
    desk.wait_saved()
    assert saved == [tmp_path / "a.wav", tmp_path / "b.flac"]
    assert soundfile.info(tmp_path / "b.flac").frames == RATE_HZ


def test_a_save_finishes_with_its_engine_after_an_engine_change(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.qtbot.waitUntil(lambda: bool(desk.fake.requests))
    other = FakeEngine()
    desk.change_engine(lambda: other)
    desk.speak(SpeechRequest("Other.", "am_adam"))
    desk.save_on()
    assert [request.text for request in other.requests] == ["Other."]
    assert [request.text for request in desk.fake.requests] == [TEXT]
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    desk.qtbot.waitUntil(lambda: desk.fake.closed)
    assert not other.closed


def test_a_queued_file_is_generated_by_the_model_it_was_requested_from(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.save(tmp_path / "b.wav", OTHER)
    other = FakeEngine()
    desk.change_engine(lambda: other)
    desk.fake.hold.set()
    desk.wait_saved()
    assert [request.text for request in desk.fake.requests] == [TEXT, "Other."]
    assert not other.requests
    desk.qtbot.waitUntil(lambda: desk.fake.closed)


def test_a_file_saved_after_an_engine_change_uses_the_new_engine(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    desk.stop()
    other = FakeEngine()
    desk.change_engine(lambda: other)
    desk.save_now(tmp_path / "a.wav", REQUEST)
    assert [request.text for request in other.requests] == [TEXT]


def test_speech_in_progress_is_not_saved_for_a_different_engine(desk: Desk, tmp_path: Path) -> None:
    desk.begin()
    other = FakeEngine()
    desk.change_engine(lambda: other)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.fake.hold.set()
    desk.wait_saved()
    assert [request.text for request in other.requests] == [TEXT]


def test_speech_for_two_files_is_generated_once(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.save(tmp_path / "b.flac", REQUEST)
    desk.saving.cancel()
    desk.fake.hold.set()
    desk.wait_saved()
    assert len(desk.fake.requests) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["b.flac"]


def test_a_document_is_exported_chapter_by_chapter_regardless_of_playback(desk: Desk, tmp_path: Path) -> None:
    steps: list[str] = []
    desk.activity_changed.connect(lambda activity: steps.append(activity.save.step if activity.save else ""))
    desk.export(ExportJob(BOOK, REQUEST, tmp_path / "book.wav"))
    desk.speak(SpeechRequest("Other.", "am_adam"))
    desk.wait_saved()
    pause = round(CHAPTER_PAUSE_SECONDS * RATE_HZ)
    assert soundfile.info(tmp_path / "book.wav").frames == 5 * RATE_HZ + pause
    assert desk.text == "Other."
    assert desk.track.whole
    assert "Speaking chapter 2 of 2, “Two”" in steps


def test_already_generated_speech_still_gets_subtitles(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    order = replace(order_of_text(tmp_path / "a.wav", REQUEST), subtitles=tmp_path / "a.srt")
    with desk.qtbot.waitSignal(desk.saved):
        desk.export(order)
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert (tmp_path / "a.srt").exists()


def test_an_export_can_be_canceled_while_it_is_written(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, may_go_on = threading.Event(), threading.Event()

    def write(file: object, pcm: np.ndarray) -> None:
        written.set()
        assert may_go_on.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(soundfile.SoundFile, "write", write)
    desk.export(ExportJob(BOOK, REQUEST, tmp_path / "book.wav"))
    desk.qtbot.waitUntil(written.is_set)
    desk.saving.cancel()
    assert not desk.activity.saving
    monkeypatch.undo()
    may_go_on.set()
    desk.save_now(tmp_path / "next.wav", REQUEST)
    assert [path.name for path in tmp_path.iterdir()] == ["next.wav"]


LONG = Document("Long", "", "en", (Chapter("One", " ".join(f"Sentence number {n}." for n in range(400))),) * 2)


def begin_long_export(desk: Desk, path: Path) -> None:
    """Export a book; it blocks at its sixth sentence."""
    desk.prepare()
    desk.qtbot.waitUntil(lambda: desk.fake.prepared == 1)
    desk.fake.hold.clear()
    desk.fake.hold_from = 5
    desk.export(ExportJob(LONG, REQUEST, path))
    desk.qtbot.waitUntil(lambda: bool(desk.fake.requests))


def test_a_short_save_does_not_wait_behind_a_book(desk: Desk, tmp_path: Path) -> None:
    saved: list[object] = []
    desk.saved.connect(saved.append)
    begin_long_export(desk, tmp_path / "book.flac")
    desk.qtbot.waitUntil(lambda: desk.activity.save is not None and desk.activity.save.step != "")
    for name in ("first.wav", "second.wav"):
        desk.save(tmp_path / name, SpeechRequest(f"It is {name}", "af_heart"))
    save = desk.activity.save
    assert (save.name, save.waiting_count) == ("first.wav", 2)
    assert save.interrupted.name == "book.flac"
    assert save.interrupted.step
    desk.fake.hold.set()
    desk.wait_saved()
    assert saved == [tmp_path / name for name in ("first.wav", "second.wav", "book.flac")]
    assert sum(request.text.startswith("Sentence number 0.") for request in desk.fake.requests) == 1


@pytest.mark.parametrize("at_once", [False, True])
def test_a_book_and_a_file_that_overtakes_it_can_be_canceled(desk: Desk, tmp_path: Path, at_once: bool) -> None:
    begin_long_export(desk, tmp_path / "book.flac")
    desk.save(tmp_path / "short.wav", SHORT)
    if at_once:
        desk.saving.cancel_all()
    else:
        desk.saving.cancel()
        assert desk.activity.save is not None
        desk.saving.cancel()
    desk.fake.hold.set()
    desk.save(tmp_path / "next.wav", SpeechRequest("Next.", "af_heart"))
    desk.wait_saved()
    assert [path.name for path in tmp_path.iterdir()] == ["next.wav"]


def test_a_short_save_to_the_file_of_a_book_waits_for_it(desk: Desk, tmp_path: Path) -> None:
    begin_long_export(desk, tmp_path / "a.flac")
    desk.save(tmp_path / "a.flac", SHORT)
    assert desk.fake.requests[0].text.startswith("Sentence")
    desk.fake.hold.set()
    desk.wait_saved()
    assert soundfile.info(tmp_path / "a.flac").frames == RATE_HZ


def test_a_failed_export_is_reported_and_the_next_one_runs(desk: Desk, tmp_path: Path) -> None:
    desk.prepare()
    desk.qtbot.waitUntil(lambda: desk.fake.prepared == 1)
    desk.fake.speak_error, desk.fake.fails_after = CompileError("No.", "Do."), 2
    told: list[object] = []
    desk.failed.connect(told.append)
    desk.saved.connect(told.append)
    desk.export(ExportJob(BOOK, REQUEST, tmp_path / "book.wav"))
    desk.save(tmp_path / "next.wav", SHORT)
    desk.wait_saved()
    assert told == [desk.fake.speak_error, tmp_path / "next.wav"]


def test_an_unwritable_path_is_reported_and_the_speech_stays(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    with desk.qtbot.waitSignal(desk.failed) as failed:
        desk.save(tmp_path / "none" / "a.wav", REQUEST)
    assert isinstance(failed.args[0], OutputError)
    assert desk.track.whole


def test_a_new_engine_takes_over_once_current_generation_finishes(desk: Desk) -> None:
    desk.begin()
    other = FakeEngine()
    desk.change_engine(lambda: other)
    assert desk.activity.making
    assert not desk.fake.closed
    desk.fake.hold.set()
    desk.wait_made()
    assert desk.track.whole
    desk.qtbot.waitUntil(lambda: other.prepared == 1)
    assert desk.fake.closed


def test_preparing_an_engine_gives_way_to_preparing_a_newer_one(desk: Desk) -> None:
    failures: list[Exception] = []
    desk.failed.connect(failures.append)
    desk.fake.prepare_hold.clear()
    desk.prepare()
    desk.qtbot.waitUntil(lambda: bool(desk.fake.threads))
    other = FakeEngine()
    desk.change_engine(lambda: other)
    desk.qtbot.waitUntil(lambda: desk.activity.readiness is Readiness.READY)
    assert other.prepared == 1
    assert desk.fake.prepared == 0
    assert not failures


def test_a_preparation_that_fails_after_an_engine_change_reports_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[Exception] = []
    seen: list[Readiness] = []
    begun, may_fail = threading.Event(), threading.Event()

    def prepare(observe: object, cancel: object) -> None:
        begun.set()
        assert may_fail.wait(PATIENCE_SECONDS)
        raise CompileError("No.", "Do.")

    monkeypatch.setattr(desk.fake, "prepare", prepare)
    desk.failed.connect(failures.append)
    desk.activity_changed.connect(lambda activity: seen.append(activity.readiness))
    desk.prepare()
    assert begun.wait(PATIENCE_SECONDS)
    desk.change_engine(FakeEngine)
    may_fail.set()
    desk.qtbot.waitUntil(lambda: desk.activity.readiness is Readiness.READY)
    assert Readiness.FAILED not in seen
    assert not failures


def test_speech_stopped_after_an_engine_change_reports_no_failure(desk: Desk) -> None:
    seen: list[Readiness] = []
    desk.begin()
    desk.activity_changed.connect(lambda activity: seen.append(activity.readiness))
    desk.change_engine(FakeEngine)
    desk.stop()
    desk.qtbot.waitUntil(lambda: desk.fake.closed and desk.activity.readiness is Readiness.READY)
    assert Readiness.FAILED not in seen


def test_shutting_down_while_it_speaks_is_quick_and_closes_the_engine(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    desk.begin()
    assert desk.shut_down(PATIENCE_MS)
    assert not desk.fake.hold.is_set()
    assert desk.fake.closed


def test_the_cpu_fallback_stays_shown_until_the_next_request(desk: Desk) -> None:
    seen = []
    desk.activity_changed.connect(seen.append)
    desk.fake.fallbacks = {0: "It failed."}
    desk.make()
    assert any(
        activity.preparation and activity.preparation.title.startswith("Preparing the CPU") and activity.making
        for activity in seen
    )
    assert desk.activity.readiness is Readiness.READY
    assert desk.activity.fallback == "It failed."
    desk.fake.fallbacks = {}
    desk.speak(SpeechRequest("Four.", "af_heart"))
    assert desk.activity.fallback == ""
    desk.wait_made()
    assert desk.activity.fallback == ""


def test_the_cpu_fallback_of_abandoned_speech_is_not_shown_for_the_next(
    desk: Desk, deaf_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait, held = deaf_engine.hold.wait, threading.Event()

    def tell_and_wait(seconds: float) -> bool:
        held.set()
        return wait(seconds)

    monkeypatch.setattr(deaf_engine.hold, "wait", tell_and_wait)
    deaf_engine.fallbacks = {1: "It failed."}
    desk.speak(REQUEST)
    assert held.wait(PATIENCE_SECONDS)
    desk.speak(OTHER)
    deaf_engine.hold.set()
    desk.wait_made()
    assert desk.track.whole
    assert desk.activity.fallback == ""


def test_after_a_stop_generation_resumes_where_it_left_off(desk: Desk) -> None:
    desk.stop_after_one()
    desk.fake.hold.set()
    toggle(desk)
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, start=len("One. "))]
    assert desk.heard_texts == ["One.", "Two.", "Three."]
    assert [segment.utterance.index for segment in desk.track.segments] == [0, 1, 2]
    assert desk.track.planned.utterances == tuple(segment.utterance for segment in desk.track.segments)
    assert desk.track.whole
    assert desk.player.playback is Playback.PLAYING


def test_fully_generated_speech_is_replayed_without_generating_it_again(desk: Desk) -> None:
    desk.make()
    desk.stop()
    desk.go_on()
    assert desk.player.playback is Playback.PLAYING
    desk.wait_for_the_engine()
    assert len(desk.fake.requests) == 1


def test_a_part_is_spoken_and_known_by_its_place_in_the_text(desk: Desk) -> None:
    desk.make(replace(REQUEST, start=5))
    assert desk.heard_texts == ["Two.", "Three."]
    desk.speak_from(10)
    desk.wait_made()
    assert desk.heard_texts == ["Three."]


def test_a_new_speed_applies_immediately_and_to_audio_generated_next(desk: Desk) -> None:
    desk.begin()
    desk.adapt("af_heart", 1.5, 2.0)
    assert desk.player.speed == 1.5
    desk.fake.hold.set()
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, speed=1.5, pause_scale=2.0)]
    assert desk.heard_texts == ["One.", "Two.", "Three."]
    assert {segment.speed for segment in desk.track.segments} == {1.5}


def test_a_new_speed_keeps_audio_already_generated(desk: Desk) -> None:
    desk.make()
    desk.adapt("af_heart", 0.8, 1.0)
    desk.wait_for_the_engine()
    assert len(desk.fake.requests) == 1
    assert desk.player.speed == 0.8
    assert desk.track.whole


def test_a_new_voice_speaks_from_the_next_sentence_on(desk: Desk) -> None:
    desk.make()
    desk.hear(300)
    planned: list[int] = []
    desk.track_changed.connect(lambda track: planned.append(track.segment_count))
    desk.adapt("am_adam", 1.0, 1.0)
    assert planned == [1]
    assert desk.player.playback is Playback.PLAYING
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, voice="am_adam", start=5)]
    assert desk.heard_texts == ["One.", "Two.", "Three."]
    while desk.player.playback is Playback.PLAYING:
        desk.hear(100)
    np.testing.assert_allclose(desk.output.stream.heard(), desk.track.samples(), atol=1e-6)


def test_a_new_voice_during_the_last_sentence_waits_for_the_next_request(desk: Desk) -> None:
    desk.make()
    desk.player.seek(2100)
    desk.adapt("am_adam", 1.0, 1.0)
    desk.wait_for_the_engine()
    assert len(desk.fake.requests) == 1
    assert desk.track.whole


def test_speech_being_saved_continues_unchanged(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.adapt("am_adam", 1.5, 1.0)
    desk.save_on()
    assert desk.fake.requests == [REQUEST]
    assert desk.player.speed == 1.5
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ


def test_speech_in_two_voices_is_not_saved_as_speech_in_one(desk: Desk, tmp_path: Path) -> None:
    desk.make()
    desk.adapt("am_adam", 1.0, 1.0)
    desk.wait_made()
    desk.save_now(tmp_path / "a.wav", REQUEST)
    assert desk.fake.requests[-1] == REQUEST
    assert len(desk.fake.requests) == 3


def test_a_voice_chosen_during_a_pause_speaks_after_resuming(desk: Desk) -> None:
    desk.make()
    desk.hear(300)
    toggle(desk)
    desk.adapt("am_adam", 1.0, 1.0)
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, voice="am_adam", start=5)]
    assert (desk.player.playback, desk.player.position) == (Playback.PAUSED, 300)


def test_a_voice_chosen_after_a_stop_speaks_the_remaining_text(desk: Desk) -> None:
    desk.stop_after_one()
    desk.adapt("am_adam", 1.0, 1.0)
    desk.fake.hold.set()
    desk.go_on()
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, voice="am_adam", start=5)]


def test_the_source_of_a_text_is_known_as_long_as_its_speech(desk: Desk) -> None:
    book, other = object(), object()
    desk.make(REQUEST, book)
    desk.speak_from(5)
    desk.wait_made()
    assert desk.source is book
    track = desk.track
    desk.make(REQUEST, other)
    assert desk.source is other
    desk.hear_again(REQUEST, track, book)
    assert desk.source is book
    desk.fake.speak_error = NOTHING
    with desk.qtbot.waitSignal(desk.failed):
        desk.speak(DOTS, other)
    assert desk.source is book
    desk.fake.speak_error = None
    desk.speak(REQUEST)
    assert desk.source is None


@pytest.mark.parametrize("playing", [True, False])
def test_the_same_text_from_a_different_source_starts_new_speech(desk: Desk, playing: bool) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST, "a book")
    if not playing:
        desk.player.pause()
    track = desk.track
    desk.speak(REQUEST, "a note")
    assert desk.track is not track
    assert desk.source == "a note"
    desk.fake.hold.set()


def test_no_speech_at_all_is_left_after_it_was_cleared(desk: Desk) -> None:
    desk.fake.hold_from = 1
    desk.fake.hold.clear()
    desk.speak(REQUEST, "a book")
    desk.qtbot.waitUntil(lambda: bool(desk.output.streams) and desk.output.stream.active)
    stream = desk.output.stream
    with desk.qtbot.waitSignals([desk.track_changed, desk.track_grew]):
        desk.clear()
    assert not stream.active
    assert desk.activity.idle
    assert (desk.request, desk.source, desk.text) == (None, None, "")
    assert (desk.track.length, desk.track.finished) == (0, True)
    desk.fake.hold.set()
    desk.wait_for_the_engine()
    assert desk.track.length == 0
    toggle(desk)
    assert desk.player.playback is Playback.STOPPED


def test_a_failure_after_it_was_cleared_brings_nothing_back(desk: Desk) -> None:
    desk.make()
    desk.clear()
    desk.fake.speak_error = NOTHING
    with desk.qtbot.waitSignal(desk.failed):
        desk.speak(DOTS)
    assert desk.request is None
    assert desk.track.length == 0


def test_generation_for_a_file_continues_after_the_speech_is_cleared(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.clear()
    desk.save_on()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert desk.request is None


def test_a_generated_position_plays_and_stopped_generation_resumes(desk: Desk) -> None:
    desk.stop_after_one()
    assert not desk.hear_from(TEXT.index("Two"))
    assert desk.player.playback is Playback.STOPPED
    desk.fake.hold.set()
    assert desk.hear_from(TEXT.index("One"))
    assert (desk.player.playback, desk.player.position) == (Playback.PLAYING, 0)
    desk.wait_made()
    assert desk.track.whole
    assert desk.hear_from(TEXT.index("Three"))
    assert desk.player.position == 2 * RATE_HZ


def test_a_place_before_the_part_that_is_spoken_is_not_made(desk: Desk) -> None:
    assert not desk.hear_from(0)
    desk.make(replace(REQUEST, start=5))
    assert not desk.hear_from(0)
    assert desk.hear_from(5)


def test_canceling_leaves_the_short_file_unsaved_and_the_book_continues(desk: Desk, tmp_path: Path) -> None:
    begin_long_export(desk, tmp_path / "book.wav")
    desk.save(tmp_path / "note.wav", SHORT)
    desk.saving.cancel()
    desk.fake.hold.set()
    desk.wait_saved()
    assert [path.name for path in tmp_path.iterdir()] == ["book.wav"]


AHEAD_TEXT = " ".join(f"Sentence {number} is this." for number in range(8))
AHEAD = SpeechRequest(AHEAD_TEXT, "af_heart")


def place_of(number: int) -> int:
    return AHEAD_TEXT.index(f"Sentence {number}")


@pytest.fixture
def ahead(desk: Desk) -> AudioTrack:
    """A track with the first sentence and the last two; the last but one is playing."""
    desk.begin_after_one(AHEAD, "a book")
    track = desk.track
    desk.speak_from(place_of(6))
    desk.fake.hold.set()
    desk.wait_made()
    desk.listen(300)
    return track


def test_playing_ahead_keeps_generated_audio_and_leaves_a_gap(desk: Desk, ahead: AudioTrack) -> None:
    ((start, end),) = ahead.gaps
    assert desk.track is ahead
    assert (desk.request, desk.source) == (AHEAD, "a book")
    assert desk.fake.requests == [AHEAD, replace(AHEAD, start=place_of(6))]
    assert desk.heard_texts == [AHEAD_TEXT[place_of(number) :][:19] for number in (0, 6, 7)]
    assert desk.player.playback is Playback.PLAYING
    assert desk.player.position == end + 300
    assert desk.place_heard == place_of(6)
    assert start == RATE_HZ


def test_the_start_stays_reachable_and_playing_into_the_gap_generates_it(desk: Desk, ahead: AudioTrack) -> None:
    desk.fake.hold_from = 0
    desk.fake.hold.clear()
    assert desk.hear_from(0)
    desk.listen(900)
    assert not desk.activity.making
    desk.listen(300)
    desk.qtbot.waitUntil(lambda: len(desk.fake.requests) > 2)
    assert desk.fake.requests[2:] == [replace(AHEAD, start=place_of(1), end=place_of(6))]
    assert desk.activity.waiting
    desk.fake.hold.set()
    desk.qtbot.waitUntil(lambda: ahead.whole)
    assert ahead.gaps == ()
    assert desk.heard_texts == [AHEAD_TEXT[place_of(number) :][:19] for number in range(8)]
    assert [segment.utterance.index for segment in ahead.segments] == list(range(8))
    while desk.player.playback is Playback.PLAYING:
        desk.listen(100)
    heard = desk.output.stream.heard()[-ahead.length :]
    np.testing.assert_allclose(heard, ahead.samples(), atol=1e-6)
    assert desk.heard_to_the_end


def test_playback_behind_a_gap_continues_while_the_gap_is_generated(desk: Desk, ahead: AudioTrack) -> None:
    desk.fake.hold_from = 0
    desk.fake.hold.clear()
    desk.player.seek(ahead.gaps[0][0])
    assert desk.hear_from(place_of(7))
    desk.listen(200)
    desk.fake.hold.set()
    desk.wait_made()
    assert ahead.whole
    place = ahead.segments[7].start
    assert desk.player.position == place + 200
    desk.listen(200)
    np.testing.assert_allclose(desk.output.stream.heard()[-400:], ahead.samples()[place:][:400], atol=1e-6)


def test_a_position_in_the_middle_of_a_gap_plays_immediately(desk: Desk, ahead: AudioTrack) -> None:
    start, end = ahead.gaps[0]
    desk.player.seek((start + end) // 2)
    desk.qtbot.waitUntil(lambda: len(ahead.gaps) == 1 and not desk.activity.making)
    first = desk.fake.requests[2].start
    assert place_of(2) < first < place_of(6)
    assert desk.fake.requests[2:] == [replace(AHEAD, start=first, end=place_of(6))]
    desk.listen(200)
    assert desk.place_heard == first
    assert ahead.gaps[0][0] == start


def test_a_gap_that_failed_is_generated_when_played_again(desk: Desk, ahead: AudioTrack) -> None:
    desk.fake.speak_error = CompileError("No.", "Do.")
    with desk.qtbot.waitSignal(desk.speech_failed):
        desk.player.seek(ahead.gaps[0][0])
    desk.wait_for_the_engine()
    assert len(desk.fake.requests) == 3
    assert desk.player.playback is Playback.PAUSED
    desk.fake.speak_error = None
    toggle(desk)
    desk.qtbot.waitUntil(lambda: ahead.whole)


def test_a_gap_in_which_nothing_has_a_sound_closes(desk: Desk, ahead: AudioTrack) -> None:
    failures: list[Exception] = []
    desk.failed.connect(failures.append)
    desk.fake.speak_error = NOTHING
    desk.player.seek(ahead.gaps[0][0])
    desk.qtbot.waitUntil(lambda: ahead.gaps == ())
    desk.listen(200)
    assert desk.player.playback is Playback.PLAYING
    assert not failures


def test_generation_of_a_gap_resumes_after_a_stop(desk: Desk, ahead: AudioTrack) -> None:
    desk.fake.hold_from = 1
    desk.fake.hold.clear()
    desk.player.seek(ahead.gaps[0][0])
    desk.qtbot.waitUntil(lambda: ahead.segment_count == 4)
    desk.stop()
    desk.fake.hold.set()
    desk.wait_for_the_engine()
    assert ahead.partial
    desk.player.seek(0)
    desk.go_on()
    desk.wait_made()
    assert len(ahead.gaps) == 1  # it is not wanted yet
    desk.player.seek(ahead.gaps[0][0])
    desk.qtbot.waitUntil(lambda: ahead.whole)


def test_speech_with_a_gap_is_not_all_of_its_request(desk: Desk, tmp_path: Path, ahead: AudioTrack) -> None:
    desk.save_now(tmp_path / "a.wav", AHEAD)
    assert soundfile.info(tmp_path / "a.wav").frames == 8 * RATE_HZ


def test_a_new_voice_before_a_gap_generates_all_later_speech_again(desk: Desk, ahead: AudioTrack) -> None:
    desk.hear_from(0)
    desk.adapt("am_adam", 1.0, 1.0)
    desk.wait_made()
    assert desk.fake.requests[-1] == replace(AHEAD, voice="am_adam", start=place_of(1))
    assert ahead.whole


def test_playback_ends_at_the_end_while_a_gap_is_being_generated(desk: Desk, ahead: AudioTrack) -> None:
    desk.fake.hold_from = 0
    desk.fake.hold.clear()
    desk.player.seek(ahead.gaps[0][0])
    desk.qtbot.waitUntil(lambda: len(desk.fake.requests) == 3)
    assert desk.hear_from(place_of(7))
    desk.listen(1200)
    desk.qtbot.waitUntil(lambda: desk.listen(100) or desk.player.playback is Playback.STOPPED)
    assert not desk.heard_to_the_end
    desk.fake.hold.set()
    desk.wait_made()
    assert len(desk.fake.requests) == 3
    assert desk.heard_texts == [AHEAD_TEXT[place_of(number) :][:19] for number in range(8)]


def test_a_gap_and_then_the_end_are_generated_in_sequence(desk: Desk) -> None:
    desk.begin_after_one(AHEAD)
    track = desk.track
    desk.speak_from(place_of(5))
    desk.qtbot.waitUntil(lambda: track.segment_count == 2)
    desk.player.seek(track.gaps[0][0])
    desk.fake.hold.set()
    desk.qtbot.waitUntil(lambda: track.whole)
    assert [(request.start, request.end) for request in desk.fake.requests[2:]] == [
        (place_of(1), place_of(5)),
        (place_of(6), None),
    ]
    assert desk.heard_texts == [AHEAD_TEXT[place_of(number) :][:19] for number in range(8)]
    assert desk.player.playback is Playback.PLAYING
