import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QLabel, QMainWindow, QTextEdit
from pytestqt.qtbot import QtBot

from app.diagnostics.dock import OPENING_HEIGHT_PIXELS, DiagnosticsDock


class Desk:
    """A window with something in the middle and the dock."""

    def __init__(self, qtbot: QtBot, state: QByteArray | None = None) -> None:
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.window.setCentralWidget(QTextEdit())
        self.window.resize(500, 400)
        self.dock = DiagnosticsDock(self.window, QLabel("panel"))
        if state is not None:
            self.dock.restore(state)
        self.changes: list[bool] = []
        self.dock.shown_changed.connect(self.changes.append)
        self.window.show()
        qtbot.waitExposed(self.window)


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_it_is_closed_at_first(desk: Desk) -> None:
    assert not desk.dock.shown
    assert not desk.dock.toggleViewAction().isChecked()
    assert desk.dock.state.isEmpty()
    assert not desk.changes


def test_opening_it_for_the_first_time_makes_room(desk: Desk, qtbot: QtBot) -> None:
    desk.dock.toggleViewAction().trigger()
    assert desk.dock.shown
    assert desk.changes == [True]
    screen = desk.window.screen().availableSize()
    qtbot.waitUntil(lambda: desk.window.height() > 500)
    assert desk.window.height() <= screen.height()
    qtbot.waitUntil(lambda: desk.dock.height() > OPENING_HEIGHT_PIXELS / 2)
    desk.window.resize(500, 400)
    desk.dock.close()
    desk.dock.open()
    assert desk.window.height() == 400
    assert desk.changes == [True, False, True]


def test_hiding_the_whole_window_does_not_close_it(desk: Desk, qtbot: QtBot) -> None:
    desk.dock.open()
    desk.window.showMinimized()
    qtbot.wait(20)
    desk.window.showNormal()
    qtbot.wait(20)
    desk.window.close()
    assert desk.dock.shown
    assert desk.changes == [True]


def test_it_comes_back_as_it_was(desk: Desk, qtbot: QtBot) -> None:
    desk.dock.open()
    desk.window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, desk.dock)
    other = Desk(qtbot, desk.dock.state)
    assert other.dock.shown
    assert other.changes == [True]
    assert other.window.dockWidgetArea(other.dock) is Qt.DockWidgetArea.RightDockWidgetArea
    assert (other.window.width(), other.window.height()) == (500, 400)


@pytest.mark.parametrize("state", [QByteArray(), QByteArray(b"nonsense"), QByteArray(b"\x00\x00\x00\xff\x00")])
def test_a_state_that_cannot_be_read_changes_nothing(qtbot: QtBot, state: QByteArray) -> None:
    desk = Desk(qtbot, state)
    assert not desk.dock.shown
    desk.dock.open()
    qtbot.waitUntil(lambda: desk.window.height() > 500)


def test_a_closed_one_stays_closed(desk: Desk, qtbot: QtBot) -> None:
    desk.dock.open()
    desk.dock.close()
    assert not Desk(qtbot, desk.dock.state).dock.shown
