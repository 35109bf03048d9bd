import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.audio.output import AudioDeviceLost, NoAudioDevice
from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.closing import CLOSE_ANYWAY, CLOSE_WHEN_SAVED, STOP_SAVING
from app.messages import MessageAction, MessageTopic
from app.read_along.feature import ReadAlongFeature
from app.theme import DARK, Appearance, colors
from engine.errors import CompileError, DamagedFile, NothingToSpeak, OutputError, UnusableDocument
from engine.speech import Notice, SpeechRequest
from tests.app.fakes import RATE_HZ, chunk_of, utterances_of
from tests.app.window_desk import WindowDesk

TEXT = "One. Two 🙂. Three."


class Desk(WindowDesk):
    """A desk with the read-along feature."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder, TEXT)
        self.read_along = ReadAlongFeature(self.window, self.controller, self.settings)
        self.show()

    def wait_for_the_engine(self) -> None:
        """Wait until nothing is running, and the engine's thread has finished all requests."""
        self.qtbot.waitUntil(lambda: self.controller.activity.idle)
        with self.qtbot.waitSignal(self.controller.voices_listed):
            self.controller.list_voices()


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.close()


def test_ctrl_return_speaks_and_escape_stops(desk: Desk, qtbot: QtBot) -> None:
    desk.prepare()
    qtbot.keyClick(desk.editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.wait_made()
    assert desk.controller.player.playback is Playback.PLAYING
    assert desk.page.header.speak_button.text() == "Pause"
    assert desk.page.header.stop_button.isVisible()
    assert desk.page.status.label.text() == "Playing"
    qtbot.keyClick(desk.editor.edit, Qt.Key.Key_Escape)
    assert desk.controller.player.playback is Playback.STOPPED
    assert desk.page.header.speak_button.text() == "Play"
    assert desk.page.header.stop_button.isHidden()
    assert desk.editor.text == TEXT


def test_one_button_speaks_pauses_and_resumes(desk: Desk) -> None:
    desk.prepare()
    button = desk.page.header.speak_button
    button.click()
    desk.wait_made()
    desk.hear(700)
    button.click()
    assert (desk.controller.player.playback, button.text()) == (Playback.PAUSED, "Play")
    assert desk.window.menu.stop.isEnabled()
    button.click()
    assert (desk.controller.player.playback, desk.controller.player.position) == (Playback.PLAYING, 700)
    desk.page.header.stop_button.click()
    assert (desk.controller.player.playback, button.text()) == (Playback.STOPPED, "Play")


def test_a_selection_is_spoken_and_marked_in_its_place(desk: Desk) -> None:
    desk.prepare()
    cursor = desk.editor.edit.document().find("Two 🙂. Three.")
    desk.editor.edit.setTextCursor(cursor)
    assert desk.page.header.speak_button.text() == "Speak Selection"
    assert desk.window.menu.play.text() == "Speak Selection"
    desk.page.header.speak_button.click()
    desk.wait_made()
    assert desk.engine.requests[0].part == "Two 🙂. Three."
    desk.hear(500)
    assert desk.marked == ["Two 🙂."]
    desk.editor.edit.setTextCursor(QTextCursor(desk.editor.edit.document()))
    desk.controller.stop()
    assert desk.page.header.speak_button.text() == "Play"


def test_pauses_are_remembered_and_asked_for(desk: Desk) -> None:
    desk.prepare()
    desk.page.header.pauses.set_pause_scale(2.5)
    assert desk.settings.pause_scale == 2.5
    desk.speak()
    assert desk.engine.requests[0].pause_scale == 2.5


def test_the_playing_sentence_is_marked_and_unmarked_at_the_end(desk: Desk) -> None:
    desk.prepare()
    desk.page.header.speak_button.click()
    desk.wait_made()
    desk.hear(1500)
    assert desk.marked == ["Two 🙂."]
    assert desk.page.status.label.text() == "Playing"
    desk.hear(2000)
    desk.qtbot.waitUntil(lambda: desk.page.status.label.text() == "Ready")
    assert not desk.editor.edit.extraSelections()


def test_speaking_again_scrolls_the_playing_text_back_into_view(desk: Desk) -> None:
    desk.editor.set_text("\n".join(f"Line {number}." for number in range(200)))
    desk.prepare()
    desk.speak()
    bar = desk.editor.edit.verticalScrollBar()
    bar.triggerAction(bar.SliderAction.SliderToMaximum)
    desk.hear(1500)
    assert bar.value() == bar.maximum()
    desk.window.reading.play_from(0)
    desk.wait_made()
    assert bar.value() < 10


def test_speech_waiting_for_a_voice_is_dropped_with_its_text(desk: Desk) -> None:
    desk.window.play()
    desk.editor.set_text("A new text, which is not played yet.")
    desk.prepare()
    assert not desk.engine.requests


def test_speech_waiting_for_a_voice_gives_way_to_audio_played_meanwhile(desk: Desk) -> None:
    track = AudioTrack()
    track.append(chunk_of(utterances_of("Kept.")[0], 1))
    track.finish()
    desk.window.play()
    desk.window.reading.play_item("Kept", SpeechRequest("Kept.", "af_heart"), track)
    desk.prepare()
    assert desk.controller.track is track
    assert not desk.engine.requests


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_blank_text_is_reported_in_the_window(desk: Desk, text: str) -> None:
    desk.editor.set_text(text)
    desk.window.play()
    message = desk.page.banner.message
    assert "text" in message.text
    assert not desk.engine.requests


def test_a_failure_is_shown_with_a_button_and_the_text_stays(desk: Desk, tmp_path: Path) -> None:
    desk.engine.prepare_error = DamagedFile(tmp_path, "The voice file is damaged.", "Install it again.")
    desk.controller.prepare()
    desk.qtbot.waitUntil(lambda: desk.page.banner.message is not None)
    assert desk.page.banner.label.text() == "The voice file is damaged. Install it again."
    assert desk.page.status.label.text() == "Not ready"
    assert desk.editor.text == TEXT
    desk.engine.prepare_error = None
    desk.page.banner.button.click()
    desk.qtbot.waitUntil(lambda: desk.page.status.label.text() == "Ready")


def test_the_unexpected_can_be_copied(desk: Desk) -> None:
    desk.prepare()
    desk.engine.speak_error = ZeroDivisionError("surprise")
    desk.window.play()
    desk.qtbot.waitUntil(lambda: desk.page.banner.message is not None)
    desk.page.banner.button.click()
    assert "ZeroDivisionError: surprise" in QGuiApplication.clipboard().text()


def test_a_failure_goes_when_the_next_speech_begins(desk: Desk) -> None:
    desk.prepare()
    desk.window.show_failure(CompileError("No.", "Do."))
    desk.window.play()
    assert desk.page.banner.message is None


def test_notices_are_shown_and_lead_to_their_place(desk: Desk) -> None:
    place = TEXT.index("🙂")
    desk.engine.notices = (Notice("The emoji was skipped.", place, place + 1),)
    desk.prepare()
    desk.speak()
    assert desk.page.banner.label.text() == "The emoji was skipped."
    desk.page.banner.button.click()
    assert desk.editor.edit.textCursor().selectedText() == "🙂"


def test_an_error_about_the_text_is_withdrawn_once_it_is_edited(desk: Desk) -> None:
    desk.window.show_failure(NothingToSpeak("There is nothing.", "Type."))
    assert desk.page.banner.message is not None
    desk.editor.edit.insertPlainText("A")
    assert desk.page.banner.message is None


def test_notices_go_when_the_text_is_edited(desk: Desk) -> None:
    desk.engine.notices = (Notice("The emoji was skipped.", 0, 1),)
    desk.prepare()
    desk.speak()
    assert desk.page.banner.message is not None
    desk.editor.set_text("New text.")
    assert desk.page.banner.message is None


def test_notices_that_come_after_the_text_was_edited_lead_nowhere(desk: Desk) -> None:
    desk.engine.notices = (Notice("The emoji was skipped.", 0, 1),)
    desk.prepare()
    desk.window.play()
    desk.editor.edit.insertPlainText("Typed while it was made. ")
    desk.wait_made()
    message = desk.page.banner.message
    assert message.action is None


def test_dismissed_notices_do_not_return_with_a_new_voice(desk: Desk) -> None:
    desk.engine.notices = (Notice("The emoji was skipped.", 0, 1),)
    desk.prepare()
    desk.speak()
    desk.page.banner.close_button.click()
    desk.hear(300)
    desk.controller.adapt("am_adam", 1.0, 1.0)
    desk.wait_made()
    assert len(desk.engine.requests) == 2
    assert desk.page.banner.message is None


def test_messages_unrelated_to_the_text_stay_when_it_is_edited(desk: Desk) -> None:
    desk.window.show_failure(CompileError("No.", "Do."))
    desk.editor.edit.insertPlainText("A")
    assert desk.page.banner.message is not None


def test_a_lost_device_offers_to_resume(desk: Desk) -> None:
    desk.prepare()
    desk.speak()
    desk.hear(700)
    desk.output.stream.active = False
    desk.controller.player.tick()
    message = desk.page.banner.message
    assert message.text == str(AudioDeviceLost())
    assert desk.page.status.label.text() == "Paused"
    desk.page.banner.button.click()
    assert desk.controller.player.playback is Playback.PLAYING
    assert desk.controller.player.position == 700
    assert desk.page.banner.message is None


def test_without_a_device_speech_is_generated_and_can_be_saved(desk: Desk) -> None:
    desk.prepare()
    desk.output.error = NoAudioDevice()
    desk.speak()
    assert desk.page.banner.label.text() == str(NoAudioDevice())
    assert desk.controller.track.whole
    message = desk.page.banner.message
    assert message.action is MessageAction.SAVE


def test_a_device_that_comes_is_found_by_playing(desk: Desk) -> None:
    desk.prepare()
    desk.output.error = NoAudioDevice()
    desk.speak()
    desk.output.error = None
    desk.page.player.transport.play_button.click()
    assert desk.controller.player.playback is Playback.PLAYING
    assert desk.output.refreshed == 1
    assert desk.page.banner.message is None


def test_clicking_the_waveform_goes_there(desk: Desk) -> None:
    desk.prepare()
    desk.speak()
    desk.page.player.waveform.seek_requested.emit(2100)
    assert desk.controller.player.position == 2100
    assert desk.page.player.transport.position_label.text() == "0:02"


def test_going_back_twice_before_the_first_plays_goes_twice_as_far(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.audio.player_panel.PAGE_SECONDS", 1.0)
    desk.prepare()
    desk.speak()
    desk.page.player.waveform.seek_requested.emit(2900)
    for _ in range(2):
        desk.page.player.go_back()
    assert desk.controller.player.position == 900


def test_skipping_after_a_gap_was_filled_starts_at_the_position(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.audio.player_panel.PAGE_SECONDS", 0.1)
    text = " ".join(f"Sentence {number} is this." for number in range(8))
    desk.editor.set_text(text)
    desk.prepare()
    desk.engine.hold_from = 1
    desk.engine.hold.clear()
    desk.window.play()
    controller = desk.controller
    desk.qtbot.waitUntil(lambda: controller.track.length > 0)
    controller.speak_from(text.index("Sentence 6"))
    desk.engine.hold.set()
    desk.wait_made()
    desk.engine.hold_from = 0
    desk.engine.hold.clear()
    controller.player.seek(controller.track.gaps[0][0])
    assert controller.hear_from(text.index("Sentence 7"))
    controller.pause()
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: controller.track.whole)
    desk.page.player.go_forward()
    assert controller.player.position == controller.track.segments[7].start + RATE_HZ // 10


def test_the_appearance_is_chosen_in_the_menu_and_remembered(desk: Desk) -> None:
    dark = next(each for each in desk.window.menu.appearances.actions() if each.data() is Appearance.DARK)
    dark.trigger()
    assert colors().error == DARK.error
    assert desk.settings.appearance is Appearance.DARK
    desk.prepare()
    desk.speak()
    picture = desk.page.player.waveform.grab().toImage()
    assert picture.pixelColor(picture.width() - 1, picture.height() - 1).name() == colors().surface
    desk.theme.choose(Appearance.LIGHT)
    picture = desk.page.player.waveform.grab().toImage()
    assert picture.pixelColor(picture.width() - 1, picture.height() - 1).name() == colors().surface


def test_closing_stops_and_remembers(desk: Desk) -> None:
    desk.prepare()
    desk.speak()
    desk.editor.set_text("The last words.")
    desk.window.close()
    assert desk.controller.player.playback is Playback.STOPPED
    assert desk.settings.text == "The last words."
    assert not desk.settings.geometry.isEmpty()


def cannot_keep_texts(desk: Desk, folder: Path) -> None:
    shutil.rmtree(folder / "texts")
    (folder / "texts").write_text("no folder")
    desk.editor.edit.insertPlainText("New words. ")
    desk.window.memory.remember_text()


def test_an_unsaved_text_is_reported_again_after_the_banner_closes(desk: Desk, tmp_path: Path) -> None:
    cannot_keep_texts(desk, tmp_path)
    for _ in range(2):
        assert "saved" in desk.page.banner.message.text
        desk.page.banner.dismiss()
        desk.window.memory.remember_text()


def test_an_unsaved_text_is_reported_while_speech_begins(desk: Desk, tmp_path: Path) -> None:
    desk.prepare()
    cannot_keep_texts(desk, tmp_path)
    desk.window.play()
    assert desk.page.banner.message is not None


def test_closing_with_a_text_that_is_not_kept_asks_once(desk: Desk, tmp_path: Path) -> None:
    cannot_keep_texts(desk, tmp_path)
    for _ in range(2):
        assert not desk.window.close()
    (question,) = desk.window.findChildren(QMessageBox)
    answer(question, "Cancel")
    assert desk.window.isVisible()
    desk.qtbot.waitUntil(lambda: not desk.window.findChildren(QMessageBox))
    assert not desk.window.close()
    answer(desk.window.findChildren(QMessageBox)[0], CLOSE_ANYWAY)
    assert desk.window.isHidden()


def test_closing_asks_nothing_once_the_text_is_saved(desk: Desk, tmp_path: Path) -> None:
    cannot_keep_texts(desk, tmp_path)
    (tmp_path / "texts").unlink()
    assert desk.window.close()


@pytest.fixture
def saving(desk: Desk, tmp_path: Path) -> QMessageBox:
    """The question that appears when the window is closed while `a.wav` is being generated."""
    desk.prepare()
    desk.engine.hold.clear()
    desk.controller.save(tmp_path / "a.wav", desk.window.request)
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    assert not desk.window.close()
    assert desk.window.isVisible()
    question = desk.window.findChild(QMessageBox)
    assert question is not None
    return question


def answer(question: QMessageBox, title: str) -> None:
    next(each for each in question.buttons() if each.text().replace("&", "") == title).click()


def test_closing_while_a_file_is_saved_can_wait_for_it(desk: Desk, saving: QMessageBox, tmp_path: Path) -> None:
    answer(saving, CLOSE_WHEN_SAVED)
    assert desk.window.isVisible()
    desk.engine.hold.set()
    desk.qtbot.waitUntil(desk.window.isHidden)
    assert soundfile.info(tmp_path / "a.wav").frames == 3 * RATE_HZ


def test_closing_while_a_file_is_saved_can_stop_that(desk: Desk, saving: QMessageBox, tmp_path: Path) -> None:
    answer(saving, STOP_SAVING)
    assert desk.window.isHidden()
    desk.engine.hold.set()
    desk.wait_for_the_engine()
    assert not (tmp_path / "a.wav").exists()


def test_a_text_that_is_not_kept_is_asked_about_after_a_file(desk: Desk, saving: QMessageBox, tmp_path: Path) -> None:
    cannot_keep_texts(desk, tmp_path)
    answer(saving, STOP_SAVING)
    assert desk.window.isVisible()
    answer(desk.window.findChildren(QMessageBox)[-1], CLOSE_ANYWAY)
    assert desk.window.isHidden()
    desk.engine.hold.set()


def test_closing_can_stop_all_that_is_to_be_saved(desk: Desk, saving: QMessageBox, tmp_path: Path) -> None:
    answer(saving, "Cancel")
    desk.editor.set_text("A new text.")
    desk.controller.save(tmp_path / "b.wav", desk.window.request)
    assert desk.page.save_strip.label.text().endswith("1 more in queue")
    assert not desk.window.close()
    question = desk.window.findChildren(QMessageBox)[-1]
    assert question.text() == "“a.wav” and 1 more are still being saved."
    answer(question, STOP_SAVING)
    assert desk.window.isHidden()
    desk.engine.hold.set()
    desk.wait_for_the_engine()
    assert not list(tmp_path.glob("*.wav"))


def test_closing_while_a_file_is_saved_can_be_canceled(desk: Desk, saving: QMessageBox, tmp_path: Path) -> None:
    answer(saving, "Cancel")
    desk.engine.hold.set()
    desk.qtbot.waitUntil((tmp_path / "a.wav").exists)
    desk.qtbot.waitUntil(lambda: not desk.controller.activity.saving)
    assert desk.window.isVisible()


def test_a_failed_save_keeps_the_window_open_and_says_why(desk: Desk, saving: QMessageBox) -> None:
    desk.engine.speak_error = CompileError("No.", "Do.")
    answer(saving, CLOSE_WHEN_SAVED)
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.page.banner.message is not None)
    assert desk.window.isVisible()


def test_a_save_is_shown_and_can_be_canceled(desk: Desk, tmp_path: Path) -> None:
    desk.prepare()
    desk.engine.hold.clear()
    desk.controller.save(tmp_path / "a.wav", desk.window.request)
    assert desk.page.save_strip.isVisible()
    assert desk.page.save_strip.label.text().startswith("Saving a.wav")
    desk.page.save_strip.cancel_button.click()
    assert desk.page.save_strip.isHidden()
    desk.engine.hold.set()


def test_a_recent_text_returns_as_a_separate_text(desk: Desk) -> None:
    desk.editor.set_text("A new text.")
    recent = desk.window.menu.recent_menu
    recent.aboutToShow.emit()
    assert [each.data() for each in recent.actions()] == ["A new text.", TEXT]
    recent.actions()[1].trigger()
    assert desk.editor.text == TEXT
    desk.editor.edit.undo()
    assert desk.editor.text == TEXT


def test_the_window_stays_responsive_while_the_engine_works(desk: Desk) -> None:
    desk.engine.hold.clear()
    desk.prepare()
    desk.window.play()
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    assert threading.get_ident() not in desk.engine.threads
    desk.editor.edit.insertPlainText("Still typing. ")
    assert desk.page.status.counter.text().startswith("6 words")
    desk.engine.hold.set()
    desk.wait_made()
    assert desk.controller.track.segment_count == 3


def test_a_failure_goes_with_the_next_success_of_the_same_kind_only(desk: Desk, tmp_path: Path) -> None:
    desk.prepare()
    desk.window.show_failure(OutputError("The disk is full.", "Make room."))
    desk.window.show_failure(UnusableDocument("“a.epub” is damaged.", "Get it again."))
    desk.speak()
    assert [each.topic for each in desk.page.banner.messages] == [MessageTopic.FILE, MessageTopic.DOCUMENT]
    with desk.qtbot.waitSignal(desk.controller.saved):
        desk.controller.save(tmp_path / "a.wav", desk.window.request)
    assert [each.topic for each in desk.page.banner.messages] == [MessageTopic.DOCUMENT]
