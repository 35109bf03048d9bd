"""The runs of this session, newest first."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.diagnostics.run import DiagnosticsRun

LONGEST = 20


class RunHistory(QObject):
    """Numbers the runs from 1; drops the oldest when there are too many."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None, longest: int = LONGEST) -> None:
        super().__init__(parent)
        self._longest = longest
        self._numbered: list[tuple[int, DiagnosticsRun]] = []

    @property
    def runs(self) -> tuple[DiagnosticsRun, ...]:
        """All runs, newest first."""
        return tuple(run for _, run in self._numbered)

    def add(self, run: DiagnosticsRun) -> None:
        """Add a run as the newest; one that is already listed stays where it is."""
        if run in self.runs:
            return
        number = self._numbered[0][0] + 1 if self._numbered else 1
        self._numbered.insert(0, (number, run))
        del self._numbered[self._longest :]
        self.changed.emit()

    def number_of(self, run: DiagnosticsRun) -> int:
        """The number of a run; raises `StopIteration` if it is not listed."""
        return next(number for number, each in self._numbered if each is run)
