import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from tests.app.settings_window.desk import Desk


def test_the_keyboard_leads_through_the_pages(desk: Desk, qtbot: QtBot) -> None:
    dialog = desk.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert dialog.list.hasFocus()
    assert dialog.reading.isVisible()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.appearance.isVisible()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Tab)
    assert dialog.appearance.appearance.hasFocus()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_it_is_one_window_that_comes_back_as_it_was_left(desk: Desk) -> None:
    dialog = desk.open()
    dialog.list.setCurrentRow(3)
    dialog.close()
    assert desk.open() is dialog
    assert dialog.history.isVisible()


@pytest.mark.parametrize("pixels", [12, 26])
def test_it_fits_a_small_screen_at_any_size_of_the_text(desk: Desk, qtbot: QtBot, pixels: int) -> None:
    dialog = desk.open()
    dialog.setStyleSheet(f"* {{ font-size: {pixels}px; }}")
    dialog.resize(640, 720)
    qtbot.waitUntil(lambda: dialog.size().toTuple() == (640, 720))
    for row in range(dialog.list.count()):
        dialog.list.setCurrentRow(row)
        for page in dialog.findChildren(QScrollArea):
            assert not page.isVisible() or page.horizontalScrollBar().maximum() == 0


def test_in_a_narrow_window_a_box_has_the_place_of_the_list(desk: Desk, qtbot: QtBot) -> None:
    dialog = desk.open()
    assert (dialog.list.isVisible(), dialog.box.isVisible()) == (True, False)
    dialog.resize(320, 360)
    qtbot.waitUntil(lambda: dialog.box.isVisible() and not dialog.list.isVisible())
    assert dialog.width() == 320
    dialog.box.setCurrentIndex(2)
    assert dialog.export.isVisible()
    dialog.resize(800, 400)
    qtbot.waitUntil(dialog.list.isVisible)
    assert dialog.list.currentRow() == 2


def test_it_closes_with_the_main_window(desk: Desk) -> None:
    dialog = desk.open()
    desk.window.close()
    assert not dialog.isVisible()
