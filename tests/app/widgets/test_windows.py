import sys
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QMainWindow
from pytestqt.qtbot import QtBot

from app.widgets.windows import TextWindow, WindowMenu


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QMainWindow]:
    window = QMainWindow()
    window.setWindowTitle("Salt & pepper")
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close()


def windows(menu: WindowMenu) -> list[QAction]:
    return [action for action in menu.actions() if action.isCheckable()]


def listed(menu: WindowMenu) -> list[tuple[str, bool]]:
    menu.aboutToShow.emit()
    return [(action.text(), action.isChecked()) for action in windows(menu)]


def test_open_windows_are_listed_and_come_to_the_front(window: QMainWindow, qtbot: QtBot) -> None:
    menu = WindowMenu(window)
    dialog = QDialog(window)
    dialog.setWindowTitle("Pepper")
    assert [title for title, _ in listed(menu)] == ["Salt && pepper"]
    dialog.show()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert listed(menu) == [("Salt && pepper", False), ("Pepper", True)]
    window.showMinimized()
    windows(menu)[0].trigger()
    qtbot.waitUntil(window.isActiveWindow)
    assert not window.isMinimized()
    dialog.close()
    assert [title for title, _ in listed(menu)] == ["Salt && pepper"]


def test_a_window_that_closes_while_the_menu_is_open_stays_closed(window: QMainWindow, qtbot: QtBot) -> None:
    menu = WindowMenu(window)
    dialog = QDialog()
    dialog.setWindowTitle("Pepper")
    dialog.show()
    assert len(listed(menu)) == 2
    with qtbot.waitSignal(dialog.destroyed):
        dialog.deleteLater()
    windows(menu)[1].trigger()
    assert [title for title, _ in listed(menu)] == ["Salt && pepper"]


def test_a_mac_window_menu_has_the_standard_entries(
    window: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    menu = WindowMenu(window)
    qtbot.waitUntil(window.isActiveWindow)
    minimize, zoom, bring_all = (action for action in menu.actions() if action.text())
    assert minimize.shortcut().toString() == "Ctrl+M"
    for maximized in (True, False):
        zoom.trigger()
        assert window.isMaximized() is maximized
    minimize.trigger()
    assert window.isMinimized()
    bring_all.trigger()


def test_a_page_can_be_read_beside_the_window(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(400, 300)
    page = TextWindow("Help", "<h2>Speak</h2>", window)
    page.show()
    assert not page.isModal()
    assert page.browser.toPlainText() == "Speak"
    assert page.width() <= 400
    page.close()
