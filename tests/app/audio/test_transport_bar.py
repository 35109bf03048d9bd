import pytest
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
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


def test_there_is_nothing_to_play_at_first(bar: TransportBar) -> None:
    assert not bar.play_button.isEnabled()
    bar.show_length(3.2, exact=True)
    assert bar.play_button.isEnabled()
    assert bar.length_label.text() == "0:03"


def test_a_length_that_is_not_known_yet_is_said_to_be_about(bar: TransportBar) -> None:
    bar.show_length(62, exact=False)
    assert bar.length_label.text() == "about 1:02"


def test_the_button_says_what_it_will_do(bar: TransportBar) -> None:
    bar.show_playback(Playback.PLAYING)
    assert bar.play_button.accessibleName() == "Pause"
    bar.show_playback(Playback.PAUSED)
    assert bar.play_button.accessibleName() == "Resume"
    bar.show_playback(Playback.STOPPED)
    assert bar.play_button.accessibleName() == "Play"


def test_buttons_ask(bar: TransportBar, qtbot: QtBot) -> None:
    bar.show_length(10, exact=True)
    with qtbot.waitSignals([bar.toggled, bar.back_wanted, bar.forward_wanted]):
        for button in (bar.play_button, bar.back_button, bar.forward_button):
            button.click()
