from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.action_button import ActionButton, action_of


def test_it_does_and_shows_what_its_action_does_and_shows(qtbot: QtBot) -> None:
    action = QAction("Star")
    button = ActionButton(action)
    qtbot.addWidget(button)
    with qtbot.waitSignal(action.triggered):
        button.click()
    action.setText("Unstar")
    action.setEnabled(False)
    assert (button.text(), button.isEnabled()) == ("Unstar", False)


def test_its_key_counts_while_its_widget_has_the_focus(qtbot: QtBot) -> None:
    window, first, second = QWidget(), QLineEdit(), QLineEdit()
    layout, done = QVBoxLayout(window), []
    for field in (first, second):
        layout.addWidget(field)
    action_of(first, "Star", "Ctrl+B", lambda: done.append("starred"))
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    for field in (second, first):
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
        assert len(done) == (field is first)
