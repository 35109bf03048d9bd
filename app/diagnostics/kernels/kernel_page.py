"""The Kernels page of the panel: a list and details, with a common selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from app.diagnostics.kernels.inspection import Inspection, StageInspection, summarize_inspection
from app.diagnostics.kernels.kernel_details import KernelDetails
from app.diagnostics.kernels.kernel_list import KernelList
from app.diagnostics.metric_text import format_verdict
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.run_queue import InspectionJob, RunQueue
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_pages import StagePage
from app.widgets.elided_text import ElidedButton, ElidedLabel
from app.widgets.layouts import WrappingBar
from engine.stages import STAGE_NAMES, StagePlace, stage_named
from engine.validator.data.results import InputSource, Regime, Replacement, Row
from engine.validator.data.wording import agreement

SPACE_PIXELS = 6
REFRESH_MS = 150
"""The minimum redraw interval; there may be a hundred measurements a second."""
SHARES = (400, 600)
"""The proportions of the widths of list and details."""
CHOOSE_A_STAGE = "Choose a stage to see its kernels."
NOT_INSPECTED = "{stage}: kernels not measured yet."
NO_KERNELS = "{stage} runs in Python and has no kernels."
INSPECT = "Inspect"
INSPECT_TOOL_TIP = "Run this stage’s kernels one by one and compare each with PyTorch on the same inputs"
TITLE = "Kernels"
WAVEFORM = STAGE_NAMES[-1]
COMPUTING = "Computing speech with this replacement…"
NOTHING_CAME = "No result. See the run status for details."
HEAR = "Play it on the Signals page."
TOOL_TIP = "Error, source, and code of each kernel of the stage"


class KernelPage(StagePage):
    """The kernels of the selected stage.

    `inspect_requested` carries a `InspectionJob`, `replacements_requested` one and all `Replacement`s. `known` returns
    the kernel results of a run. When a stage is first shown, it is inspected automatically.
    """

    inspect_requested = Signal(object)
    replacements_requested = Signal(object, object)

    def __init__(self, known: Callable[[DiagnosticsRun], Inspection], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inspection_of = known
        self._inspection: Inspection | None = None
        self._job: InspectionJob | None = None
        self._asked: WeakKeyDictionary[Inspection, set[str]] = WeakKeyDictionary()
        self._message = ""
        self.known: StageInspection | None = None
        """The results on display."""
        self.node: str | None = None
        """The ID of the selected node."""
        self._follows = True
        self.title = ElidedLabel(self)
        self.inspect_button = ElidedButton(self)
        self.search = QLineEdit(self)
        self.worst_first = QCheckBox("Worst first", self)
        self.listed = QWidget(self)
        self.list = KernelList(self)
        self.details = KernelDetails(self)
        self._split = QSplitter(self)
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._lay_out()
        self.inspect_button.clicked.connect(self._on_inspect)
        self.search.textChanged.connect(self.list.search)
        self.worst_first.toggled.connect(self.list.put_worst_first)
        self.list.node_chosen.connect(self.choose)
        self.details.node_chosen.connect(self.choose)
        self.details.source.replace.replacements_requested.connect(self._on_replace)
        self._timer.timeout.connect(self.refresh)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.search.setFocus)
        self._show_known(None)

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Show the kernels of a stage, and have them inspected if necessary."""
        if run is None or stage is None:
            self._job = None
            self._show_known(None)
            return
        inspection = self._inspection_of(run)
        if inspection is not self._inspection:
            self._message = ""
            self.details.source.replace.forget()
            self.details.source.set_text("")
        self._inspection = inspection
        self._job = job = InspectionJob(run, (stage,), run.utterance_to_show(shown, stage))
        self._show_known(inspection.stage(stage))
        asked = self._asked.setdefault(inspection, set())
        if self.known is None and stage not in asked and can_be_inspected(job):
            asked.add(stage)
            self.inspect_requested.emit(job)

    @Slot(object, str)
    def refresh_stage(self, run: DiagnosticsRun, stage: str) -> None:
        """Show the results for a stage in a moment, if it is on display."""
        if self._job is not None and self._job.run is run and self._stage == stage and self.isVisible():
            self._show_known(self._inspection_of(run).stage(stage))
            self.refresh_soon()

    @Slot(str)
    def show_message(self, words: str) -> None:
        """Show this until all kernels are known: the progress of the inspection, or the reason why it failed."""
        self._message = words
        self._update_title()

    @property
    def _stage(self) -> str | None:
        return self._job.stages[0] if self._job is not None else None

    def _show_known(self, known: StageInspection | None) -> None:
        self.inspect_button.setEnabled(self._job is not None and can_be_inspected(self._job))
        if known is self.known:
            self._update_title()
            return
        same = known is not None and self.known is not None and known.graph.stage == self.known.graph.stage
        node = self.node if same else None
        self.known = known
        self._follows = self._follows or node is None
        self.node = node if node is not None or known is None else known.worst_kernel()
        self._update_title()
        self.list.show_stage(known)
        self._look_at(self.node)

    def refresh_soon(self) -> None:
        """Show the results for the stage in a moment."""
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def refresh(self) -> None:
        """Show the current results for the stage."""
        self._update_title()
        self.list.refresh()
        self.details.refresh()
        worst = self.known.worst_kernel() if self.known is not None and self.known.findings else None
        if self._follows and worst is not None and worst != self.node:
            self._look_at(worst)

    @Slot(str)
    def choose(self, node: str) -> None:
        """Select a node everywhere; until the user does, the worst is selected."""
        self._follows = False
        if node != self.node:
            self._look_at(node)

    @Slot()
    def _on_inspect(self) -> None:
        if self._job is not None:
            self.inspect_requested.emit(self._job)

    @Slot(object)
    def _on_replace(self, replacements: object) -> None:
        if self._job is not None and replacements:
            self.replacements_requested.emit(self._job, replacements)
        else:
            self.details.source.set_text("")

    def _look_at(self, node: str | None) -> None:
        self.node = node
        self.list.choose(node)
        found = self.known.node(node) if self.known is not None else None
        self.details.show_node(self._stage, self.known, found)

    def _update_title(self) -> None:
        if self._stage is None:
            self.title.set_text(CHOOSE_A_STAGE)
            return
        stage = stage_named(self._stage)
        if stage.runs_on is not StagePlace.DEVICE:
            self.title.set_text(NO_KERNELS.format(stage=stage.title))
        elif self._message and (self.known is None or self.known.findings is None):
            self.title.set_text(self._message)
        elif self.known is None:
            self.title.set_text(NOT_INSPECTED.format(stage=stage.title))
        else:
            self.title.set_text(f"{stage.title}: {summarize_inspection(self.known)}")

    def _lay_out(self) -> None:
        self.setObjectName("kernelPage")
        self.title.setAccessibleName("Kernels")
        self.inspect_button.setObjectName("panelButton")
        self.inspect_button.set_text(INSPECT)
        self.inspect_button.setToolTip(INSPECT_TOOL_TIP)
        self.search.setPlaceholderText("Search kernels")
        self.search.setAccessibleName("Search kernels")
        self.search.setClearButtonEnabled(True)
        self.worst_first.setChecked(False)
        above, column = WrappingBar(self.listed), QVBoxLayout(self.listed)
        above.add(self.search, share=1)
        above.add(self.worst_first)
        column.addWidget(above)
        column.addWidget(self.list, 1)
        for number, part in enumerate((self.listed, self.details)):
            self._split.addWidget(part)
            self._split.setStretchFactor(number, SHARES[number])
        self._split.setSizes(SHARES)
        self._split.setHandleWidth(2 * SPACE_PIXELS)
        top, layout = QHBoxLayout(), QVBoxLayout(self)
        top.addWidget(self.title, 1)
        top.addWidget(self.inspect_button)
        for each in (column, top, layout):
            each.setContentsMargins(0, 0, 0, 0)
            each.setSpacing(SPACE_PIXELS)
        layout.addLayout(top)
        layout.addWidget(self._split, 1)


def can_be_inspected(job: InspectionJob) -> bool:
    """Return whether the stage has kernels, and the run has ended, so that the reference is free to inspect them."""
    return stage_named(job.stages[0]).runs_on is StagePlace.DEVICE and not job.run.active


class InspectionFeature(QObject):
    """The Kernels page in a panel; failing stages are inspected automatically."""

    def __init__(self, panel: DiagnosticsPanel, queue: RunQueue) -> None:
        super().__init__(panel)
        self._panel = panel
        self._queue = queue
        self._replaced: InspectionJob | None = None
        self.page = KernelPage(queue.known)
        panel.add_page(TITLE, self.page, TOOL_TIP)
        self.page.inspect_requested.connect(queue.inspect)
        self.page.replacements_requested.connect(self._on_replace)
        queue.run_started.connect(self._on_run)
        queue.changed.connect(self._tell_outcome)
        queue.inspected.connect(self.page.refresh_stage)
        queue.message_sent.connect(self._on_message)
        queue.not_inspected.connect(self.page.show_message)

    @Slot(object, object)
    def _on_replace(self, job: InspectionJob, replacements: tuple[Replacement, ...]) -> None:
        run = self._queue.substitute(job, replacements)
        self._replaced = None if run is None else replace(job, run=run)
        self.page.details.source.set_text("" if run is None else COMPUTING)

    @Slot()
    def _on_run(self) -> None:
        self._replaced = None

    @Slot()
    def _tell_outcome(self) -> None:
        """Show and describe the outcome of replacing kernels, once the run with the replacements has ended."""
        if self._replaced is None or self._replaced.run.active:
            return
        job, self._replaced = self._replaced, None
        shown = replaced_part(job.run) if job.run.report is not None else None
        if shown is None:
            self.page.details.source.set_text(NOTHING_CAME)
            return
        self._panel.refresh()  # makes the configuration available
        self._panel.show_part(shown, job.stages[0])
        self.page.details.source.set_text(describe_outcome(job.run, shown, job.stages[0]))

    @Slot(str, object)
    def _on_message(self, words: str, fraction: float | None) -> None:
        self._panel.show_activity(self._queue, words, fraction)
        self.page.show_message(words)


def replaced_part(run: DiagnosticsRun) -> Shown | None:
    """Return the configuration of a run with replaced kernels, with isolated stages; None if it has no results."""
    known = tuple(Regime)
    replaced = next((regime for regime in run.regimes if regime not in known), None)
    return None if replaced is None else Shown(replaced)


def describe_outcome(run: DiagnosticsRun, shown: Shown, stage: str) -> str:
    """Describe the results of a stage and the waveform with replaced kernels, and where to play the audio."""
    row, last = (
        run.stage_summary(shown, stage),
        run.stage_summary(replace(shown, reading=InputSource.END_TO_END), WAVEFORM),
    )
    parts = [f"{stage_named(each.stage).title}: {_format_row(each)}." for each in (row, last) if each is not None]
    return " ".join((*parts, HEAR))


def _format_row(row: Row) -> str:
    fed = "" if row.reading is InputSource.ISOLATED else ", everything before it included"
    return f"{format_verdict(row.verdict)}, {agreement(row.metrics)}{fed}"
