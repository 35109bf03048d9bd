"""The page that compares the run that is shown with another one, output by output."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QTableView, QVBoxLayout, QWidget

from app.diagnostics.metric_words import regime_title
from app.diagnostics.runs.pair_table_model import PairColumn, PairTableModel
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.runs.run_controls import faint_label
from app.diagnostics.runs.run_history import RunHistory
from app.diagnostics.stages.stage_pages import StagePage
from app.widgets.combo_box import ComboBox
from app.widgets.wrapping_bar import WrappingBar
from engine.validator.reports.run_comparison import RunComparison, compare_runs

NO_OTHER = "no other run"
CHOOSE = "Diagnose again, or open a run, to have one to compare with."
COMPARABLE = "The same speech and the same reference, so errors can be compared."
SPACE_PIXELS = 4
ROW_PIXELS = 24


class ComparisonPage(StagePage):
    """Both values of each output, and the error of the run that is shown over the other's; words where there is none.

    The other run may be in another regime, and may be the same run.
    """

    def __init__(self, history: RunHistory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._run: DiagnosticsRun | None = None
        self._shown: Shown | None = None
        self._known: tuple[object, ...] = ()
        self.other = ComboBox("Other run", "The run to compare with", 24, self)
        self.regime = ComboBox("Other regime", "The way of running the model, in the other run", 14, self)
        self.words = QLabel(self)
        self.model = PairTableModel(self)
        self.table = QTableView(self)
        self._prepare()
        self._lay_out()
        self.other.chosen.connect(self._on_choice)
        self.regime.chosen.connect(self._on_choice)
        history.changed.connect(self._on_choice)
        self.table.activated.connect(self._on_activated)

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Compare this part of a run with the same part of the other."""
        self._run, self._shown = run, shown
        self._offer_runs()
        other = self.other.value
        if run is None or not isinstance(other, DiagnosticsRun):
            self._say(CHOOSE)
            self.model.show(())
            return
        self._offer_regimes(other, shown)
        theirs = str(self.regime.value)
        utterance = run.utterance_to_show(shown)
        known = (run, run.row_count, other, other.row_count, shown, theirs, utterance)
        if known != self._known:
            self._known = known
            self._show(compare_runs(run.report_so_far, shown.regime, other.report_so_far, theirs), shown, utterance)

    def _show(self, found: RunComparison, shown: Shown, utterance: int) -> None:
        self._say(_words(found))
        wanted = (shown.reading, utterance)
        self.model.show(tuple(pair for pair in found.pairs if (pair.reading, pair.utterance) == wanted))

    def _say(self, words: str) -> None:
        self.words.setText(words)
        self.words.setAccessibleName(words)

    def _offer_runs(self) -> None:
        others = [each for each in self._history.listed if each.run is not self._run]
        same = [each for each in self._history.listed if each.run is self._run]
        entries = [(each.run, each.title, each.run.request.speech.text) for each in [*others, *same]]
        self.other.offer(entries or [(None, NO_OTHER, "")])

    def _offer_regimes(self, other: DiagnosticsRun, shown: Shown) -> None:
        """Offer what the other run compared, first the regime that is shown."""
        ordered = sorted(other.regimes, key=lambda regime: regime != shown.regime)
        self.regime.offer((regime, regime_title(regime), "") for regime in ordered)

    @Slot()
    @Slot(object)
    def _on_choice(self, value: object = None) -> None:
        if self._shown is not None and self.isVisible():
            self.show_stage(self._run, self._shown, None)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        if self._shown is not None:
            self.part_wanted.emit(self._shown, self.model.stage_at(index.row()))

    def _prepare(self) -> None:
        self.words.setWordWrap(True)
        self.words.setObjectName("faint")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.table.setModel(self.model)
        self.table.setObjectName("pairs")
        self.table.setAccessibleName("Two runs compared")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_PIXELS)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(PairColumn.OUTPUT, QHeaderView.ResizeMode.Stretch)

    def _lay_out(self) -> None:
        bar = WrappingBar(self)
        bar.add(faint_label("Compared with", self.other), self.other, share=3)
        bar.add(faint_label("in", self.regime), self.regime, share=1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(bar)
        layout.addWidget(self.words)
        layout.addWidget(self.table, 1)


def _words(found: RunComparison) -> str:
    if found.obstacles:
        return f"These runs cannot be compared. {' '.join(found.obstacles)}"
    return f"{COMPARABLE} They differ in: {'; '.join(found.differences)}." if found.differences else COMPARABLE
