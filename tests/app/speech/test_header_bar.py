import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.speech.header_bar import HeaderBar
from app.speech.speak_button import Meaning


def right_of(header: HeaderBar) -> int:
    """Where the last control ends."""
    return header.speak_button.mapTo(header, header.speak_button.rect().topRight()).x()


def test_controls_are_named_and_in_the_order_of_use(qtbot: QtBot) -> None:
    header = HeaderBar()
    qtbot.addWidget(header)
    controls = header.findChildren(QWidget)
    places = [controls.index(each) for each in (header.voices, header.speed, header.save_button, header.speak_button)]
    assert places == sorted(places)
    for control in (header.voices, header.speed.slider, header.save_button, header.speak_button):
        assert control.accessibleName()
    assert not header.save_button.icon().isNull()


def test_where_there_is_little_room_it_says_less(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    header.resize(1000, 40)
    window.show()
    whole, narrowest = header.sizeHint().width(), header.minimumSizeHint().width()
    assert not header.short
    header.resize(narrowest, 40)
    assert header.short
    assert header.minimumSizeHint().width() <= narrowest < whole
    assert (header.save_button.text(), header.save_button.accessibleName()) == ("Save…", "Save audio")
    qtbot.waitUntil(lambda: right_of(header) < narrowest)
    header.resize(whole, 40)
    assert not header.short


def test_where_there_is_even_less_room_what_speaks_is_on_a_second_line(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    font = header.font()
    font.setPointSizeF(2 * font.pointSizeF())
    header.setFont(font)
    header.resize(1600, 100)
    window.show()
    assert not header.stacked
    header.resize(header.minimumSizeHint().width(), 100)
    assert header.stacked
    qtbot.waitUntil(lambda: header.speak_button.mapTo(header, QPoint()).y() > header.voices.geometry().bottom())
    assert right_of(header) < header.width()
    header.resize(1600, 100)
    assert not header.stacked


@pytest.mark.parametrize("meaning", Meaning)
def test_it_says_as_much_after_it_was_hidden_whatever_play_means(qtbot: QtBot, meaning: Meaning) -> None:
    """As focus mode hides it; a long text, such as for a selection, is not the usual one."""
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    window.resize(1000, 40)
    window.show()
    header.resize(header.sizeHint().width(), 40)
    action = QAction(meaning.value)
    action.setData(meaning)
    header.speak_button.show_action(action)
    header.hide()
    header.show()
    assert not header.short


def test_it_says_more_again_after_it_was_hidden_in_a_window_that_has_grown(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    window.show()
    usual = header.sizeHint().width()
    header.resize(header.minimumSizeHint().width(), 40)
    assert header.short
    header.hide()
    font = header.font()
    font.setPointSizeF(0.8 * font.pointSizeF())  # as another style of the system does
    header.setFont(font)
    header.show()
    header.resize(usual - 1, 40)
    assert not header.short
