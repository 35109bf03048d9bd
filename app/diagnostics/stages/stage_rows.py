"""The rows of the list of stages: the declaration of each column, and the item model, filled as stages finish."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor

from app.diagnostics.colors import ColorTone, tone_color, verdict_tone
from app.diagnostics.metric_text import (
    VERDICT_TITLES,
    describe_verdict,
    format_change,
    format_verdict,
    regime_title,
    worker_of,
)
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.strip import text_without_cells
from engine.stages import STAGE_NAMES, STAGES, Stage
from engine.validator.data import wording
from engine.validator.data.results import Regime, Row, Verdict
from engine.validator.data.verdicts import severity
from engine.validator.data.wording import NOTHING, agreement, magnitude, milliseconds, noise_ratio, row_correlation
from engine.validator.runs.baseline_grader import MAX_TIMES

WAITING = "waiting"
STUCK = "no answer"
AnyIndex = QModelIndex | QPersistentModelIndex
STAGE_ROLE = int(Qt.ItemDataRole.UserRole)


class Column(IntEnum):
    """The columns from left to right; the last one takes the remaining width."""

    STAGE = 0
    VERDICT = 1
    CORRELATION = 2
    TIMES_FLOOR = 3
    FLOOR = 4
    MAX_ERROR = 5
    SQNR = 6
    STAGE_MS = 7
    REFERENCE_MS = 8
    CHANGE = 9
    STRIP = 10


@dataclass(frozen=True)
class StageEntry:
    """The results of one stage: its worst row, and those of the floor and of an earlier run."""

    stage: Stage
    number: int
    row: Row | None = None
    floor: Row | None = None
    earlier: Row | None = None
    token_count: int = 0
    awaited: bool = False
    stuck: bool = False


@dataclass(frozen=True)
class StageColumn:
    """The display of one column; `words`, `number` and `tone` are called only for stages with a row.

    The column is wide enough for the texts in `widest`. If space is short, the column with the lowest `gives_way` is
    hidden first; one without is never hidden.
    """

    title: str
    tool_tip: str
    words: Callable[[StageEntry, Row], str]
    number: Callable[[StageEntry, Row], float | None]
    widest: tuple[str, ...] = ()
    gives_way: int | None = None
    left_aligned: bool = False
    tone: Callable[[StageEntry, Row], ColorTone] = lambda entry, row: ColorTone.PLAIN


def words_of(entry: StageEntry, column: Column) -> str:
    """Return the text of a cell."""
    if column is Column.STAGE:
        return entry.stage.title
    if entry.row is not None:
        return COLUMNS[column].words(entry, entry.row)
    if column is not Column.VERDICT or not entry.awaited:
        return ""
    return STUCK if entry.stuck else WAITING


def tone_of(entry: StageEntry, column: Column) -> ColorTone:
    """Return the tone of a cell."""
    return ColorTone.FAINT if entry.row is None else COLUMNS[column].tone(entry, entry.row)


def sort_key(entry: StageEntry, column: Column) -> tuple[float, ...]:
    """Return the sort key of a cell; empty, and thus the smallest, if the value is unknown."""
    if column is Column.STAGE:
        return (entry.number,)
    if entry.row is None:
        return ()
    if column is Column.VERDICT:
        return severity(entry.row)
    number = COLUMNS[column].number(entry, entry.row)
    return () if number is None else (number,)


def explanation_of(entry: StageEntry, column: Column) -> str:
    """Explain a cell in a sentence."""
    row = entry.row
    if row is None:
        return ""
    if column is Column.VERDICT:
        return describe_verdict(row)
    if column is Column.CHANGE and entry.earlier is not None:
        return f"Before: {agreement(entry.earlier.metrics)}, {VERDICT_TITLES[entry.earlier.verdict]}"
    if column in (Column.STAGE_MS, Column.REFERENCE_MS):
        regime = row.regime if column is Column.STAGE_MS else row.reference
        return f"{entry.stage.title}: milliseconds of {worker_of(entry.stage, regime)}"
    if column in (Column.FLOOR, Column.TIMES_FLOOR) and _is_exact(entry.floor):
        return "No baseline: the reference computes this stage in float32 too"
    what = "durations of tokens" if row.durations is not None else row.output
    return f"{entry.stage.title}: {what}, {regime_title(row.regime)} against {regime_title(row.reference)}"


def _is_exact(floor: Row | None) -> bool:
    return floor is not None and floor.metrics is not None and floor.metrics.max_abs == 0


def _faint(entry: StageEntry, row: Row) -> ColorTone:
    return ColorTone.FAINT


def _agreement(row: Row | None, token_count: int) -> str:
    return "" if row is None else row_correlation(row, token_count)


def _pearson(row: Row | None) -> float | None:
    return None if row is None or row.metrics is None else row.metrics.pearson


def _sqnr(row: Row | None) -> float | None:
    if row is None or row.metrics is None or row.metrics.finite_percent < 100:
        return None
    return float("inf") if row.metrics.sqnr_db is None else row.metrics.sqnr_db


def _change(entry: StageEntry, row: Row) -> float | None:
    now, before = _sqnr(row), _sqnr(entry.earlier)
    if now is None or before is None:
        return None
    return 0.0 if now == before else now - before


def _format_strip(entry: StageEntry, row: Row) -> str:
    if row.profile is None or not row.profile.errors:
        return text_without_cells(row)
    return f"largest error {magnitude(max(row.profile.errors))} of the rms"


COLUMNS: Mapping[Column, StageColumn] = {
    Column.STAGE: StageColumn(
        "Stage",
        "The step from text to speech",
        lambda entry, row: entry.stage.title,
        lambda entry, row: entry.number,
        tuple(stage.title for stage in STAGES),
        left_aligned=True,
    ),
    Column.VERDICT: StageColumn(
        "Verdict",
        "Shows whether the stage is within its tolerance",
        lambda entry, row: format_verdict(row.verdict),
        lambda entry, row: severity(row)[0],
        tuple(map(format_verdict, Verdict)),
        left_aligned=True,
        tone=lambda entry, row: verdict_tone(row.verdict),
    ),
    Column.CORRELATION: StageColumn(
        "Correlation",
        "Pearson correlation with the reference",
        lambda entry, row: _agreement(row, entry.token_count),
        lambda entry, row: _pearson(row),
        ("1 - 1.2e-10", "Correlation", "3 of 42 differ"),
    ),
    Column.TIMES_FLOOR: StageColumn(
        "× float32",
        "Error relative to PyTorch float32. Above 10×: worse than expected.",
        lambda entry, row: wording.times(row.times_floor),
        lambda entry, row: row.times_floor,
        ("× float32", "1.23e-10 ×"),
        gives_way=6,
        tone=lambda entry, row: ColorTone.WARNING if (row.times_floor or 0) > MAX_TIMES else ColorTone.PLAIN,
    ),
    Column.FLOOR: StageColumn(
        "Float32",
        "Correlation of PyTorch float32, the baseline",
        lambda entry, row: _agreement(entry.floor, entry.token_count),
        lambda entry, row: _pearson(entry.floor),
        ("1 - 1.2e-10",),
        gives_way=3,
        tone=_faint,
    ),
    Column.MAX_ERROR: StageColumn(
        "Max error",
        "The largest absolute difference",
        lambda entry, row: magnitude(row.metrics.max_abs) if row.metrics is not None else NOTHING,
        lambda entry, row: None if row.metrics is None else row.metrics.max_abs,
        ("Max error", "-1.23e-5"),
        gives_way=5,
    ),
    Column.SQNR: StageColumn(
        "SQNR",
        "Level of the difference below the signal",
        lambda entry, row: noise_ratio(row.metrics),
        lambda entry, row: _sqnr(row),
        ("120.0 dB",),
        gives_way=4,
    ),
    Column.STAGE_MS: StageColumn(
        "ms",
        "Time of the stage in this configuration, in milliseconds",
        lambda entry, row: milliseconds(row.seconds),
        lambda entry, row: row.seconds,
        ("10,000",),
        gives_way=2,
    ),
    Column.REFERENCE_MS: StageColumn(
        "Ref. ms",
        "Time of the reference, in milliseconds (float64, so slower than PyTorch usually is)",
        lambda entry, row: milliseconds(row.reference_seconds),
        lambda entry, row: row.reference_seconds,
        ("Ref. ms", "10,000"),
        gives_way=1,
        tone=_faint,
    ),
    Column.CHANGE: StageColumn(
        "Change",
        "Change from the run it is compared with",
        lambda entry, row: format_change(row, entry.earlier) if entry.earlier is not None else "",
        _change,
        ("-100.0 dB", f"was {VERDICT_TITLES[Verdict.INCOMPARABLE]}"),
        left_aligned=True,
    ),
    Column.STRIP: StageColumn(
        "Along time",
        "Largest error in each cell, relative to the reference’s RMS",
        _format_strip,
        lambda entry, row: max(row.profile.errors, default=0.0) if row.profile is not None else None,
        left_aligned=True,
    ),
}


class StageTableModel(QAbstractTableModel):
    """A table with a row for every stage; a stage without results is shown as waiting."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: DiagnosticsRun | None = None
        self._earlier: DiagnosticsRun | None = None
        self._shown = Shown(Regime.COMPILED)
        self.entries = [StageEntry(stage, number) for number, stage in enumerate(STAGES)]
        """The displayed results of each stage, in order."""

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
        """Return the number of stages."""
        return 0 if parent is not None and parent.isValid() else len(STAGES)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of members of `Column`."""
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> object:
        """Return a column's title, or its meaning as a tooltip."""
        column = Column(section) if orientation is Qt.Orientation.Horizontal else None
        match role:
            case Qt.ItemDataRole.DisplayRole if column is not None:
                return COLUMNS[column].title
            case Qt.ItemDataRole.ToolTipRole if column is not None:
                return COLUMNS[column].tool_tip
            case Qt.ItemDataRole.TextAlignmentRole if column is not None:
                return int(_alignment(column, Qt.AlignmentFlag.AlignBottom))
        return None

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """Return text, explanation, color and alignment of a cell; the name of the stage has a separate role."""
        if not index.isValid():
            return None
        entry, column = self.entries[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return words_of(entry, column)
            case Qt.ItemDataRole.ToolTipRole:
                return explanation_of(entry, column) or None
            case Qt.ItemDataRole.ForegroundRole if (tone := tone_of(entry, column)) is not ColorTone.PLAIN:
                return QColor(tone_color(tone))
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
    """A sort order of the stages: the model's, by any column, or the worst first."""

    def __init__(self, model: StageTableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setSourceModel(model)

    def index_of(self, stage: str) -> QModelIndex:
        """Return the current index of a stage."""
        return self.mapFromSource(self._model.index(STAGE_NAMES.index(stage), 0))

    def lessThan(self, left: AnyIndex, right: AnyIndex) -> bool:
        """Compare by number, not by text."""
        column, entries = Column(left.column()), self._model.entries
        return sort_key(entries[left.row()], column) < sort_key(entries[right.row()], column)


def _alignment(column: Column, vertical: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignVCenter) -> Qt.AlignmentFlag:
    left = COLUMNS[column].left_aligned
    return vertical | (Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight)
