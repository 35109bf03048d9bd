"""A button with a menu of what is seldom changed: how the next run is made, and in which order stages are listed."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.settings import DEVICE_TITLES, LSTM_TITLES
from engine.artifacts.manifest import METAL_DEVICE, MPS
from engine.ops.packed_lstm import LstmMethod
from engine.preparation.devices import DEVICES, metal_obstacle
from engine.preparation.lstm_methods import LSTM_METHODS

_LSTM_TITLES = LSTM_TITLES | {LstmMethod.TORCH: "PyTorch"}


class ChoiceMenu(QMenu):
    """A menu of values, one of which is chosen: the first, until somebody chooses another."""

    def __init__(self, title: str, values: Iterable[tuple[object, str]], parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setToolTipsVisible(True)
        self.actions_of: dict[object, QAction] = {}
        group = QActionGroup(self)
        for value, words in values:
            action = self.actions_of[value] = group.addAction(words)
            action.setCheckable(True)
            self.addAction(action)
        self.choose(next(iter(self.actions_of)))

    @property
    def value(self) -> object:
        """The chosen value."""
        return next(value for value, action in self.actions_of.items() if action.isChecked())

    def choose(self, value: object) -> None:
        """Choose a value; raises `KeyError` if it is not on offer."""
        self.actions_of[value].setChecked(True)

    def forbid(self, value: object, reason: str) -> None:
        """Disable a value; its tool tip says why."""
        self.actions_of[value].setEnabled(False)
        self.actions_of[value].setToolTip(reason)


class RunOptions(QPushButton):
    """Everything but `worst_first` takes effect with the next run."""

    worst_first_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Options", parent)
        self.setAccessibleName("Options")
        self.setToolTip("How the next run is made, and how stages are listed")
        self.list = QMenu(self)
        self.list.setToolTipsVisible(True)
        self.setMenu(self.list)
        self.device = ChoiceMenu("Device", ((each, DEVICE_TITLES[each]) for each in DEVICES), self.list)
        self.lstm_method = ChoiceMenu("LSTMs", ((each, _LSTM_TITLES[each]) for each in LSTM_METHODS), self.list)
        self.probes = _switch("Inner Values", "Compare the values inside the stages too, which takes longer", self.list)
        self.worst_first = _switch("Worst Stage First", "Put the stage that diverges most on top", self.list)
        if (obstacle := metal_obstacle()) is not None:
            self.device.forbid(METAL_DEVICE, obstacle)
            self.lstm_method.forbid(MPS, obstacle)
        self.worst_first.toggled.connect(self.worst_first_toggled)
        for menu in (self.device, self.lstm_method):
            self.list.addMenu(menu)
        self.list.addActions([self.probes, self.worst_first])


def _switch(title: str, meaning: str, parent: QMenu) -> QAction:
    action = QAction(title, parent, checkable=True)
    action.setToolTip(meaning)
    return action
