import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.activity import Activity, Readiness
from app.speech.speak_button import Meaning, SpeakButton, StopButton

IDLE = Activity(Readiness.READY)
PLAYING = Activity(Readiness.READY, playback=Playback.PLAYING)
PAUSED = Activity(Readiness.READY, playback=Playback.PAUSED)


@pytest.fixture
def action(qtbot: QtBot) -> QAction:
    action = QAction("Play")
    action.setData(Meaning.PLAY)
    return action


@pytest.fixture
def button(qtbot: QtBot, action: QAction) -> SpeakButton:
    button = SpeakButton()
    qtbot.addWidget(button)
    button.show_action(action)
    return button


@pytest.mark.parametrize("meaning", Meaning)
def test_it_says_what_the_command_means_and_carries_it_out(
    button: SpeakButton, action: QAction, meaning: Meaning, qtbot: QtBot
) -> None:
    action.setData(meaning)
    assert (button.text(), button.accessibleName(), button.meaning) == (meaning.value, meaning.value, meaning)
    with qtbot.waitSignal(action.triggered):
        button.click()
    action.setEnabled(False)
    assert not button.isEnabled()


def test_where_space_is_short_so_is_the_text(button: SpeakButton, action: QAction) -> None:
    action.setData(Meaning.SELECTION)
    button.set_short(True)
    assert len(button.text()) < len(Meaning.SELECTION.value)
    assert button.accessibleName() == Meaning.SELECTION.value


def test_its_width_does_not_jump(button: SpeakButton, action: QAction) -> None:
    before = button.minimumSizeHint().expandedTo(button.minimumSize()).width()
    action.setData(Meaning.PAUSE)
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
