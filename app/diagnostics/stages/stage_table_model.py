"""The item model of the list of stages: one row per stage of a run, filled in as stages finish."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor

from app.diagnostics.colours import Tone, tone_colour
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_columns import (
    COLUMNS,
    Column,
    StageEntry,
    explanation_of,
    sort_key,
    tone_of,
    words_of,
)
from engine.stages import STAGE_NAMES, STAGES, Stage
from engine.validator.data.results import Regime

AnyIndex = QModelIndex | QPersistentModelIndex
STAGE_ROLE = int(Qt.ItemDataRole.UserRole)


class StageTableModel(QAbstractTableModel):
    """Always has a row for every stage; a stage that has not been reported is shown as waiting."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: DiagnosticsRun | None = None
        self._earlier: DiagnosticsRun | None = None
        self._shown = Shown(Regime.COMPILED)
        self.entries = [StageEntry(stage, number) for number, stage in enumerate(STAGES)]
        """What is shown of each stage, in order."""

    def show(self, run: DiagnosticsRun | None, shown: Shown, earlier: DiagnosticsRun | None = None) -> None:
        """Show this part of a run, compared with the same part of an earlier one."""
        self._run, self._shown, self._earlier = run, shown, earlier
        self.refresh()

    def refresh(self) -> None:
        """Read the run again; emits `dataChanged` only for rows that have changed."""
        for number, stage in enumerate(STAGES):
            entry = self._entry(stage, number)
            if entry != self.entries[number]:
                self.entries[number] = entry
                self.dataChanged.emit(self.index(number, 0), self.index(number, len(Column) - 1))

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """One per stage."""
        return 0 if parent is not None and parent.isValid() else len(STAGES)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """See `Column`."""
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> object:
        """A column's title, and what it means as a tool tip."""
        column = Column(section) if orientation is Qt.Orientation.Horizontal else None
        match role:
            case Qt.ItemDataRole.DisplayRole if column is not None:
                return COLUMNS[column].title
            case Qt.ItemDataRole.ToolTipRole if column is not None:
                return COLUMNS[column].meaning
            case Qt.ItemDataRole.TextAlignmentRole if column is not None:
                return int(_alignment(column, Qt.AlignmentFlag.AlignBottom))
        return None

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """Text, explanation, colour and alignment of a cell; the name of the stage in a separate role."""
        if not index.isValid():
            return None
        entry, column = self.entries[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return words_of(entry, column)
            case Qt.ItemDataRole.ToolTipRole:
                return explanation_of(entry, column) or None
            case Qt.ItemDataRole.ForegroundRole if (tone := tone_of(entry, column)) is not Tone.PLAIN:
                return QColor(tone_colour(tone))
            case Qt.ItemDataRole.TextAlignmentRole:
                return int(_alignment(column))
            case _ if role == STAGE_ROLE:
                return entry.stage.name
        return None

    def _entry(self, stage: Stage, number: int) -> StageEntry:
        run, shown = self._run, self._shown
        row = run.stage_summary(shown, stage.name) if run is not None else None
        if run is None or row is None:
            awaited = run is not None and run.active and shown.regime in run.regimes
            return StageEntry(stage, number, awaited=awaited, stuck=awaited and run is not None and run.is_stuck)
        floor = Shown(Regime.UPSTREAM, shown.reading, shown.utterance) if shown.regime != Regime.UPSTREAM else None
        return StageEntry(
            stage,
            number,
            row,
            run.stage_summary(floor, stage.name) if floor is not None else None,
            self._earlier.stage_summary(shown, stage.name) if self._earlier is not None else None,
            len(run.alignment(row.utterance)),
        )


class WorstFirstProxy(QSortFilterProxyModel):
    """The stages in their order, by any column, or the worst first."""

    def __init__(self, model: StageTableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setSourceModel(model)

    def index_of(self, stage: str) -> QModelIndex:
        """The current index of a stage."""
        return self.mapFromSource(self._model.index(STAGE_NAMES.index(stage), 0))

    def lessThan(self, left: AnyIndex, right: AnyIndex) -> bool:
        """Compare by number, not by text."""
        column, entries = Column(left.column()), self._model.entries
        return sort_key(entries[left.row()], column) < sort_key(entries[right.row()], column)


def _alignment(column: Column, vertical: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignVCenter) -> Qt.AlignmentFlag:
    left = COLUMNS[column].left_aligned
    return vertical | (Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight)
