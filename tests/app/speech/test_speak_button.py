from pytestqt.qtbot import QtBot

from app.speech.activity import Activity, Readiness
from app.speech.speak_button import SpeakButton

IDLE = Activity(Readiness.READY)
BUSY = Activity(Readiness.READY, making=True)


def test_one_button_speaks_and_stops(qtbot: QtBot) -> None:
    button = SpeakButton()
    qtbot.addWidget(button)
    assert button.text() == "Speak"
    with qtbot.waitSignal(button.speak_wanted):
        button.click()
    button.follow(BUSY)
    assert (button.text(), button.accessibleName()) == ("Stop", "Stop")
    with qtbot.waitSignal(button.stop_wanted):
        button.click()
    button.follow(IDLE)
    assert button.text() == "Speak"


def test_its_width_does_not_jump(qtbot: QtBot) -> None:
    button = SpeakButton()
    qtbot.addWidget(button)
    before = button.minimumSizeHint().expandedTo(button.minimumSize()).width()
    button.follow(BUSY)
    assert button.minimumSizeHint().expandedTo(button.minimumSize()).width() == before
