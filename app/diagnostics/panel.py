"""The panel: the error of the compiled model against the reference, stage by stage, during measurement."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from app.diagnostics.controls import RunControls, ViewControls
from app.diagnostics.outputs.drill_down import DrillDown
from app.diagnostics.runs.run import DiagnosticsRun, RunState, Shown
from app.diagnostics.runs.run_status import RunStatus
from app.diagnostics.runs.run_text import RunHistory
from app.diagnostics.stages.stage_pages import StagePage, StagePages
from app.diagnostics.stages.stage_rows import StageTableModel
from app.diagnostics.stages.stage_table import StageTable
from app.diagnostics.stages.strip import Strip
from app.diagnostics.stages.strip_painter import StripCaption
from app.messages import MessageTopic
from app.widgets.message_banner import MessageBanner
from engine.validator.data.verdicts import severity

REFRESH_MS = 50
"""The minimum redraw interval: at most 20 times a second, regardless of the number of events."""
MARGINS_PIXELS = (12, 8, 12, 8)
SPACE_PIXELS = 6
SHARES = (300, 400)
"""The heights of the list and of the pages below it, if there is more than enough space."""


class DiagnosticsPanel(QFrame):
    """The diagnostics panel, which shows a run and its progress; it stays usable after any failure.

    `diagnose_requested` carries `DiagnosticsOptions`; `refreshed` means that `run`, `shown` or `stage` may have
    changed. Other features add a page with `add_page` and an action with `add_action`.
    """

    diagnose_requested = Signal(object)
    stop_requested = Signal()
    refreshed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diagnostics")
        self.history = RunHistory()
        self.banner = MessageBanner(self)
        self.to_run = RunControls(self)
        self.to_show = ViewControls(self)
        self.status = RunStatus(self)
        self.model = StageTableModel(self)
        self.strip = Strip(self)
        self.table = StageTable(self.model, self.strip)
        self.caption = StripCaption()
        self.pages = StagePages()
        self.drill_down = DrillDown()
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.export_folder = Path.home()
        self.live_run: DiagnosticsRun | None = None
        """The run that was started last."""
        self.run: DiagnosticsRun | None = None
        """The run on display."""
        self._worst: str | None = None
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self._show_rows)
        self._stage_timer = QTimer(self, singleShot=True, interval=0)  # so that not everything is drawn at once
        self._stage_timer.timeout.connect(self._show_stage)
        self._timer.timeout.connect(self._stage_timer.start)
        self._lay_out()
        to_run, to_show = self.to_run, self.to_show
        to_run.diagnose_requested.connect(self.diagnose_requested)
        to_run.stop_requested.connect(self.stop_requested)
        to_run.regime_chosen.connect(self.refresh)
        to_show.changed.connect(self._on_view)
        to_show.run_chosen.connect(self.look_at)
        to_run.more.worst_first_toggled.connect(self.table.put_worst_first)
        self.status.stage_requested.connect(self._look_into)
        self.table.stage_selected.connect(self._show_stage)
        self.table.stage_activated.connect(self._look_into)
        self.table.moment_chosen.connect(self._on_moment)
        self.pages.page_requested.connect(self._show_page)
        self.add_page("Signals", self.drill_down, "Output of the stage: compiled above, reference below")
        self.to_show.show_history(self.history, None)

    @property
    def shown(self) -> Shown:
        """The part of the run on display."""
        return Shown(str(self.to_run.regime.value), self.to_show.shown_reading, self.to_show.shown_utterance)

    @property
    def stage(self) -> str | None:
        """The selected stage."""
        return self.table.stage

    def add_page(self, title: str, page: StagePage, tool_tip: str = "") -> None:
        """Add a page below the list of stages, after the others."""
        page.part_requested.connect(self.show_part)
        self.pages.add(title, page, tool_tip)

    def add_action(self, title: str, tool_tip: str) -> QAction:
        """Add an action for the run or its selected stage, to the menu and to the context menu of each row."""
        action = QAction(title, self)
        action.setToolTip(tool_tip)
        self.to_show.add_action(action)
        self.table.addAction(action)
        return action

    def show_activity(self, source: object, words: str, fraction: float | None = None) -> None:
        """Show a task of `source` and its progress if known; empty `words` end it."""
        self.status.show_activity(source, words, fraction)

    @Slot(object, str)
    def show_part(self, shown: Shown, stage: str) -> None:
        """Show a different part of the run, and select a stage of it."""
        self.to_run.regime.choose(shown.regime)
        self.to_show.reading.choose(shown.reading)
        self.to_show.utterance.choose(shown.utterance)
        self.refresh()
        self.table.select(stage)

    @Slot(object)
    def show_run(self, run: DiagnosticsRun) -> None:
        """Add a new run to the history and show it."""
        self.live_run = run
        self.banner.withdraw(*MessageTopic)
        self.history.add(run)
        self.look_at(run)

    @Slot()
    def refresh_soon(self) -> None:
        """Refresh in a moment."""
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def refresh(self) -> None:
        """Refresh now."""
        self._show_rows()
        self._show_stage()

    @Slot()
    def _show_rows(self) -> None:
        run = self.run
        if run is not None:
            self.to_run.offer_regimes(run.regimes)
            self.to_show.show_utterances(run.utterances)
        shown = self.shown
        self.status.show_run(run, shown.regime)
        self.to_run.show_running(self.live_run is not None and self.live_run.active)
        self.model.show(run, shown, self.to_show.earlier_run)
        if run is not None and not run.active and self.stage in (None, self._worst):
            self._choose_worst()
        if run is not None and run.state in (RunState.STOPPED, RunState.FAILED, RunState.CRASHED):
            self.to_show.show_history(self.history, run)

    @Slot(object)
    def look_at(self, run: DiagnosticsRun) -> None:
        """Show a run of the history; a different one may be in progress."""
        self.run = run
        self.to_run.reference.choose(run.request.reference)
        self.to_show.show_history(self.history, run)
        self.refresh()

    @Slot()
    def _show_stage(self) -> None:
        run, shown, stage = self.run, self.shown, self.stage
        self.strip.show_run(run, shown, stage)
        self._show_caption()
        self._show_page()
        self.refreshed.emit()

    @Slot()
    def _show_page(self) -> None:
        self.pages.current.show_stage(self.run, self.shown, self.stage)
        self.pages.current.show_moment(self.strip.cursor)

    def _choose_worst(self) -> None:
        """Select the worst stage of each run until the user selects a different one."""
        known = [(severity(entry.row), entry.stage.name) for entry in self.model.entries if entry.row is not None]
        if known:
            self._worst = max(known)[1]
            self.table.select(self._worst)

    def _show_caption(self) -> None:
        self.caption.show_content(self.strip.content, self.strip.describe_cursor(self.stage))

    @Slot(str)
    def _look_into(self, stage: str) -> None:
        self.table.select(stage)
        self.pages.tabs.setFocus()

    @Slot(float)
    def _on_moment(self, seconds: float) -> None:
        self._show_caption()
        self.pages.current.show_moment(seconds)

    @Slot()
    def _on_view(self) -> None:
        self.table.compare_with_earlier(self.to_show.earlier_run is not None)
        self.refresh()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*MARGINS_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        for line in (self.banner, self.to_run, self.to_show, self.status):
            layout.addWidget(line)
        layout.addWidget(self.split, 1)
        upper = QWidget(self.split)
        self.pages.room_requested.connect(upper.setHidden)
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_PIXELS // 2)
        column.addWidget(self.table, 1)
        column.addWidget(self.caption)
        self.split.addWidget(self.pages)
        self.split.setChildrenCollapsible(False)
        self.split.setSizes(SHARES)
        self.split.setStretchFactor(1, 1)
