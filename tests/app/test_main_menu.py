import sys
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMenu
from pytestqt.qtbot import QtBot

from app.main_menu import MainMenu, MenuDialogs
from app.recent_texts import RecentText
from app.speech.activity import Activity, Readiness
from app.speech.page import SpeechPage
from app.speech.speak_button import PlayCommand
from app.theme import Appearance


def all_actions(menu: MainMenu) -> list[QAction]:
    return [action for sub in menu.findChildren(QMenu) for action in sub.actions() if action.text()]


def test_keys_are_those_that_were_promised(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    keys = {action: [key.toString() for key in action.shortcuts()] for action in all_actions(menu)}
    assert keys[menu.play] == ["Ctrl+Return", "Ctrl+Enter", "Ctrl+Shift+Return", "Media Play"]
    assert "Esc" in keys[menu.stop]
    assert keys[menu.save] == ["Ctrl+S"]
    assert keys[menu.open_text] == ["Ctrl+O"]
    assert keys[menu.new_text] == ["Ctrl+N"]


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_keys_reserved_on_every_mac_have_no_other_meaning(
    platform: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    menu = MainMenu()
    qtbot.addWidget(menu)
    actions = {key.toString(): action for action in all_actions(menu) for key in action.shortcuts()}
    assert actions["Ctrl+E"] is menu.use_selection
    assert actions["Ctrl+Shift+V"] is menu.paste
    assert actions["Ctrl+D"] is menu.add_bookmark
    assert actions["Ctrl+W"] is menu.close_window
    assert actions["Ctrl+,"] is menu.settings
    assert actions["Ctrl+Shift+S"] is menu.save_project
    assert not {"Ctrl+H", "Ctrl+Alt+H", "Ctrl+Shift+Q"} & set(actions)


def test_on_a_mac_no_entry_changes_menus_for_its_first_word(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    menu.offer_texts([RecentText("Quit smoking.", Path("1.txt"), datetime(2026, 3, 5, 12, 30))])
    roles = {action.menuRole() for action in all_actions(menu) if action.menu() is None}
    assert QAction.MenuRole.TextHeuristicRole not in roles


def test_entries_that_need_a_feature_wait_for_it(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    waiting = (menu.new_text, menu.home, menu.close_document, menu.edit_text, menu.add_bookmark, menu.from_beginning)
    assert not any(action.isEnabled() for action in waiting)


def test_the_window_can_fill_the_screen_and_come_back(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    menu = MainMenu(window)
    window.setMenuBar(menu)
    window.show()
    titles = []
    for full in (True, False):
        menu.full_screen.trigger()
        assert window.isFullScreen() is full
        menu.view_menu.aboutToShow.emit()
        titles.append(menu.full_screen.text())
    assert titles[0] != titles[1]


@pytest.mark.parametrize(
    ("platform", "keys"),
    [("linux", ["Alt+Left", "Alt+Right"]), ("darwin", ["Ctrl+Alt+Left", "Ctrl+Alt+Right"])],
)
def test_skipping_leaves_the_keys_of_the_desktop_alone(
    platform: str, keys: list[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    menu = MainMenu()
    qtbot.addWidget(menu)
    assert [action.shortcut().toString() for action in (menu.back, menu.forward)] == keys


def test_no_key_means_two_things(qtbot: QtBot) -> None:
    menu, page = MainMenu(), SpeechPage()
    qtbot.addWidget(menu)
    qtbot.addWidget(page)
    menu.add_editing(page)
    keys = [key.toString() for action in all_actions(menu) for key in action.shortcuts()]
    assert "" not in keys
    assert len(keys) == len(set(keys))


def test_stop_is_offered_only_while_something_can_be_stopped(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    menu.show_activity(Activity(Readiness.READY))
    assert not menu.stop.isEnabled()
    menu.show_activity(Activity(Readiness.READY, making=True))
    assert menu.stop.isEnabled()


def test_one_appearance_is_ticked(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    menu.choose(Appearance.DARK)
    assert [action.data() for action in menu.appearances.actions() if action.isChecked()] == [Appearance.DARK]


def test_the_models_that_can_speak_are_offered(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    assert menu.model_menu.isEmpty()
    menu.offer_models([("small", "Small one")], "small")
    menu.offer_models([("small", "Small one"), ("large", "Large one")], "small")
    assert [(action.text(), action.isChecked()) for action in menu.model_menu.actions()] == [
        ("Small one", True),
        ("Large one", False),
    ]
    menu.offer_models([("small", "Small one"), ("large", "Large one")], "large")
    with qtbot.waitSignal(menu.model_actions.triggered) as chosen:
        menu.model_menu.actions()[0].trigger()
    assert chosen.args[0].data() == "small"


def test_parts_of_the_window_come_after_home_in_their_menu(qtbot: QtBot) -> None:
    menu, part, other = MainMenu(), QAction("Part"), QAction("Other")
    qtbot.addWidget(menu)
    menu.add_view(part, "Ctrl+Shift+I")
    menu.add_view(other)
    home, first_line, first, second, second_line = menu.view_menu.actions()[:5]
    assert (home, first, second) == (menu.home, part, other)
    assert first_line.isSeparator()
    assert second_line.isSeparator()
    assert [key.toString() for key in part.shortcuts()] == ["Ctrl+Shift+I"]


def test_editing_works_from_the_menu(qtbot: QtBot) -> None:
    menu, page = MainMenu(), SpeechPage()
    qtbot.addWidget(menu)
    qtbot.addWidget(page)
    menu.add_editing(page)
    page.editor.start_with("")
    page.editor.edit.insertPlainText("Hello")
    menu.undo.trigger()
    assert page.editor.text == ""
    menu.redo.trigger()
    assert page.editor.text == "Hello"


def test_texts_are_offered_by_their_first_words(qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    menu.offer_texts([])
    assert [(each.text(), each.isEnabled()) for each in menu.recent_menu.actions()] == [("No Texts Yet", False)]
    menu.offer_texts([RecentText("Salt & pepper.", Path("1.txt"), datetime(2026, 3, 5, 12, 30))])
    titles = [(each.text(), each.data()) for each in menu.recent_menu.actions()]
    assert titles == [("Salt && pepper. (05 Mar, 12:30)", "Salt & pepper.")]


def test_editing_is_offered_while_it_would_change_something(qtbot: QtBot) -> None:
    QGuiApplication.clipboard().clear()
    menu, page = MainMenu(), SpeechPage()
    qtbot.addWidget(menu)
    qtbot.addWidget(page)
    menu.add_editing(page)
    page.editor.start_with("")  # until then, Qt counts the document's margin as a change
    editing = (menu.undo, menu.redo, menu.cut, menu.copy, menu.paste, menu.select_all)

    def offered() -> list[str]:
        return [action.text() for action in editing if action.isEnabled()]

    assert offered() == []
    page.editor.edit.insertPlainText("Hello")
    assert offered() == ["Undo", "Select All"]
    menu.select_all.trigger()
    assert offered() == ["Undo", "Cut", "Copy", "Select All"]
    menu.copy.trigger()
    assert offered() == ["Undo", "Cut", "Copy", "Paste", "Select All"]
    menu.undo.trigger()
    assert offered() == ["Redo", "Paste"]


@pytest.mark.parametrize("command", PlayCommand)
def test_the_play_entry_shows_its_command(command: PlayCommand, qtbot: QtBot) -> None:
    menu = MainMenu()
    qtbot.addWidget(menu)
    menu.show_play_command(command)
    assert (menu.play.text(), menu.play.data()) == (command.value, command)


@pytest.fixture
def dialogs(qtbot: QtBot) -> tuple[MainMenu, MenuDialogs]:
    window = QMainWindow()
    qtbot.addWidget(window)
    menu = MainMenu(window)
    return menu, MenuDialogs(window, menu)


def test_on_a_mac_both_entries_belong_to_the_applications_own_menu(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    menu, _ = dialogs
    assert menu.about.menuRole() is QAction.MenuRole.AboutRole
    assert menu.settings.menuRole() is QAction.MenuRole.PreferencesRole
    assert menu.settings.shortcut().toString() == "Ctrl+,"


def test_the_about_box_describes_the_application(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    box = dialogs[1].show_about()
    assert f"Kokoro Desk {version('kokoro-desk')}" in box.text()
    assert "Apache License" in box.text()
    box.close()
