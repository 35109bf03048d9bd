import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.main_menu import MainMenu
from app.read_along.actions import InsertMenu, ReadAlongActions, sound_key
from app.settings import DEFAULT_TEXT_PIXELS
from app.speech.page import SpeechPage
from app.speech.text_editor import TextEditor
from app.speech.voice_picker import VoicePicker
from app.theme import SERIF
from tests.app.fakes import ONE_MODEL
from tests.app.read_along.desk import Desk


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_every_entry_has_its_own_key(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    menu, page = MainMenu(), SpeechPage()
    qtbot.addWidget(menu)
    qtbot.addWidget(page)
    menu.add_editing(page)
    own = ReadAlongActions(menu)
    actions = [action for sub in menu.findChildren(QMenu) for action in sub.actions() if action.text()]
    keys = [(key.toString(), action) for action in actions for key in action.shortcuts()]
    shared = [action for key, action in keys if key == "Esc"]
    assert shared == [menu.stop, own.leave_focus]  # never enabled at the same time
    others = [key for key, _ in keys if key != "Esc"]
    assert len(others) == len(set(others))
    entries = [action for action in actions if action.parent() is own]
    assert len(entries) == 11
    assert all(action.shortcuts() for action in entries)


def test_media_keys_go_by_sentences_and_sound_is_moved_with_alt(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    actions = ReadAlongActions(menu)
    assert [key.toString() for key in actions.sentence_back.shortcuts()] == [sound_key("Up"), "Media Previous"]
    assert [key.toString() for key in actions.sentence_forward.shortcuts()] == [sound_key("Down"), "Media Next"]
    titles = [action.text() for action in menu.speech_menu.actions()]
    place = titles.index("Sentence Back")
    assert titles[place - 1 : place + 2] == ["Forward 5 Seconds", "Sentence Back", "Sentence Forward"]


class InsertDesk:
    def __init__(self, qtbot: QtBot) -> None:
        self.menu, self.editor, self.voices = MainMenu(), TextEditor(), VoicePicker()
        for widget in (self.menu, self.editor, self.voices):
            qtbot.addWidget(widget)
        self.insert = InsertMenu(self.menu, self.editor, self.voices)
        self.editor.start_with("One two.")
        self.editor.select(4, 4)


@pytest.fixture
def inserting(qtbot: QtBot) -> InsertDesk:
    return InsertDesk(qtbot)


def test_a_pause_is_inserted_with_its_length_selected_and_undone_at_once(inserting: InsertDesk) -> None:
    inserting.insert.pause.trigger()
    assert inserting.editor.text == "One [pause 1.5s]two."
    assert inserting.editor.edit.textCursor().selectedText() == "1.5s"
    inserting.editor.edit.undo()
    assert inserting.editor.text == "One two."


def test_the_chosen_voice_is_inserted_once_one_is_known(inserting: InsertDesk) -> None:
    assert not inserting.insert.voice.isEnabled()
    inserting.voices.show_models(ONE_MODEL, "starter")
    assert (inserting.insert.voice.text(), inserting.insert.voice.isEnabled()) == ("Voice af_heart", True)
    inserting.insert.voice.trigger()
    assert inserting.editor.text == "One [voice:af_heart] two."


def shown(desk: Desk) -> int:
    return desk.editor.edit.font().pixelSize()


def test_the_text_grows_and_shrinks_step_by_step_and_is_remembered(desk: Desk) -> None:
    actions = desk.feature.actions
    assert shown(desk) == DEFAULT_TEXT_PIXELS
    actions.larger.trigger()
    actions.larger.trigger()
    assert shown(desk) == desk.settings.text_pixels == 20
    actions.smaller.trigger()
    assert shown(desk) == desk.settings.text_pixels == 18
    actions.normal_size.trigger()
    assert shown(desk) == desk.settings.text_pixels == DEFAULT_TEXT_PIXELS


def test_there_is_a_largest_and_a_smallest_size(desk: Desk) -> None:
    for action in (desk.feature.actions.larger, desk.feature.actions.smaller):
        for _ in range(20):
            action.trigger()
        before = shown(desk)
        action.trigger()
        assert shown(desk) == before
    assert shown(desk) == 10


def test_a_size_from_the_settings_is_shown(desk: Desk) -> None:
    desk.settings.text_pixels = 33
    desk.feature.text_size.enlarge()
    assert shown(desk) == 40


def test_a_new_font_keeps_the_size(desk: Desk) -> None:
    before = desk.editor.edit.font().families()
    desk.settings.text_pixels = 28
    desk.settings.reading_font = SERIF
    assert (desk.editor.edit.font().families() != before, shown(desk)) == (True, 28)
    desk.settings.reading_font = ""
    assert (desk.editor.edit.font().families(), shown(desk)) == (before, 28)


def parts(desk: Desk) -> list[bool]:
    return [not part.isHidden() for part in (desk.page.header, desk.page.player.wave)]


def test_only_the_text_and_the_buttons_to_play_it_are_left(desk: Desk, qtbot: QtBot) -> None:
    desk.speak()
    panel = QLabel("Chapters")
    desk.page.side_bar.add("Chapters", panel)
    desk.page.side_bar.open(panel)
    desk.window.resize(1000, 700)
    qtbot.wait_for_timers()
    height = desk.editor.height()
    split = desk.page.split.sizes()
    desk.feature.actions.focus.trigger()
    assert parts(desk) == [False, False]
    assert desk.page.side_bar.panel is None
    assert desk.page.player.transport.isVisible()
    assert desk.editor.edit.hasFocus()
    qtbot.waitUntil(lambda: desk.editor.height() > height + 100)
    assert desk.editor.edit.viewport().width() < 700
    desk.feature.actions.focus.trigger()
    assert parts(desk) == [True, True]
    assert desk.page.side_bar.panel is panel
    qtbot.waitUntil(lambda: desk.page.split.sizes() == split)


def test_escape_first_stops_and_then_leaves(desk: Desk, qtbot: QtBot) -> None:
    desk.speak()
    desk.hear(100)
    desk.feature.actions.focus.trigger()
    qtbot.keyClick(desk.editor.edit, Qt.Key.Key_Escape)
    assert desk.controller.player.playback is Playback.STOPPED
    assert desk.feature.focus.on
    qtbot.keyClick(desk.editor.edit, Qt.Key.Key_Escape)
    assert not desk.feature.focus.on
    assert not desk.feature.actions.focus.isChecked()
    assert parts(desk) == [True, True]


def test_the_spoken_line_is_in_the_middle(desk: Desk, qtbot: QtBot) -> None:
    text = "\n".join(["A line before."] * 60) + "\nHere it is. " + "\n".join(["A line after."] * 60)
    desk.editor.set_text(text)
    edit = desk.editor.edit
    desk.editor.marks.resume_following()
    desk.editor.marks.show(edit.document().find("Here it is"))
    desk.feature.actions.focus.trigger()

    def is_in_the_middle() -> bool:
        place = edit.cursorRect(edit.document().find("Here it is")).center().y()
        return abs(place - edit.viewport().height() / 2) < 2 * edit.fontMetrics().lineSpacing()

    qtbot.waitUntil(is_in_the_middle)


def test_closing_the_window_in_focus_mode_saves_the_previous_layout(desk: Desk) -> None:
    desk.speak()
    desk.page.split.setSizes([300, 200])
    split = desk.page.split.sizes()
    desk.feature.actions.focus.trigger()
    desk.window.close()
    assert not desk.feature.focus.on
    assert parts(desk) == [True, True]
    desk.page.split.setSizes([100, 400])
    desk.page.split.restoreState(desk.settings.split)
    assert desk.page.split.sizes() == pytest.approx(split, abs=2)
