import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.audio.transport_bar import TransportBar, clock_time


@pytest.fixture
def bar(qtbot: QtBot) -> TransportBar:
    bar = TransportBar()
    qtbot.addWidget(bar)
    return bar


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (9.99, "0:09"), (61, "1:01"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_times(seconds: float, words: str) -> None:
    assert clock_time(seconds) == words


def test_there_is_nothing_to_skip_in_at_first(bar: TransportBar) -> None:
    assert not bar.forward_button.isEnabled()
    bar.show_length(3.2, exact=True)
    assert bar.forward_button.isEnabled()
    assert bar.length_label.text() == "0:03"


def test_a_length_that_is_not_known_yet_is_said_to_be_about(bar: TransportBar) -> None:
    bar.show_length(62, exact=False)
    assert bar.length_label.text() == "about 1:02"


def test_the_button_in_the_middle_is_that_of_a_command(bar: TransportBar, qtbot: QtBot) -> None:
    action = QAction("Play", bar)
    bar.show_action(action)
    with qtbot.waitSignal(action.triggered):
        bar.play_button.click()
    action.setText("Pause")
    assert bar.play_button.accessibleName() == "Pause"
    action.setEnabled(False)
    assert not bar.play_button.isEnabled()


def test_buttons_ask(bar: TransportBar, qtbot: QtBot) -> None:
    bar.show_length(10, exact=True)
    with qtbot.waitSignals([bar.back_wanted, bar.forward_wanted]):
        for button in (bar.back_button, bar.forward_button):
            button.click()
