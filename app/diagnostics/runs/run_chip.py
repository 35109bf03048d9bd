"""A chip in the main window: whether all stages agree, how far a diagnosis has come, and the way to its panel."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from app.diagnostics.colours import show_tone
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_verdict import RunVerdict, verdict_of
from app.widgets.elided_text import ElidedButton


class RunChip(ElidedButton):
    """Hidden while there is nothing to tell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runChip")
        self.setAutoDefault(False)
        self._run: DiagnosticsRun | None = None
        self._verdict: RunVerdict | None = None
        self.hide()

    @Slot(object)
    def follow(self, run: DiagnosticsRun | None) -> None:
        """Show this run from the next refresh on, and earlier runs no longer; None hides the chip at once."""
        self._run = run
        if run is None:
            self._show(None)

    def refresh(self, regime: str) -> None:
        """Tell how a regime of the followed run does, or another one if it is no part of the run."""
        run = self._run
        if run is not None:
            self._show(verdict_of(run, regime if regime in run.regimes else next(reversed(run.regimes), regime)))

    def _show(self, verdict: RunVerdict | None) -> None:
        if verdict == self._verdict:
            return
        self._verdict = verdict
        self.setVisible(verdict is not None)
        if verdict is not None:
            self.say(verdict.words)
            self.setToolTip(f"{verdict.words}: show the diagnostics")
            show_tone(self, verdict.tone.value)
