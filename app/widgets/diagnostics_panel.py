"""The panel under the text: how far the compiled model is from the reference, stage by stage, as it is found out.

It does not know where the events come from, nor who plays or saves anything.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from app.diagnostics_run import DiagnosticsRun, RunState
from app.models.run_history import RunHistory
from app.models.stage_table_model import StageTableModel
from app.theme import Colours
from app.widgets.diagnostics_controls import DiagnosticsControls
from app.widgets.divergence_strip import DivergenceStrip
from app.widgets.stage_table import StageTable
from engine.validator.results import ValidationEvent

REFRESH_MS = 50
"""However many events come, no more than 20 times a second is anything drawn anew."""
MARGINS_PIXELS = (12, 8, 12, 8)
SPACE_PIXELS = 6
SHARES = (590, 410)


class DiagnosticsPanel(QFrame):
    """Feed the run that was shown last with `take`, `take_crash` and `take_stop`; it stays usable whatever happens.

    `diagnose_wanted` carries `DiagnosticsOptions`, `export_wanted` a `Path` (what is exported is `run`),
    `playback_wanted` samples [n] float32 and their rate in Hz, `run_forgotten` a `DiagnosticsRun` nobody can see again.
    """

    diagnose_wanted = Signal(object)
    stop_wanted = Signal()
    export_wanted = Signal(object)
    playback_wanted = Signal(object, int)
    run_forgotten = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diagnostics")
        self.history = RunHistory(self)
        self.controls = DiagnosticsControls(self)
        self.model = StageTableModel(self)
        self.split = QSplitter(Qt.Orientation.Horizontal, self)
        self.table = StageTable(self.model, self.split)
        self.strip = DivergenceStrip(self.split)
        self._live: DiagnosticsRun | None = None
        self._run: DiagnosticsRun | None = None
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self._lay_out()
        self._connect()
        self.controls.show_run(None, self.history)

    @property
    def run(self) -> DiagnosticsRun | None:
        """The run that is shown."""
        return self._run

    @property
    def live_run(self) -> DiagnosticsRun | None:
        """The run that is fed."""
        return self._live

    @Slot(object)
    def show_run(self, run: DiagnosticsRun) -> None:
        """Add a run to the history and show it; what is taken from now on belongs to it."""
        self._live = run
        self.history.add(run)
        self._look_at(run)

    @Slot(object)
    def take(self, event: ValidationEvent) -> None:
        """Something was found; it is shown a moment later."""
        if self._live is not None:
            self._live.take(event)
            self._soon()

    @Slot(str)
    def take_crash(self, message: str) -> None:
        """The process that computed it has ended by itself."""
        if self._live is not None:
            self._live.crash(message)
            self._soon()

    @Slot()
    def take_stop(self) -> None:
        """It was stopped on request."""
        if self._live is not None:
            self._live.stop()
            self._soon()

    @Slot()
    def refresh(self) -> None:
        """Show what is known now."""
        run, shown = self._run, self.controls.shown
        self.controls.refresh(run)
        self.controls.to_run.show_running(self._live is not None and self._live.active)
        self.model.show(run, shown, self.controls.to_show.earlier_run)
        self.strip.show_run(run, shown, self.table.stage)
        if run is not None and run.state in (RunState.STOPPED, RunState.FAILED, RunState.CRASHED):
            self.controls.to_show.show_history(self.history, run)

    @Slot(object)
    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        for part in (self.controls, self.model, self.strip):
            part.set_colours(colours)

    def _soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def _look_at(self, run: DiagnosticsRun) -> None:
        self._run = run
        self.controls.show_run(run, self.history)
        self.refresh()

    @Slot(str)
    def _on_stage(self, stage: str) -> None:
        self.refresh()

    @Slot(str, float)
    def _on_cell(self, stage: str, seconds: float) -> None:
        self.table.select(stage)

    def _connect(self) -> None:
        to_run, to_show = self.controls.to_run, self.controls.to_show
        to_run.diagnose_wanted.connect(self.diagnose_wanted)
        to_run.stop_wanted.connect(self.stop_wanted)
        to_run.closed.connect(self.closed)
        to_run.regime_chosen.connect(self.refresh)
        to_show.changed.connect(self._on_view)
        to_show.run_chosen.connect(self._look_at)
        to_show.worst_first_toggled.connect(self.table.put_worst_first)
        self.controls.status.stage_wanted.connect(self.table.select)
        self.table.stage_selected.connect(self._on_stage)
        self.strip.cell_chosen.connect(self._on_cell)
        self.history.forgotten.connect(self.run_forgotten)

    @Slot()
    def _on_view(self) -> None:
        self.table.compare_with_earlier(self.controls.to_show.earlier_run is not None)
        self.refresh()

    def _lay_out(self) -> None:
        self.split.setChildrenCollapsible(False)
        self.split.setSizes(SHARES)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*MARGINS_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.controls)
        layout.addWidget(self.split, 1)
