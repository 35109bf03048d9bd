"""Notices when a process that owes an answer has done nothing for too long, and when it goes on after all."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

STALLED_SECONDS = 20.0
"""Longer than anything takes that computes nothing, such as loading a model from a slow disk."""
LOOK_MS = 500
LEAST_COMPUTED_SECONDS = 0.02
"""A process that only sends its pulse computes less than this from one to the next."""


class Watchdog(QObject):
    """Watches from `watch` to `rest`; `stalled` carries for how many seconds nothing has happened, again and again."""

    stalled = Signal(int)
    went_on = Signal()

    def __init__(
        self,
        seconds: float = STALLED_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._seconds = seconds
        self._clock = clock
        self._alive_at = 0.0
        self._computed_seconds = 0.0
        self._stalled = False
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)

    def watch(self) -> None:
        """An answer is owed from now on."""
        self._stalled = False
        self._alive_at = self._clock()
        self._timer.start()

    def rest(self) -> None:
        """Nothing is owed any more."""
        self._timer.stop()
        self._stalled = False

    def note_answer(self) -> None:
        """The process has said something."""
        self._alive_at = self._clock()
        if self._stalled:
            self._stalled = False
            self.went_on.emit()

    def note_pulse(self, computed_seconds: float) -> None:
        """The process is there, and has computed for so many seconds in all."""
        if abs(computed_seconds - self._computed_seconds) >= LEAST_COMPUTED_SECONDS:
            self._computed_seconds = computed_seconds
            self.note_answer()

    @Slot()
    def look(self) -> None:
        """Tell if nothing has happened for too long."""
        still = self._clock() - self._alive_at
        if still >= self._seconds:
            self._stalled = True
            self.stalled.emit(int(still))
