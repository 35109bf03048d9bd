"""The item model of two runs compared: one row for each output, with both values and their ratio."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.diagnostics.metric_words import verdict_words
from engine.stages import stage_named
from engine.validator.data import wording
from engine.validator.data.results import Row
from engine.validator.data.wording import NOTHING
from engine.validator.reports.run_comparison import RowPair

AnyIndex = QModelIndex | QPersistentModelIndex


class PairColumn(IntEnum):
    """The columns from left to right."""

    STAGE = 0
    OUTPUT = 1
    FIRST = 2
    SECOND = 3
    RATIO = 4
    VERDICT = 5


TITLES = {
    PairColumn.STAGE: ("Stage", "The step from text to speech"),
    PairColumn.OUTPUT: ("Output", "What the stage makes"),
    PairColumn.FIRST: ("This run", "How far the run that is shown is from its reference"),
    PairColumn.SECOND: ("Other run", "How far the other run is from its reference"),
    PairColumn.RATIO: ("× other", "The error of this run over that of the other"),
    PairColumn.VERDICT: ("Verdict", "The verdict on this run, and on the other where it is another"),
}
_LEFT = (PairColumn.STAGE, PairColumn.OUTPUT, PairColumn.VERDICT)


class PairTableModel(QAbstractTableModel):
    """Shows pairs of rows, in the order of the stages."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pairs: tuple[RowPair, ...] = ()

    def show(self, pairs: tuple[RowPair, ...]) -> None:
        """Show these instead; nothing happens where they are the same."""
        if pairs == self._pairs:
            return
        if len(pairs) == len(self._pairs):
            self._pairs = pairs
            self.dataChanged.emit(self.index(0, 0), self.index(len(pairs) - 1, len(PairColumn) - 1))
        else:
            self.beginResetModel()
            self._pairs = pairs
            self.endResetModel()

    def stage_at(self, number: int) -> str:
        """The stage of a row."""
        return self._pairs[number].stage

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """One for each output."""
        return 0 if parent is not None and parent.isValid() else len(self._pairs)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """See `PairColumn`."""
        return 0 if parent is not None and parent.isValid() else len(PairColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> object:
        """A column's title, and what it means as a tool tip."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        title, meaning = TITLES[PairColumn(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_alignment(PairColumn(section)))
        return {int(Qt.ItemDataRole.DisplayRole): title, int(Qt.ItemDataRole.ToolTipRole): meaning}.get(int(role))

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """Text and alignment of a cell; the whole text, which may be cut off, as its tool tip."""
        if not index.isValid():
            return None
        column = PairColumn(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_alignment(column))
        if role in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return words_of(self._pairs[index.row()], column)
        return None


def words_of(pair: RowPair, column: PairColumn) -> str:
    """The text of a cell."""
    match column:
        case PairColumn.STAGE:
            return stage_named(pair.stage).title
        case PairColumn.OUTPUT:
            return pair.output
        case PairColumn.FIRST:
            return _value(pair.first)
        case PairColumn.SECOND:
            return _value(pair.second)
        case PairColumn.RATIO:
            return pair.obstacle or wording.times(pair.ratio)
        case _:
            return _verdicts(pair)


def _value(row: Row | None) -> str:
    return NOTHING if row is None else wording.row_correlation(row)


def _verdicts(pair: RowPair) -> str:
    verdicts = [row.verdict for row in (pair.first, pair.second) if row is not None]
    if len(set(verdicts)) == 1:
        return verdict_words(verdicts[0])
    return f"{verdict_words(verdicts[0])}, other {verdict_words(verdicts[1])}"


def _alignment(column: PairColumn) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column in _LEFT else Qt.AlignmentFlag.AlignRight
    return Qt.AlignmentFlag.AlignVCenter | side
