"""The panel below the text: how far the compiled model is from the reference, stage by stage, while it is measured."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.diagnostics.controls import DiagnosticsControls
from app.diagnostics.divergence_strip import DivergenceStrip
from app.diagnostics.drill_down import DrillDown
from app.diagnostics.results_area import ResultsArea
from app.diagnostics.run import DiagnosticsRun, RunState
from app.diagnostics.run_history import RunHistory
from app.diagnostics.stage_table import StageTable
from app.diagnostics.stage_table_model import StageTableModel
from app.diagnostics.strip_caption import StripCaption
from app.theme import Colours
from app.widgets.file_dialogs import ask_where_to_export, suggested_name
from engine.validator.results import ValidationEvent

REFRESH_MS = 50
"""However many events arrive, the panel is redrawn no more than 20 times a second."""
MARGINS_PIXELS = (12, 8, 12, 8)
SPACE_PIXELS = 6


class DiagnosticsPanel(QFrame):
    """Feed the latest run with `take`, `take_crash` and `take_stop`; the panel stays usable whatever happens.

    `diagnose_wanted` carries `DiagnosticsOptions`, `export_wanted` a `Path` (what is exported is `run`),
    `playback_wanted` samples [n] float32 and their rate in Hz.
    """

    diagnose_wanted = Signal(object)
    stop_wanted = Signal()
    export_wanted = Signal(object)
    playback_wanted = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diagnostics")
        self.history = RunHistory(self)
        self.controls = DiagnosticsControls(self)
        self.model = StageTableModel(self)
        self.table = StageTable(self.model)
        self.strip = DivergenceStrip()
        self.caption = StripCaption()
        self.drill_down = DrillDown()
        self.results = ResultsArea(self.table, self.strip, self.caption, self.drill_down, self)
        self.export_folder = Path.home()
        self._live: DiagnosticsRun | None = None
        self._run: DiagnosticsRun | None = None
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self._show_rows)
        self._stage_timer = QTimer(self, singleShot=True, interval=0)  # so that not everything is drawn at once
        self._stage_timer.timeout.connect(self._show_stage)
        self._timer.timeout.connect(self._stage_timer.start)
        self._lay_out()
        self._connect()
        self.controls.show_run(None, self.history)

    @property
    def run(self) -> DiagnosticsRun | None:
        """The run that is shown now."""
        return self._run

    @property
    def live_run(self) -> DiagnosticsRun | None:
        """The run that receives events."""
        return self._live

    @Slot(object)
    def show_run(self, run: DiagnosticsRun) -> None:
        """Add a run to the history and show it; events from now on belong to it."""
        self._live = run
        self.history.add(run)
        self._look_at(run)

    @Slot(object)
    def take(self, event: ValidationEvent) -> None:
        """Take an event, which is shown a moment later."""
        if self._live is not None:
            self._live.take(event)
            self._soon()

    @Slot(str)
    def take_crash(self, message: str) -> None:
        """Mark the run as crashed: its process has ended unexpectedly."""
        if self._live is not None:
            self._live.crash(message)
            self._soon()

    @Slot()
    def take_stop(self) -> None:
        """Mark the run as stopped on request."""
        if self._live is not None:
            self._live.stop()
            self._soon()

    @Slot()
    def refresh(self) -> None:
        """Show what is known now."""
        self._show_rows()
        self._show_stage()

    @Slot()
    def _show_rows(self) -> None:
        run, shown = self._run, self.controls.shown
        self.controls.refresh(run)
        self.controls.to_run.show_running(self._live is not None and self._live.active)
        self.model.show(run, shown, self.controls.to_show.earlier_run)
        if run is not None and run.state in (RunState.STOPPED, RunState.FAILED, RunState.CRASHED):
            self.controls.to_show.show_history(self.history, run)

    @Slot()
    def ask_where_to_export(self) -> None:
        """Ask for a file, starting in `export_folder`; `export_wanted` carries its path."""
        if self._run is not None:
            name = f"{Path(suggested_name(self._run.request.speech.text)).stem}.zip"
            ask_where_to_export(self, self.export_folder / name, self.export_wanted.emit)

    @Slot(object)
    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        for part in (self.controls, self.model, self.strip, self.caption, self.drill_down):
            part.set_colours(colours)

    def _soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def _look_at(self, run: DiagnosticsRun) -> None:
        self._run = run
        self.controls.show_run(run, self.history)
        self.refresh()

    @Slot()
    def _show_stage(self) -> None:
        run, shown, stage = self._run, self.controls.shown, self.table.stage
        self.strip.show_run(run, shown, stage)
        self.caption.show_content(self.strip.content)
        self.drill_down.show_stage(run, shown, stage)

    @Slot(str)
    def _look_into(self, stage: str) -> None:
        self.table.select(stage)
        self.results.show_drill_down()

    @Slot(str, float)
    def _on_cell(self, stage: str, seconds: float) -> None:
        self.table.select(stage)
        self.drill_down.show_moment(seconds)

    def _connect(self) -> None:
        to_run, to_show = self.controls.to_run, self.controls.to_show
        to_run.diagnose_wanted.connect(self.diagnose_wanted)
        to_run.stop_wanted.connect(self.stop_wanted)
        to_run.regime_chosen.connect(self.refresh)
        to_show.changed.connect(self._on_view)
        to_show.export_wanted.connect(self.ask_where_to_export)
        to_show.run_chosen.connect(self._look_at)
        to_show.worst_first_toggled.connect(self.table.put_worst_first)
        self.controls.status.stage_wanted.connect(self._look_into)
        self.table.stage_selected.connect(self._show_stage)
        self.table.stage_activated.connect(self._look_into)
        self.strip.cell_chosen.connect(self._on_cell)
        self.strip.stage_activated.connect(self._look_into)
        self.drill_down.playback_wanted.connect(self.playback_wanted)

    @Slot()
    def _on_view(self) -> None:
        self.table.compare_with_earlier(self.controls.to_show.earlier_run is not None)
        self.refresh()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*MARGINS_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.controls)
        layout.addWidget(self.results, 1)
