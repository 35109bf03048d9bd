"""The menu of faults that can be planted: a surprise, the usual ones, and one in each other kernel."""

from __future__ import annotations

import random
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from engine.faults.catalogue import FAULTS
from engine.faults.fault import Fault
from engine.stages import stage_named

TITLE = "Plant a Fault"
MEANING = "Put a fault into a copy of the compiled model, to see how it is found; what is spoken stays right"
SURPRISE = "Surprise Me"


class FaultMenu(QMenu):
    """`wanted` carries the name of a fault, or nothing to remove the one that is planted."""

    wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None, choose: random.Random | None = None) -> None:
        super().__init__(TITLE, parent)
        self._random = choose or random.Random()
        self.setToolTipsVisible(True)
        self.menuAction().setToolTip(MEANING)
        self.surprise = self.addAction(SURPRISE)
        self.surprise.setToolTip("Any of them: find out which")
        self.surprise.triggered.connect(self._surprise)
        self.addSeparator()
        self.faults: dict[str, QAction] = {}
        for fault in FAULTS:
            if fault.shown_first:
                self._add(self, fault)
        self.kernels = self.addMenu("In a Kernel")
        self.kernels.setToolTipsVisible(True)
        for fault in FAULTS:
            if not fault.shown_first:
                self._add(self.kernels, fault)
        self.addSeparator()
        self.remove = self.addAction("Remove the Fault")
        self.remove.triggered.connect(self._remove)
        self.show_planted("")

    def show_planted(self, name: str) -> None:
        """Tick the fault that is planted, unless it is a surprise; there is one to remove if there is a name."""
        self.remove.setEnabled(bool(name))

    def _add(self, menu: QMenu, fault: Fault) -> None:
        action = menu.addAction(fault.title)
        action.setToolTip(f"{stage_named(fault.stage).title}: {fault.planted}")
        action.triggered.connect(partial(self.wanted.emit, fault.name))
        self.faults[fault.name] = action

    @Slot()
    def _surprise(self) -> None:
        self.wanted.emit(self._random.choice(FAULTS).name)

    @Slot()
    def _remove(self) -> None:
        self.wanted.emit("")
