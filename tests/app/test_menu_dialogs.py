from importlib.metadata import version

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.main_menu import MainMenu
from app.menu_dialogs import MenuDialogs


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


def test_what_the_application_is_can_be_read(dialogs: tuple[MainMenu, MenuDialogs]) -> None:
    box = dialogs[1].show_about()
    assert f"Kokoro Desk {version('kokoro-desk')}" in box.text()
    assert "Apache License" in box.text()
    box.close()
