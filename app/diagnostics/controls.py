"""Everything above the results: what to run, what to show, and the progress."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.runs.run_controls import RunControls
from app.diagnostics.runs.run_history import RunHistory
from app.diagnostics.runs.run_status import RunStatus
from app.diagnostics.view_controls import ViewControls

SPACE_PIXELS = 6


class DiagnosticsControls(QWidget):
    """Three lines, all public: `to_run`, `to_show`, `status`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.to_run = RunControls(self)
        self.to_show = ViewControls(self)
        self.status = RunStatus(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        for line in (self.to_run, self.to_show, self.status):
            layout.addWidget(line)

    @property
    def shown(self) -> Shown:
        """The part of the run to show."""
        regime = str(self.to_run.regime.value)
        return Shown(regime, self.to_show.shown_reading, self.to_show.shown_utterance)

    def show_run(self, run: DiagnosticsRun | None, history: RunHistory) -> None:
        """Show another run."""
        if run is not None:
            self.to_run.reference.choose(run.request.reference)
        self.to_show.show_history(history, run)
        self.refresh(run)

    def refresh(self, run: DiagnosticsRun | None) -> None:
        """Update after the run has advanced."""
        if run is not None:
            self.to_run.offer_regimes(run.regimes)
            self.to_show.show_utterances(run.utterances)
        self.status.show_run(run, self.shown.regime)

    def show_part(self, shown: Shown) -> None:
        """Choose the part of the run to show."""
        self.to_run.regime.choose(shown.regime)
        self.to_show.reading.choose(shown.reading)
        self.to_show.utterance.choose(shown.utterance)
