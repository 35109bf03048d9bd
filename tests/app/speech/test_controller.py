import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from pytestqt.qtbot import QtBot

from app.audio.output import AudioDeviceLost, NoAudioDevice
from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from engine.audio.recording import Pcm
from engine.errors import CompileError, NothingToSpeak, OutputError
from engine.export.exporting import CHAPTER_PAUSE_SECONDS
from engine.export.order import PART_CHARACTERS, Order, order_of_text
from engine.speech import SpeechRequest, Utterance
from engine.text.documents import Chapter, Document
from tests.app.fakes import RATE_HZ, FakeEngine, FakeOutput, chunk_of, list_voices, toggle, utterances_of
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS

TEXT = "One. Two. Three."
REQUEST = SpeechRequest(TEXT, "af_heart")
BOOK = Document("Book", "", "en", (Chapter("One", "A. B."), Chapter("Two", "C. D. E.")))

LONG_BOOK = Document("Book", "", "en", (Chapter("Long", "Word. " * (PART_CHARACTERS // 6 + 1)),))


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No export finds what another has made."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("engine.export.made_parts.cache_folder", lambda: folder)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def output() -> FakeOutput:
    return FakeOutput()


@pytest.fixture
def controller(engine: FakeEngine, output: FakeOutput, qtbot: QtBot) -> Iterator[SpeechController]:
    controller = SpeechController(lambda: engine, output, list_voices=list_voices)
    yield controller
    assert controller.shut_down(PATIENCE_MS)


def wait_made(qtbot: QtBot, controller: SpeechController) -> None:
    qtbot.waitUntil(lambda: controller.track.finished and not controller.activity.making)


def wait_for_the_engine(qtbot: QtBot, controller: SpeechController) -> None:
    """Wait until its thread has done all that it was asked for, and what it made has arrived."""
    with qtbot.waitSignal(controller.voices_listed):
        controller.list_voices()


def test_prepares_in_the_background_and_says_so(controller: SpeechController, qtbot: QtBot) -> None:
    seen = []
    controller.activity_changed.connect(seen.append)
    with qtbot.waitSignal(controller.voices_listed) as listed:
        controller.list_voices()
    assert listed.args == [list_voices()]
    controller.prepare()
    qtbot.waitUntil(lambda: controller.activity.readiness is Readiness.READY)
    assert any(activity.preparation and activity.preparation.total == 7 for activity in seen)
    assert controller.activity.idle


def test_speaking_fills_the_track_and_plays_it(controller: SpeechController, output: FakeOutput, qtbot: QtBot) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    expected = np.concatenate([chunk_of(utterance, 3).samples for utterance in utterances_of(TEXT)])
    np.testing.assert_array_equal(controller.track.samples(), expected)
    assert controller.player.playback is Playback.PLAYING
    assert output.stream.active
    assert controller.track.whole
    assert controller.request == REQUEST


def test_speaking_before_it_is_ready_happens_when_it_is(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    controller.prepare()
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    assert engine.prepared == 1
    assert controller.track.whole


def test_the_utterance_that_is_heard_is_announced(
    controller: SpeechController, output: FakeOutput, qtbot: QtBot
) -> None:
    heard: list[Utterance | None] = []
    controller.utterance_changed.connect(heard.append)
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    while controller.player.playback is Playback.PLAYING:
        output.stream.pull(100)
        controller.player.tick()
    assert [utterance and utterance.index for utterance in heard] == [0, 1, 2, None]


@pytest.fixture
def deaf_engine(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    """Busy with the second sentence, whatever is cancelled, until the end of the test."""
    synthesize = engine.synthesize
    monkeypatch.setattr(engine, "synthesize", lambda request, observe, cancel: synthesize(request, observe, None))
    engine.hold_from = 1
    engine.hold.clear()
    ends = threading.Timer(PATIENCE_SECONDS, engine.hold.set)  # else a stop that waits for it would wait for ever
    ends.start()
    yield engine
    ends.cancel()
    engine.hold.set()


def test_stopping_is_silent_at_once_even_when_the_engine_is_busy(
    controller: SpeechController, deaf_engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(output.streams) and output.stream.active)
    controller.stop()
    assert not deaf_engine.hold.is_set()  # it is still busy
    assert not output.stream.active
    assert controller.activity.idle


def test_what_was_made_before_a_stop_can_be_played(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: controller.track.length > 0)
    with qtbot.waitSignal(controller.track_grew):
        controller.stop()
    length = controller.track.length
    wait_for_the_engine(qtbot, controller)
    assert controller.track.length == length
    toggle(controller)
    assert controller.player.playback is Playback.PLAYING


def test_a_new_request_replaces_the_old_one_and_its_late_chunks_are_dropped(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    controller.speak(SpeechRequest("Other.", "am_adam"))
    engine.hold.set()
    wait_made(qtbot, controller)
    assert controller.track.segment_count == 1
    segment = controller.track.segment_at(0)
    assert segment is not None
    assert segment.utterance.text == "Other."


def test_a_request_that_is_refused_leaves_the_speech_before_it(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    output.stream.pull(1200)
    controller.player.tick()
    track = controller.track
    engine.speak_error = NothingToSpeak("There is nothing.", "Type.")
    with qtbot.waitSignals([controller.failed, controller.planned]):
        controller.speak(SpeechRequest("…", "af_heart"))
    assert controller.track is track
    assert controller.request == REQUEST
    assert controller.player.position == 1200
    assert controller.player.playback is Playback.STOPPED
    toggle(controller)
    output.stream.pull(100)
    np.testing.assert_array_equal(output.stream.heard()[-100:], track.samples()[1200:1300])


def test_a_request_that_is_refused_leaves_the_speech_before_those_that_came_to_nothing(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    track = controller.track
    engine.hold.clear()
    controller.speak(SpeechRequest("Other.", "af_heart"))
    engine.speak_error = NothingToSpeak("There is nothing.", "Type.")
    with qtbot.waitSignal(controller.failed):
        controller.speak(SpeechRequest("…", "af_heart"))
        engine.hold.set()
    assert controller.track is track
    assert controller.request == REQUEST


def test_a_file_that_is_refused_leaves_the_speech_before_it(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.stop()
    track = controller.track
    engine.speak_error = NothingToSpeak("There is nothing.", "Type.")
    with qtbot.waitSignal(controller.failed):
        controller.save(tmp_path / "a.wav", SpeechRequest("…", "af_heart"))
    assert controller.track is track
    assert controller.request == REQUEST
    assert not controller.activity.saving


def test_a_failure_in_the_middle_keeps_what_was_spoken(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.speak_error, engine.fails_after = CompileError("No.", "Do."), 2
    with qtbot.waitSignal(controller.failed) as failed:
        controller.speak(REQUEST)
    assert failed.args[0] is engine.speak_error
    assert controller.track.length == 2 * RATE_HZ
    assert controller.player.playback is Playback.PLAYING
    assert not controller.activity.making


def test_a_failed_preparation_can_be_tried_again(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.prepare_error = CompileError("No.", "Do.")
    with qtbot.waitSignal(controller.failed):
        controller.prepare()
    assert controller.activity.readiness is Readiness.FAILED
    engine.prepare_error = None
    controller.prepare()
    qtbot.waitUntil(lambda: controller.activity.readiness is Readiness.READY)


def test_no_audio_device_is_said_and_speech_is_made_all_the_same(
    controller: SpeechController, output: FakeOutput, qtbot: QtBot
) -> None:
    output.error = NoAudioDevice()
    with qtbot.waitSignal(controller.failed) as failed:
        controller.speak(REQUEST)
    assert isinstance(failed.args[0], NoAudioDevice)
    wait_made(qtbot, controller)
    assert controller.track.whole
    assert controller.activity.idle


def test_a_lost_device_pauses_and_nothing_is_lost(
    controller: SpeechController, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    output.stream.pull(500)
    controller.player.tick()
    output.stream.active = False
    with qtbot.waitSignal(controller.failed) as failed:
        controller.player.tick()
    assert isinstance(failed.args[0], AudioDeviceLost)
    assert controller.activity.playback is Playback.PAUSED
    assert controller.track.whole
    controller.player.play_on_current_device()
    assert controller.player.position == 500
    assert output.stream.active


def test_saving_what_was_spoken_makes_nothing_again(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    with qtbot.waitSignal(controller.saved) as saved:
        controller.save(tmp_path / "a.wav", REQUEST)
    assert saved.args[0] == tmp_path / "a.wav"
    assert len(engine.requests) == 1
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ


def test_saving_first_makes_what_is_not_there_and_stays_silent(
    controller: SpeechController, output: FakeOutput, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "a.wav", REQUEST)
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert not output.streams


def test_saving_while_it_is_made_waits_for_all_of_it(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    controller.save(tmp_path / "a.wav", REQUEST)
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert len(engine.requests) == 1


def test_speaking_what_is_being_saved_plays_it_and_still_saves_it(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.speak(REQUEST)
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert controller.track.whole
    assert controller.player.playback is Playback.PLAYING


def test_saving_another_text_does_not_write_the_old_one(
    controller: SpeechController, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "a.wav", SpeechRequest("Other.", "af_heart"))
    assert soundfile.info(tmp_path / "a.wav").frames == RATE_HZ


def test_stopping_stops_the_sound_and_not_the_save(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.stop()
    assert not controller.activity.can_stop
    assert controller.activity.save is not None
    assert controller.activity.save.name == "a.wav"
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert controller.activity.idle


def test_another_speech_comes_first_and_the_save_goes_on_afterwards(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.save(tmp_path / "a.wav", REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    ends: list[str] = []
    controller.track_grew.connect(lambda: ends.append("speech") if controller.track.whole else None)
    controller.saved.connect(lambda path: ends.append(path.name))
    controller.speak(SpeechRequest("Other. Text.", "am_adam"))
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert controller.text == "Other. Text."
    assert controller.track.length == 2 * RATE_HZ
    assert (ends[0], ends[-1]) == ("speech", "a.wav")
    assert len(engine.requests) == 2


def test_saving_another_text_leaves_what_is_heard(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    track = controller.track
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "a.wav", SpeechRequest("Other.", "af_heart"))
    assert controller.track is track
    assert controller.player.playback is Playback.PLAYING


def test_a_save_can_be_cancelled_and_then_leaves_no_file(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.save(tmp_path / "a.wav", REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    controller.saving.cancel()
    assert not controller.activity.saving
    engine.hold.set()
    controller.speak(SpeechRequest("Other.", "af_heart"))
    wait_made(qtbot, controller)
    assert not list(tmp_path.iterdir())


def test_a_cancelled_save_of_what_is_heard_leaves_the_speech(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.saving.cancel()
    engine.hold.set()
    wait_made(qtbot, controller)
    assert controller.track.whole
    assert not list(tmp_path.iterdir())


def test_a_second_file_waits_for_the_first_one(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    saved: list[Path] = []
    controller.saved.connect(saved.append)
    engine.hold.clear()
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.save(tmp_path / "b.flac", SpeechRequest("Other.", "af_heart"))
    assert controller.activity.save is not None
    assert (controller.activity.save.name, controller.activity.save.waiting_count) == ("a.wav", 1)
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert saved == [tmp_path / "a.wav", tmp_path / "b.flac"]
    assert soundfile.info(tmp_path / "b.flac").frames == RATE_HZ


def test_a_save_is_made_with_its_engine_though_another_takes_over(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.save(tmp_path / "a.wav", REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    other = FakeEngine()
    controller.change_engine(lambda: other)
    controller.speak(SpeechRequest("Other.", "am_adam"))
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert [request.text for request in other.requests] == ["Other."]
    assert [request.text for request in engine.requests] == [TEXT]
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    qtbot.waitUntil(lambda: engine.closed)
    assert not other.closed


def test_a_file_that_waits_is_made_by_the_model_it_was_asked_of(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.save(tmp_path / "b.wav", SpeechRequest("Other.", "af_heart"))
    other = FakeEngine()
    controller.change_engine(lambda: other)
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert [request.text for request in engine.requests] == [TEXT, "Other."]
    assert not other.requests
    qtbot.waitUntil(lambda: engine.closed)


def test_after_another_engine_was_chosen_a_file_is_made_by_that(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.stop()
    other = FakeEngine()
    controller.change_engine(lambda: other)
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "a.wav", REQUEST)
    assert [request.text for request in other.requests] == [TEXT]


def test_a_speech_in_progress_is_not_saved_for_another_engine(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    other = FakeEngine()
    controller.change_engine(lambda: other)
    controller.save(tmp_path / "a.wav", REQUEST)
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert [request.text for request in other.requests] == [TEXT]


def test_two_files_of_one_speech_are_made_once(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.save(tmp_path / "b.flac", REQUEST)
    controller.saving.cancel()
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert len(engine.requests) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["b.flac"]


def test_a_document_is_exported_chapter_by_chapter_whatever_is_heard(
    controller: SpeechController, qtbot: QtBot, tmp_path: Path
) -> None:
    steps: list[str] = []
    controller.activity_changed.connect(lambda activity: steps.append(activity.save.step if activity.save else ""))
    controller.export(Order(BOOK, REQUEST, tmp_path / "book.wav"))
    controller.speak(SpeechRequest("Other.", "am_adam"))
    qtbot.waitUntil(lambda: not controller.activity.saving)
    pause = round(CHAPTER_PAUSE_SECONDS * RATE_HZ)
    assert soundfile.info(tmp_path / "book.wav").frames == 5 * RATE_HZ + pause
    assert controller.text == "Other."
    assert controller.track.whole
    assert "Speaking chapter 2 of 2, “Two”" in steps


def test_speech_that_is_made_already_has_subtitles_all_the_same(
    controller: SpeechController, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    order = replace(order_of_text(tmp_path / "a.wav", REQUEST), subtitles=tmp_path / "a.srt")
    with qtbot.waitSignal(controller.saved):
        controller.export(order)
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert (tmp_path / "a.srt").exists()


def test_an_export_can_be_cancelled_while_it_is_written(
    controller: SpeechController, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, may_go_on = threading.Event(), threading.Event()

    def write(file: object, pcm: Pcm) -> None:
        written.set()
        assert may_go_on.wait(PATIENCE_SECONDS)

    monkeypatch.setattr("engine.audio.sound_file._CodedFile.write", write)
    controller.export(Order(BOOK, REQUEST, tmp_path / "book.wav"))
    qtbot.waitUntil(written.is_set)
    controller.saving.cancel()
    assert not controller.activity.saving
    monkeypatch.undo()
    may_go_on.set()
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "next.wav", REQUEST)
    assert [path.name for path in tmp_path.iterdir()] == ["next.wav"]


LONG = Document("Long", "", "en", (Chapter("One", " ".join(f"Sentence number {n}." for n in range(400))),) * 2)


def begin_long_export(controller: SpeechController, engine: FakeEngine, qtbot: QtBot, path: Path) -> None:
    """Export a book, which stands still at its sixth sentence."""
    controller.prepare()
    qtbot.waitUntil(lambda: engine.prepared == 1)
    engine.hold.clear()
    engine.hold_from = 5
    controller.export(Order(LONG, REQUEST, path))
    qtbot.waitUntil(lambda: bool(engine.requests))


def test_a_short_save_does_not_wait_behind_a_book(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    saved: list[object] = []
    controller.saved.connect(saved.append)
    begin_long_export(controller, engine, qtbot, tmp_path / "book.flac")
    for name in ("first.wav", "second.wav"):
        controller.save(tmp_path / name, SpeechRequest(f"It is {name}", "af_heart"))
    save = controller.activity.save
    assert save is not None
    assert (save.name, save.waiting_count) == ("first.wav", 2)
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert saved == [tmp_path / name for name in ("first.wav", "second.wav", "book.flac")]
    assert sum(request.text.startswith("Sentence number 0.") for request in engine.requests) == 1


@pytest.mark.parametrize("at_once", [False, True])
def test_a_book_and_what_overtakes_it_can_be_cancelled(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path, at_once: bool
) -> None:
    begin_long_export(controller, engine, qtbot, tmp_path / "book.flac")
    controller.save(tmp_path / "short.wav", SpeechRequest("Short.", "af_heart"))
    if at_once:
        controller.saving.cancel_all()
    else:
        controller.saving.cancel()
        assert controller.activity.save is not None
        controller.saving.cancel()
    engine.hold.set()
    controller.save(tmp_path / "next.wav", SpeechRequest("Next.", "af_heart"))
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert [path.name for path in tmp_path.iterdir()] == ["next.wav"]


def test_a_short_save_to_the_file_of_a_book_waits_for_it(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    begin_long_export(controller, engine, qtbot, tmp_path / "a.flac")
    controller.save(tmp_path / "a.flac", SpeechRequest("Short.", "af_heart"))
    assert engine.requests[0].text.startswith("Sentence")
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert soundfile.info(tmp_path / "a.flac").frames == RATE_HZ


def test_a_failed_export_is_told_and_the_next_one_has_its_turn(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.prepare()
    qtbot.waitUntil(lambda: engine.prepared == 1)
    engine.speak_error, engine.fails_after = CompileError("No.", "Do."), 2
    told: list[object] = []
    controller.failed.connect(told.append)
    controller.saved.connect(told.append)
    controller.export(Order(BOOK, REQUEST, tmp_path / "book.wav"))
    controller.save(tmp_path / "next.wav", SpeechRequest("Short.", "af_heart"))
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert told == [engine.speak_error, tmp_path / "next.wav"]


def test_a_place_that_cannot_be_written_is_said_and_speech_is_kept(
    controller: SpeechController, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    with qtbot.waitSignal(controller.failed) as failed:
        controller.save(tmp_path / "none" / "a.wav", REQUEST)
    assert isinstance(failed.args[0], OutputError)
    assert controller.track.whole


def test_another_engine_takes_over_once_the_speech_in_progress_is_made(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    other = FakeEngine()
    controller.change_engine(lambda: other)
    assert controller.activity.making
    assert not engine.closed
    engine.hold.set()
    wait_made(qtbot, controller)
    assert controller.track.whole
    qtbot.waitUntil(lambda: other.prepared == 1)
    assert engine.closed


def test_a_preparation_gives_way_to_that_of_another_engine(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    failures: list[Exception] = []
    controller.failed.connect(failures.append)
    engine.prepare_hold.clear()
    controller.prepare()
    qtbot.waitUntil(lambda: bool(engine.threads))
    other = FakeEngine()
    controller.change_engine(lambda: other)
    qtbot.waitUntil(lambda: controller.activity.readiness is Readiness.READY)
    assert other.prepared == 1
    assert engine.prepared == 0
    assert not failures


def test_a_preparation_that_fails_after_another_engine_was_chosen_says_nothing(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[Exception] = []
    seen: list[Readiness] = []
    begun, may_fail = threading.Event(), threading.Event()

    def prepare(observe: object, cancel: object) -> None:
        begun.set()
        assert may_fail.wait(PATIENCE_SECONDS)
        raise CompileError("No.", "Do.")

    monkeypatch.setattr(engine, "prepare", prepare)
    controller.failed.connect(failures.append)
    controller.activity_changed.connect(lambda activity: seen.append(activity.readiness))
    controller.prepare()
    assert begun.wait(PATIENCE_SECONDS)
    controller.change_engine(FakeEngine)
    may_fail.set()
    qtbot.waitUntil(lambda: controller.activity.readiness is Readiness.READY)
    assert Readiness.FAILED not in seen
    assert not failures


def test_a_speech_that_is_stopped_after_another_engine_was_chosen_says_nothing_about_that(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    seen: list[Readiness] = []
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    controller.activity_changed.connect(lambda activity: seen.append(activity.readiness))
    controller.change_engine(FakeEngine)
    controller.stop()
    qtbot.waitUntil(lambda: engine.closed and controller.activity.readiness is Readiness.READY)
    assert Readiness.FAILED not in seen


def test_shutting_down_while_it_speaks_is_quick_and_closes_the_engine(
    engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller = SpeechController(lambda: engine, output, list_voices=list_voices)
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    assert controller.shut_down(PATIENCE_MS)
    assert not engine.hold.is_set()
    assert engine.closed


def test_that_the_processor_speaks_stays_said_until_the_next_request(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    seen = []
    controller.activity_changed.connect(seen.append)
    engine.fallbacks = {0: "It failed."}
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    assert any(
        activity.preparation and activity.preparation.title.startswith("The GPU failed") and activity.making
        for activity in seen
    )
    assert controller.activity.readiness is Readiness.READY
    assert controller.activity.fallback == "It failed."
    engine.fallbacks = {}
    controller.speak(SpeechRequest("Four.", "af_heart"))
    assert controller.activity.fallback == ""
    wait_made(qtbot, controller)
    assert controller.activity.fallback == ""


def test_that_the_processor_speaks_is_not_said_of_the_speech_after_the_one_that_was_given_up(
    controller: SpeechController, deaf_engine: FakeEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait, held = deaf_engine.hold.wait, threading.Event()

    def tell_and_wait(seconds: float) -> bool:
        held.set()
        return wait(seconds)

    monkeypatch.setattr(deaf_engine.hold, "wait", tell_and_wait)
    deaf_engine.fallbacks = {1: "It failed."}
    controller.speak(REQUEST)
    assert held.wait(PATIENCE_SECONDS)
    controller.speak(SpeechRequest("Other.", "af_heart"))
    deaf_engine.hold.set()
    wait_made(qtbot, controller)
    assert controller.track.whole
    assert controller.activity.fallback == ""


def heard_texts(controller: SpeechController) -> list[str]:
    """What of the text each utterance of the track is, by its place there."""
    spans = [segment.utterance for segment in controller.track.segments]
    return [controller.text[each.start : each.end] for each in spans]


def stop_after_one(controller: SpeechController, engine: FakeEngine, qtbot: QtBot) -> None:
    """Two sentences are not made when it stops."""
    engine.hold_from = 1
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: controller.track.length > 0)
    controller.stop()
    assert controller.track.partial


def test_after_a_stop_the_rest_is_made_where_it_was_left(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    stop_after_one(controller, engine, qtbot)
    engine.hold.set()
    toggle(controller)
    wait_made(qtbot, controller)
    assert engine.requests[1:] == [replace(REQUEST, start=len("One. "))]
    assert heard_texts(controller) == ["One.", "Two.", "Three."]
    assert [segment.utterance.index for segment in controller.track.segments] == [0, 1, 2]
    assert controller.track.planned.utterances == tuple(segment.utterance for segment in controller.track.segments)
    assert controller.track.whole
    assert controller.player.playback is Playback.PLAYING


def test_what_was_all_made_is_only_played_again(controller: SpeechController, engine: FakeEngine, qtbot: QtBot) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.stop()
    controller.go_on()
    assert controller.player.playback is Playback.PLAYING
    wait_for_the_engine(qtbot, controller)
    assert len(engine.requests) == 1


def test_a_part_is_spoken_and_known_by_its_place_in_the_text(controller: SpeechController, qtbot: QtBot) -> None:
    controller.speak(replace(REQUEST, start=5))
    wait_made(qtbot, controller)
    assert heard_texts(controller) == ["Two.", "Three."]
    controller.speak_from(10)
    wait_made(qtbot, controller)
    assert heard_texts(controller) == ["Three."]


def test_a_speed_is_heard_at_once_and_what_is_made_next_is_made_at_it(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    qtbot.waitUntil(lambda: bool(engine.requests))
    controller.adapt("af_heart", 1.5, 2.0)
    assert controller.player.speed == 1.5
    engine.hold.set()
    wait_made(qtbot, controller)
    assert engine.requests[1:] == [replace(REQUEST, speed=1.5, pause_scale=2.0)]
    assert heard_texts(controller) == ["One.", "Two.", "Three."]
    assert {segment.speed for segment in controller.track.segments} == {1.5}


def test_at_another_speed_what_is_made_already_stays(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.adapt("af_heart", 0.8, 1.0)
    wait_for_the_engine(qtbot, controller)
    assert len(engine.requests) == 1
    assert controller.player.speed == 0.8
    assert controller.track.whole


def test_another_voice_speaks_from_the_next_sentence_on(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    output.stream.pull(300)
    controller.player.tick()
    planned: list[int] = []
    controller.track_changed.connect(lambda track: planned.append(track.segment_count))
    controller.adapt("am_adam", 1.0, 1.0)
    assert planned == [1]
    assert controller.player.playback is Playback.PLAYING
    wait_made(qtbot, controller)
    assert engine.requests[1:] == [replace(REQUEST, voice="am_adam", start=5)]
    assert heard_texts(controller) == ["One.", "Two.", "Three."]
    while controller.player.playback is Playback.PLAYING:
        output.stream.pull(100)
        controller.player.tick()
    np.testing.assert_allclose(output.stream.heard(), controller.track.samples(), atol=1e-6)


def test_another_voice_in_the_last_sentence_waits_for_the_next_speech(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.player.seek(2100)
    controller.adapt("am_adam", 1.0, 1.0)
    wait_for_the_engine(qtbot, controller)
    assert len(engine.requests) == 1
    assert controller.track.whole


def test_a_speech_that_is_being_saved_goes_on_as_it_is(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.adapt("am_adam", 1.5, 1.0)
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert engine.requests == [REQUEST]
    assert controller.player.speed == 1.5
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ


def test_a_speech_of_two_voices_is_not_saved_as_that_of_one(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.adapt("am_adam", 1.0, 1.0)
    wait_made(qtbot, controller)
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "a.wav", REQUEST)
    assert engine.requests[-1] == REQUEST
    assert len(engine.requests) == 3


def test_a_voice_chosen_during_a_pause_speaks_when_it_goes_on(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    output.stream.pull(300)
    controller.player.tick()
    toggle(controller)
    controller.adapt("am_adam", 1.0, 1.0)
    wait_made(qtbot, controller)
    assert engine.requests[1:] == [replace(REQUEST, voice="am_adam", start=5)]
    assert (controller.player.playback, controller.player.position) == (Playback.PAUSED, 300)


def test_a_voice_chosen_after_a_stop_speaks_what_was_not_made(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    stop_after_one(controller, engine, qtbot)
    controller.adapt("am_adam", 1.0, 1.0)
    engine.hold.set()
    controller.go_on()
    wait_made(qtbot, controller)
    assert engine.requests[1:] == [replace(REQUEST, voice="am_adam", start=5)]


def test_what_a_text_is_taken_from_is_known_as_long_as_its_speech(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    book, other = object(), object()
    controller.speak(REQUEST, book)
    wait_made(qtbot, controller)
    controller.speak_from(5)
    wait_made(qtbot, controller)
    assert controller.source is book
    track = controller.track
    controller.speak(REQUEST, other)
    wait_made(qtbot, controller)
    assert controller.source is other
    controller.hear_again(REQUEST, track, book)
    assert controller.source is book
    engine.speak_error = NothingToSpeak("There is nothing.", "Type.")
    with qtbot.waitSignal(controller.failed):
        controller.speak(SpeechRequest("…", "af_heart"), other)
    assert controller.source is book
    engine.speak_error = None
    controller.speak(REQUEST)
    assert controller.source is None


@pytest.mark.parametrize("playing", [True, False])
def test_the_same_text_of_something_else_is_another_speech(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, playing: bool
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST, "a book")
    if not playing:
        controller.player.pause()
    track = controller.track
    controller.speak(REQUEST, "a note")
    assert controller.track is not track
    assert controller.source == "a note"
    engine.hold.set()


def test_no_speech_at_all_is_left_after_it_was_cleared(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot
) -> None:
    engine.hold_from = 1
    engine.hold.clear()
    controller.speak(REQUEST, "a book")
    qtbot.waitUntil(lambda: bool(output.streams) and output.stream.active)
    stream = output.stream
    with qtbot.waitSignals([controller.track_changed, controller.track_grew]):
        controller.clear()
    assert not stream.active
    assert controller.activity.idle
    assert (controller.request, controller.source, controller.text) == (None, None, "")
    assert (controller.track.length, controller.track.finished) == (0, True)
    engine.hold.set()
    wait_for_the_engine(qtbot, controller)
    assert controller.track.length == 0
    toggle(controller)
    assert controller.player.playback is Playback.STOPPED


def test_a_failure_after_it_was_cleared_brings_nothing_back(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    controller.speak(REQUEST)
    wait_made(qtbot, controller)
    controller.clear()
    engine.speak_error = NothingToSpeak("There is nothing.", "Type.")
    with qtbot.waitSignal(controller.failed):
        controller.speak(SpeechRequest("…", "af_heart"))
    assert controller.request is None
    assert controller.track.length == 0


def test_what_is_made_for_a_file_is_made_on_after_the_speech_was_cleared(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.speak(REQUEST)
    controller.save(tmp_path / "a.wav", REQUEST)
    controller.clear()
    with qtbot.waitSignal(controller.saved):
        engine.hold.set()
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ
    assert controller.request is None


def test_a_place_that_is_made_is_heard_and_what_was_stopped_made_on(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    stop_after_one(controller, engine, qtbot)
    assert not controller.hear_from(TEXT.index("Two"))
    assert controller.player.playback is Playback.STOPPED
    engine.hold.set()
    assert controller.hear_from(TEXT.index("One"))
    assert (controller.player.playback, controller.player.position) == (Playback.PLAYING, 0)
    wait_made(qtbot, controller)
    assert controller.track.whole
    assert controller.hear_from(TEXT.index("Three"))
    assert controller.player.position == 2 * RATE_HZ


def test_a_place_before_the_part_that_is_spoken_is_not_made(controller: SpeechController, qtbot: QtBot) -> None:
    assert not controller.hear_from(0)
    controller.speak(replace(REQUEST, start=5))
    wait_made(qtbot, controller)
    assert not controller.hear_from(0)
    assert controller.hear_from(5)


def test_a_short_file_does_not_wait_behind_a_book_and_both_are_told(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    told: list[object] = []
    controller.saved.connect(told.append)
    engine.hold_from = 1
    engine.hold.clear()
    controller.export(Order(LONG_BOOK, REQUEST, tmp_path / "book.wav"))
    qtbot.waitUntil(lambda: controller.activity.save is not None and controller.activity.save.step != "")
    with qtbot.waitSignal(controller.activity_changed) as changed:
        controller.save(tmp_path / "note.wav", SpeechRequest("Short.", "af_heart"))
    save = changed.args[0].save
    assert (save.name, save.waiting_count) == ("note.wav", 1)
    assert save.interrupted.name == "book.wav"
    assert save.interrupted.step
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert told == [tmp_path / "note.wav", tmp_path / "book.wav"]


def test_cancelling_leaves_the_short_file_unsaved_and_the_book_goes_on(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    engine.hold.clear()
    controller.export(Order(LONG_BOOK, REQUEST, tmp_path / "book.wav"))
    controller.save(tmp_path / "note.wav", SpeechRequest("Short.", "af_heart"))
    controller.saving.cancel()
    engine.hold.set()
    qtbot.waitUntil(lambda: not controller.activity.saving)
    assert [path.name for path in tmp_path.iterdir()] == ["book.wav"]


AHEAD_TEXT = " ".join(f"Sentence {number} is this." for number in range(8))
AHEAD = SpeechRequest(AHEAD_TEXT, "af_heart")


def place_of(number: int) -> int:
    return AHEAD_TEXT.index(f"Sentence {number}")


def place_heard(controller: SpeechController) -> int | None:
    segment = controller.track.segment_at(controller.player.position)
    return segment.utterance.start if segment is not None else None


def listen(controller: SpeechController, output: FakeOutput, samples: int) -> None:
    for _ in range(samples // 100):
        output.stream.pull(100)
        controller.player.tick()


@pytest.fixture
def ahead(controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot) -> AudioTrack:
    """The first sentence and the last two are made; it plays the last but one."""
    engine.hold_from = 1
    engine.hold.clear()
    controller.speak(AHEAD, "a book")
    qtbot.waitUntil(lambda: controller.track.length > 0)
    track = controller.track
    controller.speak_from(place_of(6))
    engine.hold.set()
    wait_made(qtbot, controller)
    listen(controller, output, 300)
    return track


def test_hearing_ahead_keeps_what_was_made_and_leaves_a_gap(
    controller: SpeechController, engine: FakeEngine, ahead: AudioTrack
) -> None:
    ((start, end),) = ahead.gaps
    assert controller.track is ahead
    assert (controller.request, controller.source) == (AHEAD, "a book")
    assert engine.requests == [AHEAD, replace(AHEAD, start=place_of(6))]
    assert heard_texts(controller) == [AHEAD_TEXT[place_of(number) :][:19] for number in (0, 6, 7)]
    assert controller.player.playback is Playback.PLAYING
    assert controller.player.position == end + 300
    assert place_heard(controller) == place_of(6)
    assert start == RATE_HZ


def test_the_start_can_be_reached_and_the_gap_is_made_when_it_is_played_into(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, ahead: AudioTrack
) -> None:
    engine.hold_from = 0
    engine.hold.clear()
    assert controller.hear_from(0)
    listen(controller, output, 900)
    assert not controller.activity.making
    listen(controller, output, 300)
    qtbot.waitUntil(lambda: len(engine.requests) > 2)
    assert engine.requests[2:] == [replace(AHEAD, start=place_of(1), end=place_of(6))]
    assert controller.activity.waiting
    engine.hold.set()
    qtbot.waitUntil(lambda: ahead.whole)
    assert ahead.gaps == ()
    assert heard_texts(controller) == [AHEAD_TEXT[place_of(number) :][:19] for number in range(8)]
    assert [segment.utterance.index for segment in ahead.segments] == list(range(8))
    while controller.player.playback is Playback.PLAYING:
        listen(controller, output, 100)
    heard = output.stream.heard()[-ahead.length :]
    np.testing.assert_allclose(heard, ahead.samples(), atol=1e-6)
    assert controller.heard_to_the_end


def test_what_is_heard_behind_a_gap_goes_on_while_the_gap_is_made(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, ahead: AudioTrack
) -> None:
    engine.hold_from = 0
    engine.hold.clear()
    controller.player.seek(ahead.gaps[0][0])
    assert controller.hear_from(place_of(7))
    listen(controller, output, 200)
    engine.hold.set()
    wait_made(qtbot, controller)
    assert ahead.whole
    place = ahead.segments[7].start
    assert controller.player.position == place + 200
    listen(controller, output, 200)
    np.testing.assert_allclose(output.stream.heard()[-400:], ahead.samples()[place:][:400], atol=1e-6)


def test_a_place_in_the_middle_of_a_gap_is_heard_at_once(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, ahead: AudioTrack
) -> None:
    start, end = ahead.gaps[0]
    controller.player.seek((start + end) // 2)
    qtbot.waitUntil(lambda: len(ahead.gaps) == 1 and not controller.activity.making)
    first = engine.requests[2].start
    assert place_of(2) < first < place_of(6)
    assert engine.requests[2:] == [replace(AHEAD, start=first, end=place_of(6))]
    listen(controller, output, 200)
    assert place_heard(controller) == first
    assert ahead.gaps[0][0] == start


def test_after_a_failure_in_a_gap_it_is_made_when_it_is_played_again(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, ahead: AudioTrack
) -> None:
    engine.speak_error = CompileError("No.", "Do.")
    with qtbot.waitSignal(controller.speech_failed):
        controller.player.seek(ahead.gaps[0][0])
    wait_for_the_engine(qtbot, controller)
    assert len(engine.requests) == 3
    assert controller.player.playback is Playback.PAUSED
    engine.speak_error = None
    toggle(controller)
    qtbot.waitUntil(lambda: ahead.whole)


def test_a_gap_in_which_nothing_has_a_sound_closes(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, ahead: AudioTrack
) -> None:
    failures: list[Exception] = []
    controller.failed.connect(failures.append)
    engine.speak_error = NothingToSpeak("There is nothing.", "Type.")
    controller.player.seek(ahead.gaps[0][0])
    qtbot.waitUntil(lambda: ahead.gaps == ())
    listen(controller, output, 200)
    assert controller.player.playback is Playback.PLAYING
    assert not failures


def test_after_a_stop_in_a_gap_the_gap_is_made_on(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, ahead: AudioTrack
) -> None:
    engine.hold_from = 1
    engine.hold.clear()
    controller.player.seek(ahead.gaps[0][0])
    qtbot.waitUntil(lambda: ahead.segment_count == 4)
    controller.stop()
    engine.hold.set()
    wait_for_the_engine(qtbot, controller)
    assert ahead.partial
    controller.player.seek(0)
    controller.go_on()
    wait_made(qtbot, controller)
    assert len(ahead.gaps) == 1  # it is not wanted yet
    controller.player.seek(ahead.gaps[0][0])
    qtbot.waitUntil(lambda: ahead.whole)


def test_speech_with_a_gap_is_not_all_of_its_request(
    controller: SpeechController, qtbot: QtBot, tmp_path: Path, ahead: AudioTrack
) -> None:
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "a.wav", AHEAD)
    assert soundfile.info(tmp_path / "a.wav").frames == 8 * RATE_HZ


def test_another_voice_ahead_of_a_gap_makes_all_that_is_behind_anew(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot, ahead: AudioTrack
) -> None:
    controller.hear_from(0)
    controller.adapt("am_adam", 1.0, 1.0)
    wait_made(qtbot, controller)
    assert engine.requests[-1] == replace(AHEAD, voice="am_adam", start=place_of(1))
    assert ahead.whole


def test_the_end_is_the_end_though_a_gap_is_still_being_made(
    controller: SpeechController, engine: FakeEngine, output: FakeOutput, qtbot: QtBot, ahead: AudioTrack
) -> None:
    engine.hold_from = 0
    engine.hold.clear()
    controller.player.seek(ahead.gaps[0][0])
    qtbot.waitUntil(lambda: len(engine.requests) == 3)
    assert controller.hear_from(place_of(7))
    listen(controller, output, 1200)
    qtbot.waitUntil(lambda: listen(controller, output, 100) or controller.player.playback is Playback.STOPPED)
    assert not controller.heard_to_the_end
    engine.hold.set()
    wait_made(qtbot, controller)
    assert len(engine.requests) == 3
    assert heard_texts(controller) == [AHEAD_TEXT[place_of(number) :][:19] for number in range(8)]


def test_a_gap_and_then_the_end_are_made_one_after_the_other(
    controller: SpeechController, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold_from = 1
    engine.hold.clear()
    controller.speak(AHEAD)
    qtbot.waitUntil(lambda: controller.track.length > 0)
    track = controller.track
    controller.speak_from(place_of(5))
    qtbot.waitUntil(lambda: track.segment_count == 2)
    controller.player.seek(track.gaps[0][0])
    engine.hold.set()
    qtbot.waitUntil(lambda: track.whole)
    assert [(request.start, request.end) for request in engine.requests[2:]] == [
        (place_of(1), place_of(5)),
        (place_of(6), None),
    ]
    assert heard_texts(controller) == [AHEAD_TEXT[place_of(number) :][:19] for number in range(8)]
    assert controller.player.playback is Playback.PLAYING
