import pytest
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from app.desktop.pages import help_html, shortcuts_html
from app.main_menu import MainMenu
from app.widgets.place_chooser import format_place_click
from engine.system.paths import data_folder


@pytest.fixture
def menu(qtbot: QtBot) -> MainMenu:
    menu = MainMenu()
    qtbot.addWidget(menu)
    return menu


def native(keys: str) -> str:
    """Return a key combination as the system writes it."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def test_the_help_names_the_keys_of_the_menu_and_the_folders(menu: MainMenu) -> None:
    menu.play.setShortcut(QKeySequence("Ctrl+J"))
    html = help_html(menu)
    assert f"<b>{native('Ctrl+J')}</b>" in html
    assert format_place_click() in html
    assert str(data_folder()) in html
    assert "$" not in html


def test_every_key_of_the_menus_is_listed(menu: MainMenu) -> None:
    menu.models.setShortcut(QKeySequence("Ctrl+Shift+U"))
    html = shortcuts_html(menu)
    assert f"<td>Models…</td><td><b>{native('Ctrl+Shift+U')}</b></td>" in html
    assert f"<td>Stop</td><td><b>{native('Esc')}" in html
    titles = [part.partition("<")[0] for part in html.split("<h3>")[1:]]
    assert [title for title in titles if title != "Window"] == ["File", "Edit", "Speech", "View", "Help"]
    assert "Undo" in html
    assert "About" not in html
