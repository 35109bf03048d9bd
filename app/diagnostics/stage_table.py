"""The table of stages: select one, sort by any column."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.diagnostics.colours import PlainSelection
from app.diagnostics.metric_words import VERDICT_TITLES, verdict_words
from app.diagnostics.stage_columns import Column
from app.diagnostics.stage_table_model import STAGE_ROLE, StageTableModel, WorstFirstProxy
from engine.stages import STAGES
from engine.validator.results import Verdict

ROW_PIXELS = 25
CELL_MARGIN_PIXELS = 12
GIVE_WAY = (Column.FLOOR, Column.REFERENCE_MS, Column.OURS_MS, Column.SQNR, Column.MAX_ERROR, Column.CORRELATION)
WIDEST_WORDS = {
    Column.STAGE: tuple(stage.title for stage in STAGES),
    Column.CORRELATION: ("1 − 2e−10", "Correlation", "3 of 42 differ"),
    Column.FLOOR: ("1 − 2e−10",),
    Column.MAX_ERROR: ("Max error", "−1.2e−5"),
    Column.SQNR: ("120.0 dB",),
    Column.OURS_MS: ("Ours ms", "10,000"),
    Column.REFERENCE_MS: ("Ref. ms", "10,000"),
    Column.VERDICT: tuple(map(verdict_words, Verdict)),
    Column.CHANGE: ("−100.0 dB", f"was {VERDICT_TITLES[Verdict.INCOMPARABLE]}"),
}


class StageTable(QTableView):
    """`stage_selected` is emitted for every selection, `stage_activated` when the user opens a stage."""

    stage_selected = Signal(str)
    stage_activated = Signal(str)

    def __init__(self, model: StageTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fitted = False
        self.proxy = WorstFirstProxy(model, self)
        self.setModel(self.proxy)
        self._prepare()
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.clicked.connect(self._activate_current)
        self.compare_with_earlier(False)

    @property
    def stage(self) -> str | None:
        """The selected stage."""
        chosen = self.currentIndex().data(STAGE_ROLE) if self.selectionModel().hasSelection() else None
        return chosen if isinstance(chosen, str) else None

    def select(self, stage: str) -> None:
        """Select a stage."""
        index = self.proxy.index_of(stage)
        if self.stage != stage:
            self.setCurrentIndex(index)
            self.selectRow(index.row())
        self.scrollTo(index)

    @Slot(bool)
    def put_worst_first(self, wanted: bool) -> None:
        """Sort the worst stage to the top, or the stages in their order."""
        column, order = (
            (Column.VERDICT, Qt.SortOrder.DescendingOrder) if wanted else (Column.STAGE, Qt.SortOrder.AscendingOrder)
        )
        self.sortByColumn(column, order)

    def compare_with_earlier(self, wanted: bool) -> None:
        """Show or hide the column of changes."""
        self.setColumnHidden(Column.CHANGE, not wanted)
        self._make_room()

    def showEvent(self, event: QShowEvent) -> None:
        """Set the widths of the columns the first time."""
        super().showEvent(event)
        if not self._fitted:
            self._fitted = True
            self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the less important columns if space is short."""
        super().resizeEvent(event)
        self._make_room()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens the stage."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate_current()
        else:
            super().keyPressEvent(event)

    @Slot(QItemSelection, QItemSelection)
    def _on_selection(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if self.stage is not None and selected.count():
            self.stage_selected.emit(self.stage)

    @Slot()
    def _activate_current(self) -> None:
        if self.stage is not None:
            self.stage_activated.emit(self.stage)

    def _prepare(self) -> None:
        self.setObjectName("stages")
        self.setAccessibleName("Stages")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setItemDelegateForColumn(Column.VERDICT, PlainSelection(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        self.put_worst_first(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_PIXELS)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)

    def _fit_columns(self) -> None:
        """Fit the longest texts, in the font that the style sheet has set by now."""
        for column in Column:
            self.horizontalHeader().resizeSection(column, self._width_of(column))
        self._make_room()

    def _make_room(self) -> None:
        shown = [each for each in Column if each is not Column.CHANGE or not self.isColumnHidden(each)]
        missing = sum(map(self._width_of, shown)) - self.viewport().width()
        for column in GIVE_WAY:
            self.setColumnHidden(column, missing > 0)
            missing -= self._width_of(column)

    def _width_of(self, column: Column) -> int:
        return max(map(self.fontMetrics().horizontalAdvance, WIDEST_WORDS[column])) + CELL_MARGIN_PIXELS
