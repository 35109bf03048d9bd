import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.notice_strip import NoticeStrip


class Desk:
    """A field, a strip with two buttons, and another strip below it."""

    def __init__(self) -> None:
        self.window = QWidget()
        self.field = QLineEdit(self.window)
        self.strip, other = NoticeStrip(self.window), NoticeStrip(self.window)
        self.buttons = QPushButton("One", self.strip), QPushButton("Two", self.strip)
        self.next = QPushButton("Next", other)
        self.strip.lay_out(*self.buttons)
        other.lay_out(self.next)
        layout = QVBoxLayout(self.window)
        for widget in (self.field, self.strip, other):
            layout.addWidget(widget)


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    desk = Desk()
    qtbot.addWidget(desk.window)
    desk.window.show()
    desk.window.activateWindow()
    desk.field.setFocus()
    qtbot.waitUntil(desk.field.hasFocus)
    return desk


def test_the_focus_goes_back_where_it_was(desk: Desk, qtbot: QtBot) -> None:
    for button in desk.buttons:
        qtbot.keyClick(desk.window.focusWidget(), Qt.Key.Key_Tab)
        assert button.hasFocus()
    desk.strip.hide()
    assert desk.field.hasFocus()


def test_the_focus_stays_where_it_is_outside(desk: Desk) -> None:
    desk.buttons[0].setFocus()
    desk.next.setFocus()
    desk.strip.hide()
    assert desk.next.hasFocus()


def test_what_is_hidden_by_then_does_not_get_the_focus(desk: Desk) -> None:
    desk.buttons[0].setFocus()
    desk.field.hide()
    desk.strip.hide()
    assert desk.next.hasFocus()


def test_what_is_gone_by_then_does_not_get_the_focus(desk: Desk, qtbot: QtBot) -> None:
    desk.buttons[0].setFocus()
    with qtbot.waitSignal(desk.field.destroyed):
        desk.field.deleteLater()
    desk.strip.hide()
    assert desk.next.hasFocus()


def test_with_its_window_the_strip_keeps_the_focus(desk: Desk) -> None:
    desk.buttons[0].setFocus()
    desk.window.hide()
    assert desk.window.focusWidget() is desk.buttons[0]


def test_a_long_word_makes_no_window_wider(desk: Desk) -> None:
    desk.strip.label.setText("Short.")
    least = desk.strip.minimumSizeHint().width()
    desk.strip.label.setText(f"Saving {'x' * 200}.wav")
    assert desk.strip.minimumSizeHint().width() == least
