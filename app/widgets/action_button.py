"""A button for an action that a menu offers as well."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget


class ActionButton(QPushButton):
    """A button for an action: its title, its tool tip, and whether it can be used."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = action
        self.setObjectName("panelButton")
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        self.setText(self._action.text())
        self.setEnabled(self._action.isEnabled())
        self.setVisible(self._action.isVisible())
        self.setToolTip(self._action.toolTip())
