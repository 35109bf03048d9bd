from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run_actions import RunActions


def test_its_own_actions_are_told(qtbot: QtBot) -> None:
    button = RunActions()
    qtbot.addWidget(button)
    with qtbot.waitSignal(button.export_wanted):
        button.export.trigger()


def test_others_come_after_them(qtbot: QtBot) -> None:
    button = RunActions()
    qtbot.addWidget(button)
    action = QAction("Reduce", button)
    button.add(action)
    assert [each.text() for each in button.list.actions()] == ["Export…", "Reduce"]
