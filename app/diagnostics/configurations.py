"""The Configurations page: every stage in every configuration, with controls for padding and mixed stages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.diagnostics.colors import ColorTone, FollowsTheme, tone_color, verdict_tone
from app.diagnostics.controls import faint_label, regimes_of
from app.diagnostics.metric_text import EXPECTED_RED, REGIME_TITLES, VERDICT_SIGNS, describe_verdict, regime_title
from app.diagnostics.runs.run import DEFAULT_PADDING, DiagnosticsRun, Shown
from app.diagnostics.stages.stage_pages import StagePage
from app.widgets.controls import ComboBox
from app.widgets.elided_text import ElidedLabel
from app.widgets.layouts import WrappingBar
from engine.stages import DEVICE_STAGES, STAGE_NAMES, STAGES, Stage
from engine.validator.data.results import REGIME_DESCRIPTIONS, Regime, Row, Verdict
from engine.validator.data.wording import row_correlation
from engine.validator.runners.regimes import MAX_PADDING

SPACE_PIXELS = 6
ROW_PIXELS = 23
GAP_PIXELS = 1
FRAME_PIXELS = 2
MARGIN_PIXELS = 20
WIDEST_TEXT = "✓ 1 - 1.2e-12"
SOURCE_CHARACTERS, PADDING_CHARACTERS = 12, 7
PADDINGS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
PADDING_TOOL_TIP = "How much longer than the speech the padded arrays are; the result shouldn’t change"
OWN_FAULT_ALPHA = 110
INHERITED_ALPHA = 55
RIGHT_ALPHA = 45
PASSED_ON = (Verdict.INHERITED, Verdict.INCOMPARABLE)
NOT_MIXED = Regime.COMPILED
"""The source of the stages that are not chosen."""
MIXED = "Mixed"
EXPECTED = "(red is expected)"
LEGEND = "Green: within tolerance. Red: beyond it; pale if the error comes from an earlier stage."
MIX = "Mix Stages"
START = "Click Compare All to run every stage in every configuration."


@dataclass(frozen=True)
class MatrixCell:
    """One stage in one configuration; `row` is its worst, None while unknown."""

    stage: Stage
    regime: str
    row: Row | None

    @property
    def words(self) -> str:
        """A sign and a number."""
        return "" if self.row is None else f"{VERDICT_SIGNS[self.row.verdict]} {row_correlation(self.row)}"

    @property
    def explanation(self) -> str:
        """The cell as a sentence or two."""
        title = f"{self.stage.title}, {regime_title(self.regime)}"
        if self.row is None:
            return f"{title}: no results yet."
        return f"{title}: {self.row.output}, {row_correlation(self.row)}. {describe_verdict(self.row)}"

    def color(self) -> QColor | None:
        """Return green within tolerance; red beyond it, pale if the stage only passes on errors of its inputs."""
        if self.row is None:
            return None
        passed_on = self.row.verdict in PASSED_ON
        color = QColor(tone_color(ColorTone.ERROR if passed_on else verdict_tone(self.row.verdict)))
        right_or_wrong = RIGHT_ALPHA if self.row.verdict is Verdict.PASS else OWN_FAULT_ALPHA
        color.setAlpha(INHERITED_ALPHA if passed_on else right_or_wrong)
        return color


@dataclass(frozen=True)
class Matrix:
    """Cells by stage, then by configuration, in the order of `regimes`."""

    regimes: tuple[str, ...] = ()
    cells: tuple[tuple[MatrixCell, ...], ...] = ()


def matrix_of(run: DiagnosticsRun, shown: Shown) -> Matrix:
    """Return every stage in every configuration of a run, with one input source, in one utterance or the worst."""
    order = [*map(str, Regime)]
    regimes = tuple(sorted(run.regimes, key=lambda name: order.index(name) if name in order else len(order)))
    parts = [replace(shown, regime=regime) for regime in regimes]
    return Matrix(
        regimes,
        tuple(
            tuple(MatrixCell(stage, part.regime, run.stage_summary(part, stage.name)) for part in parts)
            for stage in STAGES
        ),
    )


def column_title(regime: str) -> str:
    """Return a short title, the same for all mixed configurations; a second line notes that red is expected."""
    title = regime_title(regime) if regime in tuple(Regime) else MIXED
    return f"{title}\n{EXPECTED}" if regime in EXPECTED_RED else title


def column_explanation(regime: str) -> str:
    """Return the meaning of a configuration."""
    if regime in tuple(Regime):
        return ". ".join(filter(None, (REGIME_DESCRIPTIONS[Regime(regime)], EXPECTED_RED.get(regime))))
    return regime_title(regime)


class MixingEditor(WrappingBar):
    """One box for each stage that runs on a device; the alignment is the same arithmetic in every configuration."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, ComboBox] = {}
        for stage in DEVICE_STAGES:
            tool_tip = "The configuration to take this stage from"
            box = self.boxes[stage.name] = ComboBox(f"{stage.title} from", tool_tip, SOURCE_CHARACTERS, self)
            box.chosen.connect(self.changed)
            self.add(faint_label(stage.title, box), box)
        self.offer_students(has_students=False)

    def offer_students(self, has_students: bool) -> None:
        """Offer the configurations of a model with students or without."""
        names = dict.fromkeys((NOT_MIXED, *regimes_of(has_students)))
        for box in self.boxes.values():
            box.offer((each, REGIME_TITLES[each], REGIME_DESCRIPTIONS[each]) for each in names)

    @property
    def mixed_stages(self) -> tuple[tuple[str, Regime], ...]:
        """The stages from other configurations, each with its configuration; empty if nothing is mixed."""
        chosen = ((stage, Regime(str(box.value))) for stage, box in self.boxes.items())
        return tuple((stage, regime) for stage, regime in chosen if regime is not NOT_MIXED)


class ConfigurationsPage(StagePage):
    """The page with the matrix of stages and configurations.

    `compare_requested` carries the stages to mix, each with its configuration, in a run of every configuration.
    `padding_chosen` carries the padding of padded configurations, starting with the next run.
    """

    compare_requested = Signal(object)
    padding_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = Shown(Regime.COMPILED)
        self.compare = QPushButton("Compare All", self)
        self.mix = QPushButton(MIX, self)
        self.editor = MixingEditor(self)
        self.padding = ComboBox("Padding", PADDING_TOOL_TIP, PADDING_CHARACTERS, self)
        self.words = ElidedLabel(self)
        self.table = RegimeMatrix(self)
        self._lay_out()
        self.compare.clicked.connect(self._on_compare)
        self.mix.toggled.connect(self.editor.setVisible)
        self.editor.changed.connect(self._show_next_run)
        self.padding.chosen.connect(self.padding_chosen)
        self.table.cell_chosen.connect(self._on_cell)
        self._show_next_run()

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """See `StagePage`."""
        self._shown = shown
        self.table.show_matrix(matrix_of(run, shown) if run is not None else Matrix())
        self.table.mark(stage, shown.regime)
        self._show_next_run()

    @Slot()
    def _on_compare(self) -> None:
        self.compare_requested.emit(self.editor.mixed_stages)

    @Slot(str, str)
    def _on_cell(self, stage: str, regime: str) -> None:
        self.part_requested.emit(replace(self._shown, regime=regime), stage)

    @Slot()
    def _show_next_run(self) -> None:
        mixed = "+".join([NOT_MIXED, *(f"{stage}={regime}" for stage, regime in self.editor.mixed_stages)])
        self.mix.setText(f"{MIX} ({len(self.editor.mixed_stages)})" if self.editor.mixed_stages else MIX)
        words = START if not self.table.matrix.regimes else LEGEND
        self.words.set_text(f"Next: {column_explanation(mixed)}. {words}" if self.editor.mixed_stages else words)

    def _lay_out(self) -> None:
        self.compare.setToolTip("Run every stage in every configuration, on the text named above")
        self.mix.setToolTip("Also run the compiled model with some stages taken from other configurations")
        self.mix.setCheckable(True)
        for button in (self.compare, self.mix):
            button.setObjectName("panelButton")
        self.padding.offer((padding, f"{padding:.0%}", "") for padding in PADDINGS if padding <= MAX_PADDING)
        self.padding.choose(DEFAULT_PADDING)
        self.words.setObjectName("faint")
        self.words.setAccessibleName("Color legend")
        self.editor.hide()
        top, layout = WrappingBar(self), QVBoxLayout(self)
        top.add(self.compare, self.mix)
        top.add(faint_label("Padding", self.padding), self.padding)
        top.add(self.words, share=1)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(top)
        layout.addWidget(self.editor)
        layout.addWidget(self.table, 1)


class RegimeMatrix(FollowsTheme, QTableWidget):
    """A table of stages by configurations; `cell_chosen` carries both, after a click or Return."""

    cell_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(len(STAGES), 0, parent)
        self.matrix = Matrix()
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

    def show_matrix(self, matrix: Matrix) -> None:
        """Show a matrix; unchanged cells are left alone."""
        if matrix.regimes != self.matrix.regimes:
            self.matrix = Matrix(matrix.regimes)
            self.setColumnCount(len(matrix.regimes))
            for column, regime in enumerate(matrix.regimes):
                header = QTableWidgetItem(column_title(regime))
                header.setToolTip(column_explanation(regime))
                self.setHorizontalHeaderItem(column, header)
            self._keep_readable()
        for number, cells in enumerate(matrix.cells):
            known = self.matrix.cells[number] if self.matrix.cells else (None,) * len(cells)
            for column, cell in enumerate(cells):
                if cell != known[column]:
                    self.setItem(number, column, self._item(cell))
        self.matrix = matrix

    def mark(self, stage: str | None, regime: str) -> None:
        """Select the cell that the panel shows; emits nothing."""
        if stage is not None and regime in self.matrix.regimes:
            self.setCurrentCell(STAGE_NAMES.index(stage), self.matrix.regimes.index(regime))
        else:
            self.clearSelection()

    def restyle(self) -> None:
        """Apply the theme's colors and font, and make columns wide enough for it; the table scrolls if necessary."""
        self._keep_readable()
        for number, cells in enumerate(self.matrix.cells):
            for column, cell in enumerate(cells):
                self.setItem(number, column, self._item(cell))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the cell on Return."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self._on_cell(self.currentRow(), self.currentColumn())
        else:
            super().keyPressEvent(event)

    def _keep_readable(self) -> None:
        """Make no column narrower than its numbers and its title."""
        lines = [WIDEST_TEXT, *(line for regime in self.matrix.regimes for line in column_title(regime).splitlines())]
        width = max(map(self.fontMetrics().horizontalAdvance, lines)) + MARGIN_PIXELS
        self.horizontalHeader().setMinimumSectionSize(width)

    def _item(self, cell: MatrixCell) -> QTableWidgetItem:
        item = QTableWidgetItem(cell.words)
        item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        item.setToolTip(cell.explanation)
        item.setData(int(Qt.ItemDataRole.AccessibleTextRole), cell.explanation)
        color = cell.color()
        if color is not None:
            item.setBackground(QBrush(color))
        return item

    @Slot(int, int)
    def _on_cell(self, number: int, column: int) -> None:
        if column < len(self.matrix.regimes):
            self.cell_chosen.emit(STAGE_NAMES[number], self.matrix.regimes[column])


class _TintedCell(QStyledItemDelegate):
    """Draws a cell's own background, also under the frame of the chosen one; the style sheet would draw its own."""

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
