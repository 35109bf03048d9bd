import sys

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.main_menu import MainMenu
from app.read_along.actions import ReadAlongActions, sound_key
from app.speech.page import SpeechPage


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_every_entry_has_a_key_of_its_own(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    menu, page = MainMenu(), SpeechPage()
    qtbot.addWidget(menu)
    qtbot.addWidget(page)
    menu.add_editing(page)
    own = ReadAlongActions(menu)
    actions = [action for sub in menu.findChildren(QMenu) for action in sub.actions() if action.text()]
    keys = [(key.toString(), action) for action in actions for key in action.shortcuts()]
    shared = [action for key, action in keys if key == "Esc"]
    assert shared == [menu.stop, own.leave_focus]  # never at the same time
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
