from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.widgets.action_button import ActionButton


def test_it_does_and_shows_what_its_action_does_and_shows(qtbot: QtBot) -> None:
    action = QAction("Star")
    button = ActionButton(action)
    qtbot.addWidget(button)
    with qtbot.waitSignal(action.triggered):
        button.click()
    action.setText("Unstar")
    action.setEnabled(False)
    assert (button.text(), button.isEnabled()) == ("Unstar", False)
