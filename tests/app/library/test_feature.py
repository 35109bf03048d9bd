import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.audio.output import NoAudioDevice
from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.library.database import FILE
from app.library.feature import Recorder
from app.library.queue_runner import CANCELED
from app.library.records import QueueJob
from app.library.sounds import read_track
from app.messages import MessageTopic
from app.speech.controller import SpeechController
from app.speech.voice_choice import VoiceChoice
from engine.errors import CompileError
from engine.speech import SpeechRequest, UtteranceEdit
from engine.text.documents import Chapter, Document
from tests.app.fakes import RATE_HZ, FakeEngine, FakeOutput, list_voices
from tests.app.library.example_library import MODEL, request, samples_16_bits, track_of
from tests.app.library.room import Room
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS

TEXT = "One, 🙂 one. Two."


@pytest.fixture
def room(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Room]:
    room = Room(qtbot, qapp, tmp_path)
    yield room
    room.close()


def again(room: Room, qapp: QApplication) -> Room:
    """Restart the room."""
    room.close()
    room.window.close()
    return Room(room.qtbot, qapp, room.folder)


def test_an_entry_plays_again_after_a_restart_without_being_generated_again(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    room = Room(qtbot, qapp, tmp_path)
    room.speak(TEXT)
    samples = samples_16_bits(room.speech.track).astype(np.float32)
    room = again(room, qapp)
    qtbot.waitUntil(lambda: len(room.entries) == 1)
    room.type("New text.")
    room.feature.history.hear_requested.emit(room.entries[0])
    qtbot.waitUntil(lambda: room.speech.player.playback is Playback.PLAYING)
    np.testing.assert_array_equal(room.speech.track.samples(), samples)
    assert room.engine.requests == []
    assert room.window.page.editor.text == "New text."
    assert room.window.reading.spoken is not None
    assert room.window.reading.spoken.title == TEXT
    room.output.stream.pull(RATE_HZ + 100)
    room.speech.player.tick()
    assert not room.window.page.editor.edit.extraSelections()
    assert len(room.entries) == 1
    room.close()


def test_a_window_that_is_not_in_charge_leaves_the_queue_alone(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    room = Room(qtbot, qapp, tmp_path)
    room.feature.runner.halt()
    room.feature.library.add(QueueJob(SpeechRequest(TEXT, "af_heart"), MODEL, tmp_path / "a.wav"))
    qtbot.waitUntil(lambda: len(room.items) == 1)
    room.close()
    room.window.close()
    guest = Room(qtbot, qapp, room.folder, in_charge=False)
    qtbot.waitUntil(lambda: len(guest.items) == 1)
    assert guest.speech.saving.progress is None
    assert guest.states() == [(TEXT, "waiting")]
    guest.close()


def test_new_speech_continues_when_an_earlier_replay_request_loads_late(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def read_slowly(sound: Path, marks: str) -> AudioTrack:
        assert go_on.wait(PATIENCE_SECONDS)
        return read_track(sound, marks)

    monkeypatch.setattr("app.library.sounds.read_track", read_slowly)
    room.speak("One.")
    room.feature.history.hear_requested.emit(room.entries[0])
    room.speak("Two.")
    assert room.speech.text == "Two."
    with room.qtbot.waitSignal(room.feature.library.recalled):
        go_on.set()
    assert room.speech.text == "Two."
    assert room.window.page.editor.text == "Two."


def test_an_unsaved_entry_is_generated_again_with_its_voice_and_speed(room: Room) -> None:
    room.window.page.header.speed.set_speed(1.5)
    room.voices.choose_voice(VoiceChoice("bm_george", "kokoro-82m"))
    room.speak("One.")
    room.feature.history.limit_chosen.emit(0)
    room.qtbot.waitUntil(lambda: not room.entries[0].kept_bytes)
    room.window.page.header.speed.set_speed(1.0)
    room.voices.choose_voice(VoiceChoice("am_adam", "starter"))
    room.feature.history.hear_requested.emit(room.entries[0])
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert room.engine.requests[0] == room.engine.requests[1]
    assert room.voices.choice == VoiceChoice("bm_george", "kokoro-82m")
    assert room.settings.kept_megabytes == 0


def test_the_text_of_an_entry_can_be_edited(room: Room) -> None:
    room.speak("One.")
    room.type("Two.")
    room.feature.history.open_requested.emit(room.entries[0])
    room.qtbot.waitUntil(lambda: room.window.page.editor.text == "One.")
    room.window.menu.recent_menu.aboutToShow.emit()
    assert "Two." in [each.data() for each in room.window.menu.recent_menu.actions()]


def test_a_damaged_sound_is_reported_and_generated_again(room: Room) -> None:
    room.speak("One.")
    (sound,) = (room.folder / "library" / "sounds").iterdir()
    sound.write_bytes(b"damaged")
    room.type("Two.")
    room.feature.history.hear_requested.emit(room.entries[0])
    room.qtbot.waitUntil(lambda: room.window.page.banner.message is not None)
    assert room.window.page.editor.text == "Two."
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert room.engine.requests[1].text == "One."


def test_an_entry_is_starred_deleted_and_brought_back_with_the_keyboard(room: Room) -> None:
    room.speak("One.")
    room.speak("Two.")
    panel = room.feature.history
    panel.entries.setCurrentIndex(panel.entries.model().index(1, 0))
    panel.star.trigger()
    room.qtbot.waitUntil(lambda: room.entries[1].starred)
    assert panel.star.text() == "Unstar"
    panel.delete.trigger()
    room.qtbot.waitUntil(lambda: len(room.entries) == 1)
    panel.deleted.button.click()
    room.qtbot.waitUntil(lambda: len(room.entries) == 2)


def test_a_damaged_history_is_reported_in_the_banner(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / FILE).write_bytes(b"damaged" * 1000)
    room = Room(qtbot, qapp, tmp_path)
    qtbot.waitUntil(lambda: room.window.page.banner.message is not None)
    assert "have been reset" in room.window.page.banner.label.text()
    room.speak("One.")
    room.close()


def test_queued_texts_play_one_after_the_other(room: Room) -> None:
    for text in ("One.", "Two."):
        room.type(text)
        room.window.menu.add_to_queue.trigger()
    room.type("Typed meanwhile.")
    room.wait_for(("One.", "working"), ("Two.", "waiting"))
    room.hear_out()
    room.wait_for(("One.", "done"), ("Two.", "working"))
    room.hear_out()
    room.wait_for(("One.", "done"), ("Two.", "done"))
    assert room.window.page.editor.text == "Typed meanwhile."


def test_audio_that_the_user_started_is_not_interrupted(room: Room) -> None:
    room.speak("Mine.")
    room.line_up("Later.")
    room.wait_for(("Later.", "waiting"))
    room.hear_out()
    room.wait_for(("Later.", "working"))


def test_stop_puts_it_back_and_halts_the_queue(room: Room) -> None:
    room.type("One.")
    room.feature.add_to_queue()
    room.wait_for(("One.", "working"))
    room.window.menu.stop.trigger()
    room.wait_for(("One.", "waiting"))
    assert room.feature.queue.play.text() == "Play Queue"
    room.feature.queue.play.trigger()
    room.wait_for(("One.", "working"))


def test_a_failure_elsewhere_does_not_end_the_item_playing(room: Room) -> None:
    for text in ("One. One.", "Two."):
        room.type(text)
        room.feature.add_to_queue()
    room.wait_for(("One. One.", "working"), ("Two.", "waiting"))
    room.speech.save(room.folder / "nowhere" / "a.wav", room.window.request)
    room.qtbot.waitUntil(lambda: room.window.page.banner.message is not None)
    room.qtbot.wait_for_timers()
    with room.qtbot.waitSignal(room.feature.library.history_listed):  # after all pending writes
        room.feature.library.look_for("")
    assert room.states() == [("One. One.", "working"), ("Two.", "waiting")]


def test_queued_texts_wait_for_a_device(room: Room) -> None:
    room.output.error = NoAudioDevice()
    for text in ("One.", "Two."):
        room.type(text)
        room.feature.add_to_queue()
    room.qtbot.waitUntil(lambda: not room.feature.runner.playing)
    room.wait_for(("One.", "waiting"), ("Two.", "waiting"))
    assert room.window.page.banner.message.topic is MessageTopic.SOUND
    room.output.error = None
    room.feature.queue.play.trigger()
    room.wait_for(("One.", "working"), ("Two.", "waiting"))
    room.hear_out()
    room.wait_for(("One.", "done"), ("Two.", "working"))


def test_an_item_continues_after_its_device_was_lost(room: Room) -> None:
    room.type("One. Two.")
    room.feature.add_to_queue()
    room.qtbot.waitUntil(lambda: room.speech.track.whole)
    room.output.stream.pull(RATE_HZ // 2)
    room.output.stream.active = False
    room.speech.player.tick()
    room.qtbot.wait_for_timers()
    room.window.page.banner.button.click()
    room.wait_for(("One. Two.", "working"))
    room.hear_out()
    room.wait_for(("One. Two.", "done"))


def test_files_are_generated_in_turn(room: Room) -> None:
    for name in ("a.wav", "b.flac"):
        room.type(f"For {name}")
        room.feature.save_to(room.folder / name)
    room.wait_for(("For a.wav", "done"), ("For b.flac", "done"))
    assert (room.folder / "a.wav").exists()
    assert (room.folder / "b.flac").exists()


def test_a_file_has_the_text_from_when_the_user_requested_it(room: Room) -> None:
    room.type("Asked for.")
    room.window.menu.queue_file.trigger()
    room.type("From elsewhere.")
    room.window.findChild(QFileDialog).fileSelected.emit(str(room.folder / "a.wav"))
    room.wait_for(("Asked for.", "done"))


def test_a_file_of_a_different_model_is_generated_by_its_engine(room: Room) -> None:
    room.voices.choose_voice(VoiceChoice("bm_george", "kokoro-82m"))
    room.type("One.")
    room.engine.hold.clear()
    room.feature.save_to(room.folder / "a.wav")
    room.feature.save_to(room.folder / "b.wav")
    room.wait_for(("One.", "working"), ("One.", "waiting"))
    room.voices.choose_voice(VoiceChoice("am_adam", "starter"))
    room.engine.hold.set()
    room.wait_for(("One.", "done"), ("One.", "done"))
    assert [request.voice for request in room.other.requests] == ["bm_george"]
    assert (room.folder / "b.wav").exists()


def test_a_document_is_saved_and_heard(room: Room) -> None:
    document = room.folder / "story.md"
    document.write_text("# One\n\nFirst.\n\n# Two\n\nSecond.")
    room.feature.add_document(document, room.folder / "story.flac")
    room.wait_for(("story.md", "done"))
    assert (room.folder / "story.flac").exists()
    room.feature.add_document(document)
    room.qtbot.waitUntil(lambda: room.speech.text.startswith("One") and "Second." in room.speech.text)
    room.hear_out()
    room.wait_for(("story.md", "done"), ("story.md", "done"))


def test_front_and_back_matter_of_a_document_are_left_out(room: Room) -> None:
    document = room.folder / "story.md"
    document.write_text("# Contents\n\nOne.\n\n# One\n\nFirst.\n\n# Index\n\nFirst, last.")
    room.feature.add_document(document)
    room.qtbot.waitUntil(lambda: room.speech.text == "One\n\nFirst.")


def test_a_queued_document_plays_and_is_saved_with_its_edits(room: Room) -> None:
    def edits_of(text: str) -> tuple[UtteranceEdit, ...]:
        start = text.find("Second.")
        return (UtteranceEdit(start, "Second.", gain_db=-6.0),) if start >= 0 else ()

    room.window.reading.edits_of = edits_of
    document = room.folder / "story.md"
    document.write_text("# One\n\nFirst.\n\n# Two\n\nSecond.")
    room.feature.add_document(document, room.folder / "story.flac")
    room.wait_for(("story.md", "done"))
    room.feature.add_document(document)
    room.qtbot.waitUntil(lambda: "First." in room.speech.text)
    room.qtbot.waitUntil(lambda: "First." in room.engine.requests[-1].text)
    edited = [spoken for spoken in room.engine.requests if spoken.edits]
    assert len(edited) == 2
    assert all(spoken.text[each.start :] == "Second." for spoken in edited for each in spoken.edits)


class SlowDocument:
    """A document whose reading waits for the test; its reader ignores cancellation."""

    def __init__(self, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = room.folder / "story.md"
        self.begun, self.go_on = threading.Event(), threading.Event()
        monkeypatch.setattr("app.library.queue_executor.read_document", self._read)

    def _read(self, path: Path, cancel: threading.Event) -> Document:
        self.begun.set()
        assert self.go_on.wait(PATIENCE_SECONDS)
        return Document("Story", "", "", (Chapter("", "From the document."),))


def test_a_document_that_loads_late_does_not_interrupt_the_user(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    document = SlowDocument(room, monkeypatch)
    room.feature.add_document(document.path)
    room.qtbot.waitUntil(document.begun.is_set)
    room.speak("Mine.")
    document.go_on.set()
    room.wait_for(("story.md", "waiting"))
    assert room.speech.text == "Mine."
    assert room.speech.player.playback is Playback.PLAYING
    assert room.feature.queue.play.text() == "Play Queue"


def test_a_document_that_loads_late_is_not_played_by_a_different_model(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = SlowDocument(room, monkeypatch)
    room.voices.choose_voice(VoiceChoice("am_adam", "starter"))
    room.feature.add_document(document.path)
    room.qtbot.waitUntil(document.begun.is_set)
    room.voices.choose_voice(VoiceChoice("bm_george", "kokoro-82m"))
    document.go_on.set()
    room.wait_for(("story.md", "waiting"))
    assert room.engine.requests == []


def test_a_document_loaded_while_the_queue_is_paused_does_not_play(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    document = SlowDocument(room, monkeypatch)
    room.feature.add_document(document.path)
    room.qtbot.waitUntil(document.begun.is_set)
    room.feature.queue.play_requested.emit(False)
    document.go_on.set()
    room.wait_for(("story.md", "waiting"))
    assert room.engine.requests == []


def test_a_document_plays_when_the_queue_resumes_before_loading_ends(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = SlowDocument(room, monkeypatch)
    room.feature.add_document(document.path)
    room.qtbot.waitUntil(document.begun.is_set)
    room.feature.queue.play_requested.emit(False)
    room.feature.queue.play_requested.emit(True)
    document.go_on.set()
    room.qtbot.waitUntil(lambda: room.speech.text == "From the document.")
    room.wait_for(("story.md", "working"))


@pytest.mark.parametrize("target", [None, "story.flac"])
def test_an_item_canceled_while_its_document_loads_does_not_begin(
    room: Room, monkeypatch: pytest.MonkeyPatch, target: str | None
) -> None:
    document = SlowDocument(room, monkeypatch)
    room.feature.add_document(document.path, room.folder / target if target else None)
    room.qtbot.waitUntil(document.begun.is_set)
    room.feature.queue.cancel_requested.emit(room.items[0])
    document.go_on.set()
    room.wait_for(("story.md", "failed"))
    assert room.engine.requests == []


def test_a_document_that_cannot_be_read_fails_with_its_reason(room: Room) -> None:
    room.feature.add_document(room.folder / "gone.epub", room.folder / "a.m4b")
    room.wait_for(("gone.epub", "failed"))
    assert "gone.epub" in room.items[0].message


def test_a_failure_is_reported_in_its_row_and_can_be_retried(room: Room) -> None:
    (room.folder / "new").mkdir()
    room.type("One.")
    room.feature.save_to(room.folder / "new" / "a.wav")
    (room.folder / "new").rmdir()
    room.wait_for(("One.", "failed"))
    assert str(room.folder / "new") in room.items[0].message
    (room.folder / "new").mkdir()
    room.feature.queue.items.setCurrentIndex(room.feature.queue.items.model().index(0, 0))
    room.feature.queue.retry.trigger()
    room.wait_for(("One.", "done"))


def test_a_name_that_is_no_format_is_refused_at_once(room: Room) -> None:
    room.type("One.")
    room.feature.save_to(room.folder / "a.doc")
    assert "Use a file name" in room.window.page.banner.label.text()
    assert room.items == ()


def test_a_file_being_generated_can_be_canceled_and_removed(room: Room) -> None:
    room.engine.hold.clear()
    for number, text in enumerate(("One.", "Two.")):
        room.type(text)
        room.feature.save_to(room.folder / f"{number}.wav")
    room.wait_for(("One.", "working"), ("Two.", "waiting"))
    room.feature.queue.cancel_requested.emit(room.items[0])
    room.wait_for(("One.", "failed"), ("Two.", "working"))
    assert room.items[0].message == CANCELED
    room.feature.queue.remove_requested.emit(room.items[1])
    room.wait_for(("One.", "failed"))
    room.engine.hold.set()
    room.qtbot.waitUntil(lambda: room.speech.activity.idle)
    assert not list(room.folder.glob("*.wav"))


def test_after_a_restart_files_continue_and_items_to_hear_wait_for_play(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    room = Room(qtbot, qapp, tmp_path)
    room.engine.hold.clear()
    room.type("Heard.")
    room.feature.add_to_queue()
    room.wait_for(("Heard.", "working"))
    room.type("Saved.")
    room.feature.save_to(tmp_path / "a.wav")
    room.wait_for(("Heard.", "working"), ("Saved.", "working"))
    room = again(room, qapp)
    room.wait_for(("Heard.", "waiting"), ("Saved.", "done"))
    assert "Play Queue" in room.feature.queue.note.text()
    room.close()


def test_an_item_of_a_different_model_waits_for_it_and_says_so(room: Room) -> None:
    room.voices.choose_voice(VoiceChoice("bm_george", "kokoro-82m"))
    room.speak("Mine.")
    room.line_up("One.")
    room.wait_for(("One.", "waiting"))
    room.voices.choose_voice(VoiceChoice("am_adam", "starter"))
    room.hear_out()
    room.qtbot.waitUntil(lambda: "need Kokoro-82M" in room.feature.queue.note.text())
    assert room.states() == [("One.", "waiting")]
    room.voices.choose_voice(VoiceChoice("bm_george", "kokoro-82m"))
    room.wait_for(("One.", "working"))


class Notes:
    """A fake library that records calls."""

    def __init__(self) -> None:
        self.begun: list[tuple[SpeechRequest, str]] = []
        self.kept: list[tuple[str, int]] = []

    def add_entry(self, request: SpeechRequest, model: str) -> None:
        self.begun.append((request, model))

    def save_audio(self, request: SpeechRequest, model: str, track: object) -> None:
        self.kept.append((request.text, track.segment_count))  # type: ignore[attr-defined]


class Desk:
    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot, self.engine, self.notes = qtbot, FakeEngine(), Notes()
        self.speech = SpeechController(lambda: self.engine, FakeOutput(), list_voices=list_voices)
        self.owner = QObject()
        self.recorder = Recorder(self.speech, self.notes, lambda: MODEL, self.owner)  # type: ignore[arg-type]


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    assert desk.speech.shut_down(PATIENCE_MS)


def test_speech_is_entered_when_it_begins_and_saved_when_it_is_generated(desk: Desk) -> None:
    desk.engine.hold.clear()
    desk.speech.speak(request("One. Two."))
    assert desk.notes.begun == [(request("One. Two."), MODEL)]
    assert desk.notes.kept == []
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 2)])


def test_audio_generated_before_a_stop_is_saved(desk: Desk) -> None:
    desk.engine.speak_error, desk.engine.fails_after = CompileError("No."), 1
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1)])


def test_speech_that_continues_after_a_stop_is_saved_again(desk: Desk) -> None:
    desk.engine.speak_error, desk.engine.fails_after = CompileError("No."), 1
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1)])
    desk.engine.speak_error = None
    desk.speech.go_on()
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1), ("One. Two.", 2)])
    assert len(desk.notes.begun) == 1


def test_replayed_speech_is_not_entered_or_saved_again(desk: Desk) -> None:
    desk.speech.hear_again(request("One."), track_of("One."))
    desk.speech.stop()
    assert desk.notes.begun == []
    assert desk.notes.kept == []


def test_audio_continued_by_a_different_voice_is_not_saved(desk: Desk) -> None:
    desk.speech.hear_again(request("One. Two. Three."), track_of("One. Two. Three."))
    desk.speech.adapt("am_adam", 1.25, 1.0)
    desk.qtbot.waitUntil(lambda: desk.speech.track.whole)
    desk.speech.stop()
    assert desk.notes.kept == []


def test_a_voice_chosen_after_a_stop_is_not_saved_under_the_first(desk: Desk) -> None:
    desk.engine.speak_error, desk.engine.fails_after = CompileError("No."), 1
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1)])
    desk.engine.speak_error = None
    desk.speech.stop()
    desk.speech.adapt("am_adam", 1.25, 1.0)
    desk.speech.go_on()
    desk.qtbot.waitUntil(lambda: desk.speech.track.whole)
    assert desk.notes.kept == [("One. Two.", 1)]


def test_speech_replaced_before_anything_is_generated_has_no_sound(desk: Desk) -> None:
    desk.engine.hold.clear()
    desk.speech.speak(request("One."))
    desk.speech.speak(request("Two."))
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("Two.", 1)])
    assert [each.text for each, _ in desk.notes.begun] == ["One.", "Two."]


def test_replaced_speech_saves_the_audio_already_generated(desk: Desk) -> None:
    desk.engine.hold_from = 1
    desk.engine.hold.clear()
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.speech.track.length > 0)
    desk.speech.speak(request("Three."))
    assert desk.notes.kept == [("One. Two.", 1)]
    desk.engine.hold.set()


def test_a_preview_is_not_entered(desk: Desk) -> None:
    with desk.qtbot.waitSignal(desk.speech.activity_changed, check_params_cb=lambda activity: activity.previewing):
        desk.speech.preview(request("A sample."))
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    assert desk.notes.begun == []
    assert np.size(desk.notes.kept) == 0
