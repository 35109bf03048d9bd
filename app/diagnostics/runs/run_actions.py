"""A button with a menu of everything that can be done with the run that is shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget


class RunActions(QPushButton):
    """`export` is disabled while there is nothing to export; other features add their own actions."""

    export_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Actions", parent)
        self.setAccessibleName("Actions")
        self.setToolTip("What can be done with this run and its stages")
        self.list = QMenu(self)
        self.list.setToolTipsVisible(True)
        self.setMenu(self.list)
        self.export = QAction("Export…", self)
        self.export.setToolTip("Save everything about this run as one file")
        self.export.triggered.connect(self.export_wanted)
        self.add(self.export)

    def add(self, action: QAction) -> None:
        """Add an action after the others."""
        self.list.addAction(action)
