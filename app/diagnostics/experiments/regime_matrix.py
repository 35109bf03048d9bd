"""All stages by all regimes of one run, each cell with a figure, a mark and a colour."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QKeyEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.diagnostics.experiments.matrix_cells import Matrix, MatrixCell, column_explanation, column_title
from app.theme import LIGHT, Colours
from engine.stages import STAGE_NAMES, STAGES

ROW_PIXELS = 23
GAP_PIXELS = 1
FRAME_PIXELS = 2
MARGIN_PIXELS = 20
WIDEST_WORDS = "✓ 1 - 1.2e-12"


class _TintedCell(QStyledItemDelegate):
    """Draws a cell's own background, also under the mark of the chosen one; the style sheet would draw its own."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the background, the text, and a frame around the chosen cell."""
        area: QRect = option.rect  # type: ignore[attr-defined]
        area = area.adjusted(0, 0, -GAP_PIXELS, -GAP_PIXELS)
        background = index.data(Qt.ItemDataRole.BackgroundRole)
        if isinstance(background, QBrush):
            painter.fillRect(area, background)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)  # type: ignore[attr-defined]
        option.state &= ~(QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus)  # type: ignore[attr-defined]
        super().paint(painter, option, index)
        if chosen:
            palette: QPalette = option.palette  # type: ignore[attr-defined]
            painter.setPen(QPen(palette.color(QPalette.ColorRole.WindowText), FRAME_PIXELS))
            painter.drawRect(area.adjusted(1, 1, -1, -1))


class RegimeMatrix(QTableWidget):
    """`cell_chosen` carries a stage and a regime, by mouse or by the return key."""

    cell_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(len(STAGES), 0, parent)
        self._matrix = Matrix()
        self._colours = LIGHT
        self.setObjectName("stages")
        self.setAccessibleName("Stages by configurations")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setItemDelegate(_TintedCell(self))
        self.setShowGrid(False)
        self.setVerticalHeaderLabels([stage.title for stage in STAGES])
        self.verticalHeader().setDefaultSectionSize(ROW_PIXELS)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)
        self.cellClicked.connect(self._on_cell)

    @property
    def matrix(self) -> Matrix:
        """What is shown."""
        return self._matrix

    def show_matrix(self, matrix: Matrix) -> None:
        """Show this; cells that have not changed are left alone."""
        if matrix.regimes != self._matrix.regimes:
            self._matrix = Matrix()
            self._show_regimes(matrix.regimes)
        for number, cells in enumerate(matrix.cells):
            known = self._matrix.cells[number] if self._matrix.cells else (None,) * len(cells)
            for column, cell in enumerate(cells):
                if cell != known[column]:
                    self.setItem(number, column, self._item(cell))
        self._matrix = matrix

    def mark(self, stage: str | None, regime: str) -> None:
        """Select the cell that the panel shows; emits nothing."""
        if stage is not None and regime in self._matrix.regimes:
            self.setCurrentCell(STAGE_NAMES.index(stage), self._matrix.regimes.index(regime))
        else:
            self.clearSelection()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        for number, cells in enumerate(self._matrix.cells):
            for column, cell in enumerate(cells):
                self.setItem(number, column, self._item(cell))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return chooses the cell."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self._on_cell(self.currentRow(), self.currentColumn())
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Keep every figure readable in a new font, such as the style sheet sets; what does not fit is scrolled to."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            width = self.fontMetrics().horizontalAdvance(WIDEST_WORDS) + MARGIN_PIXELS
            self.horizontalHeader().setMinimumSectionSize(width)

    def _show_regimes(self, regimes: tuple[str, ...]) -> None:
        self.setColumnCount(len(regimes))
        for column, regime in enumerate(regimes):
            header = QTableWidgetItem(column_title(regime))
            header.setToolTip(column_explanation(regime))
            self.setHorizontalHeaderItem(column, header)

    def _item(self, cell: MatrixCell) -> QTableWidgetItem:
        item = QTableWidgetItem(cell.words)
        item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        item.setToolTip(cell.explanation)
        item.setData(int(Qt.ItemDataRole.AccessibleTextRole), cell.explanation)
        colour = cell.colour(self._colours)
        if colour is not None:
            item.setBackground(QBrush(colour))
        return item

    @Slot(int, int)
    def _on_cell(self, number: int, column: int) -> None:
        if column < len(self._matrix.regimes):
            self.cell_chosen.emit(STAGE_NAMES[number], self._matrix.regimes[column])
