from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.main_menu import MainMenu
from app.read_along.actions import InsertMenu
from app.speech.text_editor import TextEditor
from app.speech.voice_picker import VoicePicker
from tests.app.fakes import ONE_MODEL


class Desk:
    def __init__(self, qtbot: QtBot) -> None:
        self.menu, self.editor, self.voices = MainMenu(), TextEditor(), VoicePicker()
        for widget in (self.menu, self.editor, self.voices):
            qtbot.addWidget(widget)
        self.insert = InsertMenu(self.menu, self.editor, self.voices)
        self.editor.start_with("One two.")
        self.editor.select(4, 4)


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    return Desk(qtbot)


def test_a_pause_is_inserted_with_its_length_selected_and_undone_at_once(desk: Desk) -> None:
    desk.insert.pause.trigger()
    assert desk.editor.text == "One [pause 1.5s]two."
    assert desk.editor.edit.textCursor().selectedText() == "1.5s"
    desk.editor.edit.undo()
    assert desk.editor.text == "One two."


def test_the_chosen_voice_is_inserted_once_one_is_known(desk: Desk) -> None:
    assert not desk.insert.voice.isEnabled()
    desk.voices.show_models(ONE_MODEL, "starter")
    assert (desk.insert.voice.text(), desk.insert.voice.isEnabled()) == ("Voice af_heart", True)
    desk.insert.voice.trigger()
    assert desk.editor.text == "One [voice:af_heart] two."
