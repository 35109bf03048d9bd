"""The status of a run: in the panel, with a link to its first divergence, and as a chip in the main window."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.diagnostics.colors import show_tone
from app.diagnostics.metric_text import regime_title
from app.diagnostics.runs.run import DiagnosticsRun, RunState
from app.diagnostics.runs.run_text import RunVerdict, describe_state, divergence_of, verdict_of
from app.widgets.controls import show_fraction
from app.widgets.elided_text import ElidedButton, ElidedLabel
from engine.stages import STAGE_NAMES

SPACE_PIXELS = 10
LINE_PIXELS = 2
PROGRESS_WIDTH_PIXELS = 90
PROGRESS_HEIGHT_PIXELS = 4


class RunStatus(QWidget):
    """The status line of a run.

    `stage_requested` carries the first stage that is itself wrong, when its link is clicked. `start_again_requested`
    asks to restart an unresponsive process. `CaseActions` shows and hides `reduce_button`.
    """

    stage_requested = Signal(str)
    start_again_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage = ""
        self._run: DiagnosticsRun | None = None
        self._regime = ""
        self._activities: dict[object, tuple[str, float | None]] = {}
        self.pointer = ElidedButton(self)
        self.pointer.setObjectName("pointer")
        self.pointer.hide()
        self.reduce_button = QPushButton("Reduce", self)
        self.reduce_button.setObjectName("panelButton")
        self.reduce_button.hide()
        self.details = QLabel(self)
        self.details.setObjectName("faint")
        self.details.setWordWrap(True)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details.hide()
        self.start_again = QPushButton("Restart", self)
        self.start_again.setToolTip("Restart the unresponsive reference process")
        self.start_again.hide()
        self.label = ElidedLabel(self)
        self.label.setObjectName("faint")
        self.label.setAccessibleName("Diagnostics status")
        self.progress = QProgressBar(self)
        self.progress.setObjectName("progress")
        self.progress.setAccessibleName("Diagnostics progress")
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(PROGRESS_WIDTH_PIXELS, PROGRESS_HEIGHT_PIXELS)
        column, top, line = QVBoxLayout(self), QHBoxLayout(), QHBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(LINE_PIXELS)
        line.setSpacing(SPACE_PIXELS)
        line.addWidget(self.progress)
        line.addWidget(self.label, 1)
        line.addWidget(self.start_again)
        top.setSpacing(SPACE_PIXELS)
        top.addWidget(self.pointer)
        top.addWidget(self.reduce_button)
        top.addStretch(1)
        column.addLayout(top)
        column.addWidget(self.details)
        column.addLayout(line)
        self.start_again.clicked.connect(self.start_again_requested)
        self.pointer.clicked.connect(self._on_pointer)
        self.show_run(None, "")

    def show_run(self, run: DiagnosticsRun | None, regime: str) -> None:
        """Show the progress of this run, and the divergence of this configuration."""
        self._run, self._regime = run, regime
        verdict = divergence_of(run, regime)
        finding = run.first_divergence(regime) if run is not None else None
        self._stage = finding.stage if finding is not None else ""
        self.pointer.set_text(verdict.words if verdict is not None else "")
        self.pointer.setVisible(verdict is not None)
        show_tone(self.pointer, verdict.tone.value if verdict is not None else "")
        self.pointer.setEnabled(bool(self._stage))
        self.details.setText(verdict.details if verdict is not None else "")
        self.details.setVisible(bool(self.details.text()))
        self.start_again.setVisible(run is not None and run.is_stuck)
        if not self._activities:
            self.label.set_text(_describe_status(run, regime))
            failed = run is not None and run.state in (RunState.FAILED, RunState.CRASHED)
            show_tone(self.label, "error" if failed else "")
            self._show_progress(run)

    def show_activity(self, source: object, words: str, fraction: float | None = None) -> None:
        """Show a task of `source` and its progress instead of the run's; empty `words` end it.

        Of several tasks, the one that was updated last is displayed.
        """
        self._activities.pop(source, None)
        if words:
            self._activities[source] = words, fraction
        if not self._activities:
            self.show_run(self._run, self._regime)
            return
        words, fraction = next(reversed(self._activities.values()))
        self.label.set_text(words)
        show_tone(self.label, "")
        self.progress.show()
        show_fraction(self.progress, fraction)

    def _show_progress(self, run: DiagnosticsRun | None) -> None:
        self.progress.setVisible(run is not None and run.active)
        if run is None or not run.active:
            return
        show_fraction(self.progress, _fraction_done(run))

    @Slot()
    def _on_pointer(self) -> None:
        self.stage_requested.emit(self._stage)


def _fraction_done(run: DiagnosticsRun) -> float | None:
    """Return the progress of the current step: of the preparation, or of all stages of all utterances."""
    if run.preparation is not None:
        return run.preparation.done / run.preparation.total if run.preparation.total > 1 else None
    if not run.utterances:
        return None
    row = run.last_row
    done = run.progress.compared * len(STAGE_NAMES) + (STAGE_NAMES.index(row.stage) if row is not None else 0)
    return done / (len(run.utterances) * len(STAGE_NAMES))


def _describe_status(run: DiagnosticsRun | None, regime: str) -> str:
    words = describe_state(run)
    if run is None or regime in run.regimes:
        return words
    if regime == run.reference:
        return f"{words} {regime_title(regime)} is the reference."
    return f"{words} {regime_title(regime)} wasn’t part of this run. Click Diagnose to run it."


class RunChip(ElidedButton):
    """The status of a run in the main window; hidden if there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusChip")
        self.setAutoDefault(False)
        self._run: DiagnosticsRun | None = None
        self._verdict: RunVerdict | None = None
        self.hide()

    @Slot(object)
    def show_run(self, run: DiagnosticsRun | None) -> None:
        """Show this run from the next refresh on, instead of earlier runs; None hides the chip immediately."""
        self._run = run
        if run is None:
            self._show(None)

    def refresh(self, regime: str) -> None:
        """Show the status of a configuration of the followed run, or of its last one if the run does not include it."""
        run = self._run
        if run is not None:
            self._show(verdict_of(run, regime if regime in run.regimes else next(reversed(run.regimes), regime)))

    def _show(self, verdict: RunVerdict | None) -> None:
        if verdict == self._verdict:
            return
        self._verdict = verdict
        self.setVisible(verdict is not None)
        if verdict is not None:
            self.set_text(verdict.words)
            self.setToolTip(f"{verdict.words}: show the diagnostics")
            show_tone(self, verdict.tone.value)
