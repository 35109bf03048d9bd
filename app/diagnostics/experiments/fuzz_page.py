"""The page of random utterances: how many to try, and what was found, the worst first."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QSpinBox, QTableView, QVBoxLayout, QWidget

from app.diagnostics.colours import PlainSelection
from app.diagnostics.experiments.experiment_bar import ExperimentBar
from app.diagnostics.experiments.trial_model import TrialColumn, TrialModel
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.runs.run_controls import faint_label
from app.diagnostics.stages.stage_pages import StagePage
from app.theme import Colours
from app.widgets.wrapping_bar import WrappingBar
from engine.validator.data.experiments import FuzzedEvent, ServiceEvent, Trial, TrialEvent
from engine.validator.experiments.fuzz import MOST_UTTERANCES

SPACE_PIXELS = 6
USUAL_COUNT = 20
MOST_SEED = 2**31 - 1
EXPLANATION = "Compares random utterances of all lengths in the regime that is looked at"


class FuzzPage(StagePage):
    """`start_wanted` carries how many utterances to try and their seed, `trial_wanted` a `Trial` to diagnose."""

    start_wanted = Signal(int, int)
    cancel_wanted = Signal()
    trial_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = ExperimentBar("Try random utterances", EXPLANATION, self)
        self.count, self.seed = QSpinBox(self), QSpinBox(self)
        self.diagnose = QPushButton("Diagnose this one", self)
        self.model = TrialModel(self)
        self.table = TrialTable(self)
        self.table.setModel(self.model)
        self._prepare()
        self._lay_out()
        self.bar.start_wanted.connect(self._on_start)
        self.bar.cancel_wanted.connect(self.cancel_wanted)
        self.diagnose.clicked.connect(self._on_diagnose)
        self.table.activated.connect(self._on_diagnose)
        self.table.selectionModel().selectionChanged.connect(self._on_selection)

    @property
    def trial(self) -> Trial | None:
        """The selected utterance."""
        chosen = self.table.selectionModel().selectedRows()
        return self.model.trials[chosen[0].row()] if chosen else None

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """See `StagePage`: random utterances belong to no run."""

    def set_colours(self, colours: Colours) -> None:
        """See `StagePage`."""
        self.model.set_colours(colours)

    @Slot()
    def begin(self) -> None:
        """Trying has begun."""
        self.model.clear()
        self.bar.begin()

    @Slot(object)
    def take(self, event: ServiceEvent) -> None:
        """Take an event of a fuzz."""
        self.bar.take(event)
        if isinstance(event, TrialEvent):
            self.model.add(event.trial)
        elif isinstance(event, FuzzedEvent):
            self.bar.end(f"{event.within_tolerance} of {event.utterances} utterances within tolerance")

    @Slot(str)
    def end(self, words: str) -> None:
        """Trying has ended, for this reason or with its result."""
        if words:
            self.bar.end(f"{words} {self._found()}")

    def _found(self) -> str:
        trials = self.model.trials
        within = sum(trial.within_tolerance for trial in trials)
        return f"{within} of {len(trials)} utterances so far within tolerance." if trials else ""

    @Slot()
    def _on_start(self) -> None:
        self.start_wanted.emit(self.count.value(), self.seed.value())

    @Slot()
    @Slot(QModelIndex)
    def _on_diagnose(self, index: QModelIndex | None = None) -> None:
        if self.trial is not None:
            self.trial_wanted.emit(self.trial)

    @Slot()
    def _on_selection(self) -> None:
        self.diagnose.setEnabled(self.trial is not None)

    def _prepare(self) -> None:
        self.count.setRange(1, MOST_UTTERANCES)
        self.count.setValue(USUAL_COUNT)
        self.count.setAccessibleName("Number of utterances")
        self.seed.setRange(0, MOST_SEED)
        self.seed.setAccessibleName("Seed of the utterances")
        self.seed.setToolTip("Another seed gives other utterances")
        self.diagnose.setObjectName("panelButton")
        self.diagnose.setToolTip("Compare the selected utterance stage by stage")
        self.diagnose.setEnabled(False)

    def _lay_out(self) -> None:
        top = WrappingBar(self)
        top.add(self.bar, share=1)
        top.add(faint_label("Number", self.count), self.count)
        top.add(faint_label("Seed", self.seed), self.seed)
        top.add(self.diagnose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(top)
        layout.addWidget(self.table, 1)


class TrialTable(QTableView):
    """Rows as a whole are selected; return activates one on every system."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stages")
        self.setAccessibleName("Random utterances, the worst first")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegateForColumn(TrialColumn.VERDICT, PlainSelection(self))
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setResizeContentsPrecision(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return activates the row."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
