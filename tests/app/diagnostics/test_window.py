import pytest
from PySide6.QtCore import QByteArray, QRect
from PySide6.QtWidgets import QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from app.diagnostics.window import OPENING_PIXELS, DiagnosticsWindow
from app.widgets.windows import opening_place


class Desk:
    """A main window and the diagnostics window."""

    def __init__(self, qtbot: QtBot, place: QByteArray | None = None, *, shown: bool = False) -> None:
        self.main = QMainWindow()
        qtbot.addWidget(self.main)
        self.main.show()
        qtbot.waitExposed(self.main)
        self.window = DiagnosticsWindow(self.main, QLabel("panel"))
        self.changes: list[bool] = []
        self.window.shown_changed.connect(self.changes.append)
        if place is not None:
            self.window.restore(place)
            if shown:
                self.window.reopen()


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_the_window_opens_within_the_screen_and_later_as_it_was_left(desk: Desk) -> None:
    desk.window.toggle.trigger()
    screen = desk.window.screen().availableGeometry()
    assert screen.contains(desk.window.frameGeometry())
    desk.window.resize(700, 500)
    desk.window.toggle.trigger()
    desk.window.open()
    assert (desk.window.width(), desk.window.height()) == (700, 500)
    assert desk.changes == [True, False, True]


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        (QRect(0, 0, 2560, 1440), OPENING_PIXELS.toTuple()),
        (QRect(0, 25, 1440, 850), (OPENING_PIXELS.width(), 802)),
        (QRect(100, 0, 1024, 700), (1008, 652)),
    ],
)
def test_the_first_place_has_as_much_room_as_the_screen_gives(screen: QRect, size: tuple[int, int]) -> None:
    place = opening_place(OPENING_PIXELS, screen)
    assert place.size().toTuple() == size
    assert size[0] >= min(1100, screen.width() - 16)
    assert screen.contains(place)


def test_closing_in_any_way_is_reported_once(desk: Desk) -> None:
    desk.window.open()
    desk.window.close()
    assert not desk.window.toggle.isChecked()
    desk.window.open()
    desk.window.hide()
    assert desk.changes == [True, False, True, False]


def test_minimizing_does_not_close_it(desk: Desk, qtbot: QtBot) -> None:
    desk.window.open()
    desk.window.showMinimized()
    qtbot.wait_for_timers()
    assert desk.window.shown
    desk.window.open()
    assert not desk.window.isMinimized()
    assert desk.changes == [True]


def test_it_comes_back_as_it_was(desk: Desk, qtbot: QtBot) -> None:
    desk.window.open()
    desk.window.resize(700, 500)
    other = Desk(qtbot, desk.window.place, shown=True)
    assert other.window.shown
    assert other.changes == [True]
    assert (other.window.width(), other.window.height()) == (700, 500)


@pytest.mark.parametrize("place", [QByteArray(), QByteArray(b"nonsense"), QByteArray(b"\x00\x00\x00\xff\x00")])
def test_an_unreadable_saved_position_acts_as_if_the_window_never_opened(qtbot: QtBot, place: QByteArray) -> None:
    desk = Desk(qtbot, place)
    assert not desk.window.shown
    desk.window.open()
    assert desk.window.size() == opening_place(OPENING_PIXELS, desk.window.screen().availableGeometry()).size()
