import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.find_bar import FindBar


@pytest.fixture
def bar(qtbot: QtBot) -> FindBar:
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.begin("salt")
    return bar


@pytest.mark.parametrize(
    ("modifier", "signal"),
    [(Qt.KeyboardModifier.NoModifier, "next_wanted"), (Qt.KeyboardModifier.ShiftModifier, "previous_wanted")],
)
def test_return_goes_on_and_with_shift_back(
    qtbot: QtBot, bar: FindBar, modifier: Qt.KeyboardModifier, signal: str
) -> None:
    with qtbot.waitSignal(getattr(bar, signal)):
        qtbot.keyClick(bar.field, Qt.Key.Key_Return, modifier)


def test_it_begins_with_words_that_the_next_key_replaces(qtbot: QtBot, bar: FindBar) -> None:
    assert bar.field.selectedText() == "salt"
    qtbot.keyClicks(bar.field, "pepper")
    assert bar.field.text() == "pepper"
    bar.begin("")
    assert bar.field.selectedText() == "pepper"


def test_escape_closes_it(qtbot: QtBot, bar: FindBar) -> None:
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()


def test_escape_closes_it_from_its_buttons_too_and_stops_nothing(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = FindBar(window)
    stopped: list[bool] = []
    stop = QAction(window)
    stop.setShortcut("Esc")
    stop.triggered.connect(stopped.append)
    window.addAction(stop)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for widget in bar.order:
        bar.begin("")
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Escape)
        assert bar.isHidden()
    assert stopped == []


def test_what_was_found_is_told_to_screen_readers_too(bar: FindBar) -> None:
    bar.tell("Not found")
    assert bar.label.text() == bar.label.accessibleDescription() == "Not found"
