from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.audio.track import AudioTrack
from app.messages import MAKING_PART
from app.read_along.feature import ADAPT_AFTER_MS
from app.reading.opener import OpenedDocument
from app.speech.voice_choice import VoiceChoice
from engine.speech import Plan, SpeechRequest
from engine.text.documents import Chapter, Document
from tests.app.fakes import FakeEngine, chunk_of, utterances_of
from tests.app.test_main_window import TEXT, Desk


class Room(Desk):
    """A window whose controls affect the current speech."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder)
        self.header = self.page.header

    def cursor_at(self, words: str) -> None:
        start = self.page.editor.text.index(words)
        self.page.editor.select(start, start)

    def speak(self) -> None:
        self.prepare()
        super().speak()

    def begin(self) -> None:
        """Generate the first sentence, and none after it until the engine resumes."""
        self.prepare()
        self.engine.hold_from = 1
        self.engine.hold.clear()
        self.window.play()
        self.qtbot.waitUntil(lambda: self.controller.track.length > 0)


@pytest.fixture
def room(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Room]:
    room = Room(qtbot, qapp, tmp_path)
    yield room
    room.close()


def test_a_new_speed_applies_immediately(room: Room) -> None:
    room.speak()
    room.header.speed.set_speed(1.5)
    assert room.controller.player.speed == 1.5


def test_pending_speech_is_generated_at_the_latest_speed_and_pauses(room: Room) -> None:
    room.begin()
    for speed in (1.1, 1.2, 1.3):
        room.header.speed.set_speed(speed)
    room.header.pauses.set_pause_scale(0.5)
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.engine.hold.set()
    room.wait_made()
    (_, rest) = room.engine.requests
    assert (rest.speed, rest.pause_scale, rest.part) == (1.3, 0.5, "Two 🙂. Three.")


def test_a_voice_chosen_while_it_speaks_speaks_from_the_next_sentence(room: Room) -> None:
    room.speak()
    room.hear(300)
    room.header.voices.ask_for(VoiceChoice("am_adam", None))
    room.header.voices.voice_chosen.emit(VoiceChoice("am_adam", "starter"))
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.wait_made()
    assert (room.engine.requests[1].voice, room.engine.requests[1].part) == ("am_adam", "Two 🙂. Three.")
    room.hear(1000)
    assert room.marked == ["Two 🙂."]


def test_a_voice_chosen_again_after_a_stop_replaces_a_different_one(room: Room) -> None:
    room.speak()
    room.hear(300)
    room.header.voices.choose_voice(VoiceChoice("am_adam", "starter"))
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.wait_made()
    room.hear(1000)
    room.window.menu.stop.trigger()
    room.header.voices.choose_voice(VoiceChoice("af_heart", "starter"))
    room.window.play()
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 3)
    assert (room.engine.requests[2].voice, room.engine.requests[2].part) == ("af_heart", "Two 🙂. Three.")


def test_stopped_speech_continues_with_the_model_in_use(room: Room) -> None:
    room.speak()
    room.hear(1300)
    room.window.menu.stop.trigger()
    following = FakeEngine()
    room.controller.change_engine(lambda: following)
    room.window.play()
    room.qtbot.waitUntil(lambda: len(following.requests) == 1)
    assert following.requests[0].part == "Two 🙂. Three."


def test_other_audio_is_not_adapted_to_settings_chosen_just_before(room: Room) -> None:
    room.speak()
    track = AudioTrack()
    track.plan(Plan(utterances_of("Four. Five.")))
    for utterance in track.planned.utterances:
        track.append(chunk_of(utterance, 2))
    track.finish()
    room.header.speed.set_speed(1.5)
    room.window.reading.play_item("An item", SpeechRequest("Four. Five.", "am_adam"), track)
    room.qtbot.wait(2 * ADAPT_AFTER_MS)
    assert track.whole
    assert len(room.engine.requests) == 1


def test_a_just_chosen_voice_speaks_from_a_newly_requested_position(room: Room) -> None:
    room.begin()
    room.header.voices.choose_voice(VoiceChoice("am_adam", "starter"))
    room.page.player.waveform.unmade_requested.emit(room.controller.track.expected_length() - 10)
    room.engine.hold.set()
    room.wait_made()
    assert (room.engine.requests[-1].voice, room.engine.requests[-1].part) == ("am_adam", "Three.")


def test_speak_from_here_starts_with_the_cursors_sentence(room: Room) -> None:
    room.prepare()
    room.cursor_at("hree")
    room.window.menu.speak_from_here.trigger()
    room.wait_made()
    assert room.engine.requests[0].part == "Three."
    assert room.engine.requests[0].text == TEXT


def test_the_context_menu_speaks_from_where_it_was_opened(room: Room) -> None:
    room.prepare()
    edit = room.page.editor.edit
    place = edit.cursorRect(edit.document().find("🙂")).center()
    edit.customContextMenuRequested.emit(QPoint(place))
    (menu,) = (each for each in edit.findChildren(QMenu) if each.isVisible())
    titles = [action.text() for action in menu.actions()]
    assert titles[0] == "Play from Here"
    assert any("Copy" in title for title in titles)
    menu.actions()[0].trigger()
    menu.close()
    room.wait_made()
    assert room.engine.requests[0].part == "Two 🙂. Three."


def test_a_book_sentence_can_be_played_or_shaped_from_its_context_menu(room: Room, tmp_path: Path) -> None:
    room.prepare()
    path = tmp_path / "book.epub"
    book = Document("Book", "", "", (Chapter("One", "One chapter. Its second sentence."),))
    room.window.reading.open(OpenedDocument(path, "digest", book))
    room.page.book.show_chapter(book.chapters[0], lambda name: None)
    room.page.show_view(room.page.book)
    edit, asked = room.page.book.edit, []
    room.read_along.shape_requested.connect(asked.append)
    place = edit.cursorRect(edit.document().find("second")).center()
    edit.customContextMenuRequested.emit(QPoint(place))
    (menu,) = (each for each in edit.findChildren(QMenu) if each.isVisible())
    here, shape = menu.actions()[:2]
    assert (here.text(), shape.text()) == ("Play from Here", "Shape This Sentence…")
    shape.trigger()
    assert [abs(character - book.text.index("second")) <= len("second") for character in asked] == [True]
    here.trigger()
    menu.close()
    room.wait_made()
    assert room.engine.requests[0].part == "Its second sentence."


def test_clicking_the_waveform_beyond_the_generated_part_speaks_from_there(room: Room) -> None:
    room.begin()
    waveform = room.page.player.waveform
    waveform.unmade_requested.emit(room.controller.track.expected_length() - 10)
    room.engine.hold.set()
    room.wait_made()
    assert room.engine.requests[-1].part == "Three."
    assert room.page.status.label.text() == MAKING_PART


def test_pauses_have_keys(room: Room) -> None:
    menu = room.window.menu
    for action, pauses in ((menu.longer_pauses, 1.5), (menu.shorter_pauses, 1.0), (menu.longer_pauses, 1.5)):
        action.trigger()
        assert room.header.pauses.pause_scale == pauses
    menu.normal_pauses.trigger()
    assert room.header.pauses.pause_scale == 1.0


def test_playback_requested_before_voices_are_known_starts_at_its_position(room: Room) -> None:
    room.cursor_at("🙂")
    room.window.menu.speak_from_here.trigger()
    room.prepare()
    room.qtbot.waitUntil(lambda: bool(room.engine.requests))
    assert room.engine.requests[0].part == "Two 🙂. Three."


def test_an_item_keeps_its_voice_until_a_different_one_is_chosen(room: Room) -> None:
    room.prepare()
    room.engine.hold_from = 1
    room.engine.hold.clear()
    room.window.reading.play_item("An item", SpeechRequest("Four. Five. Six.", "am_adam"))
    room.qtbot.waitUntil(lambda: room.controller.track.length > 0)
    room.header.speed.set_speed(1.5)
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert (room.engine.requests[-1].voice, room.engine.requests[-1].speed) == ("am_adam", 1.5)
    room.header.voices.choose_voice(VoiceChoice("bm_george", "starter"))
    room.qtbot.waitUntil(lambda: len(room.engine.requests) == 3)
    assert room.engine.requests[-1].voice == "bm_george"
    room.engine.hold.set()
