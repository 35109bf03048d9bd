from importlib.metadata import version

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.main_menu import MainMenu
from app.menu_dialogs import MenuDialogs
from app.theme import Appearance


@pytest.fixture
def dialogs(qtbot: QtBot) -> tuple[MainMenu, MenuDialogs]:
    window = QMainWindow()
    qtbot.addWidget(window)
    menu = MainMenu(window)
    menu.choose(Appearance.DARK)
    menu.choose_device("cpu")
    menu.choose_notes(True)
    return menu, MenuDialogs(window, menu)


def test_on_a_mac_both_entries_belong_to_the_applications_own_menu(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    menu, _ = dialogs
    assert menu.about.menuRole() is QAction.MenuRole.AboutRole
    assert menu.settings.menuRole() is QAction.MenuRole.PreferencesRole
    assert menu.settings.shortcut().toString() == "Ctrl+,"


def test_what_the_application_is_can_be_read(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    box = dialogs[1].show_about()
    assert f"Kokoro Desk {version('kokoro-desk')}" in box.text()
    assert "Apache License" in box.text()
    box.close()


def test_the_settings_show_what_is_chosen(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    dialog = dialogs[1].show_settings()
    assert {title: choice.currentText() for title, choice in dialog.lists.items()} == {
        "Appearance": "Dark",
        "Device": "Processor",
        "Read notes": "At the End of Each Chapter",
    }
    dialog.close()


def test_a_choice_is_that_of_the_menu(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    menu, opener = dialogs
    chosen: list[QAction] = []
    menu.appearances.triggered.connect(chosen.append)
    dialog = opener.show_settings()
    dialog.lists["Appearance"].activated.emit(1)
    assert [action.data() for action in chosen] == [Appearance.LIGHT]
    assert [action.data() for action in menu.appearances.actions() if action.isChecked()] == [Appearance.LIGHT]
    dialog.close()


def test_a_device_that_is_not_here_is_not_offered(qtbot: QtBot, dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    menu, opener = dialogs
    for action in menu.devices.actions():
        action.setEnabled(action.data() == "cpu")
    dialog = opener.show_settings()
    assert [dialog.lists["Device"].itemText(index) for index in range(dialog.lists["Device"].count())] == ["Processor"]
    dialog.close()


def test_a_switch_is_that_of_the_menu(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    menu, opener = dialogs
    menu.tray_icon.setChecked(True)
    dialog = opener.show_settings()
    (box,) = dialog.boxes
    assert (box.text(), box.isChecked()) == ("Tray Icon", True)
    box.click()
    assert not menu.tray_icon.isChecked()
    dialog.close()


def test_a_switch_that_does_nothing_here_is_not_offered(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    menu, opener = dialogs
    menu.tray_icon.setEnabled(False)
    dialog = opener.show_settings()
    assert not dialog.boxes
    dialog.close()
