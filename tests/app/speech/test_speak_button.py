import pytest
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.activity import Activity, Readiness
from app.speech.speak_button import SpeakButton, StopButton

IDLE = Activity(Readiness.READY)
PLAYING = Activity(Readiness.READY, playback=Playback.PLAYING)
PAUSED = Activity(Readiness.READY, playback=Playback.PAUSED)


@pytest.fixture
def button(qtbot: QtBot) -> SpeakButton:
    button = SpeakButton()
    qtbot.addWidget(button)
    return button


def test_one_button_is_speak_pause_and_resume_in_turn(button: SpeakButton, qtbot: QtBot) -> None:
    for activity, text in ((IDLE, "Speak"), (PLAYING, "Pause"), (PAUSED, "Resume")):
        button.follow(activity)
        assert (button.text(), button.accessibleName()) == (text, text)
        wanted = button.speak_wanted if activity is IDLE else button.toggle_wanted
        other = button.toggle_wanted if activity is IDLE else button.speak_wanted
        with qtbot.waitSignal(wanted), qtbot.assertNotEmitted(other):
            button.click()


def test_a_selection_is_named_unless_something_is_heard(button: SpeakButton, qtbot: QtBot) -> None:
    button.show_selection(True)
    assert button.text() == "Speak Selection"
    with qtbot.waitSignal(button.speak_wanted):
        button.click()
    button.set_short(True)
    assert (button.text(), button.accessibleName()) == ("Selection", "Speak Selection")
    button.follow(PLAYING)
    assert button.text() == "Pause"
    button.follow(IDLE)
    button.show_selection(False)
    assert button.text() == "Speak"


def test_its_width_does_not_jump(button: SpeakButton) -> None:
    before = button.minimumSizeHint().expandedTo(button.minimumSize()).width()
    for activity in (PLAYING, PAUSED):
        button.follow(activity)
        assert button.minimumSizeHint().expandedTo(button.minimumSize()).width() == before


@pytest.mark.parametrize(
    ("activity", "there"),
    [(IDLE, False), (PLAYING, True), (PAUSED, True), (Activity(making=True), True), (Activity(previewing=True), True)],
)
def test_stop_is_there_while_there_is_something_to_stop(activity: Activity, there: bool, qtbot: QtBot) -> None:
    button = StopButton()
    qtbot.addWidget(button)
    button.follow(activity)
    assert button.isHidden() is not there
    assert button.sizePolicy().retainSizeWhenHidden()
