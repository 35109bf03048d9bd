"""The random utterances that were tried, the worst on top, as an item model."""

from __future__ import annotations

from bisect import bisect_left
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from app.diagnostics.colours import verdict_colour
from app.diagnostics.metric_words import VERDICT_MEANINGS, agreement_words, regime_title, verdict_words
from app.theme import LIGHT, Colours
from engine.stages import stage_named
from engine.validator.data.experiments import Trial
from engine.validator.data.verdicts import severity

AnyIndex = QModelIndex | QPersistentModelIndex
_TEXT_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


class TrialColumn(IntEnum):
    """The columns from left to right."""

    VERDICT = 0
    WORST = 1
    AGREEMENT = 2
    LENGTH = 3
    VOICE = 4
    SPEED = 5
    PHONEMES = 6


TITLES = {
    TrialColumn.VERDICT: ("Verdict", "Of the worst value of any stage, fed by the reference"),
    TrialColumn.WORST: ("Worst value", "The stage and its output that differ most"),
    TrialColumn.AGREEMENT: ("Correlation", "Of that value with the reference"),
    TrialColumn.LENGTH: ("Phonemes", "How many phonemes the utterance has"),
    TrialColumn.VOICE: ("Voice", "Drawn at random"),
    TrialColumn.SPEED: ("Speed", "Drawn at random"),
    TrialColumn.PHONEMES: ("Utterance", "The phonemes, drawn at random"),
}


class TrialModel(QAbstractTableModel):
    """One row for each utterance, however many there are."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._trials: list[Trial] = []
        self._colours = LIGHT

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All utterances, the worst first."""
        return tuple(self._trials)

    def clear(self) -> None:
        """Forget all."""
        self.beginResetModel()
        self._trials.clear()
        self.endResetModel()

    def add(self, trial: Trial) -> None:
        """Put an utterance in its place."""
        place = bisect_left(self._trials, _mildness(trial), key=_mildness)
        self.beginInsertRows(QModelIndex(), place, place)
        self._trials.insert(place, trial)
        self.endInsertRows()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.layoutAboutToBeChanged.emit()
        self._colours = colours
        self.layoutChanged.emit()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """One for each utterance."""
        return 0 if parent is not None and parent.isValid() else len(self._trials)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """See `TrialColumn`."""
        return 0 if parent is not None and parent.isValid() else len(TrialColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> object:
        """A column's title, and what it means as a tool tip."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        title, meaning = TITLES[TrialColumn(section)]
        return {int(Qt.ItemDataRole.DisplayRole): title, int(Qt.ItemDataRole.ToolTipRole): meaning}.get(int(role))

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """Text, explanation and colour of a cell."""
        if not index.isValid():
            return None
        trial, column = self._trials[index.row()], TrialColumn(index.column())
        if role in _TEXT_ROLES:
            return _words(trial, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return VERDICT_MEANINGS[trial.worst.verdict] if column is TrialColumn.VERDICT else _words(trial, column)
        if role == Qt.ItemDataRole.ForegroundRole and column is TrialColumn.VERDICT:
            return QColor(verdict_colour(trial.worst.verdict, self._colours))
        return None


def _mildness(trial: Trial) -> tuple[float, ...]:
    return tuple(-each for each in severity(trial.worst))


def _words(trial: Trial, column: TrialColumn) -> str:
    row = trial.worst
    match column:
        case TrialColumn.VERDICT:
            return verdict_words(row.verdict)
        case TrialColumn.WORST:
            return f"{stage_named(row.stage).title}: {row.output.replace('_', ' ')}, {regime_title(row.regime)}"
        case TrialColumn.AGREEMENT:
            return agreement_words(row)
        case TrialColumn.LENGTH:
            return str(len(trial.utterance.phonemes))
        case TrialColumn.VOICE:
            return trial.voice
        case TrialColumn.SPEED:
            return f"{trial.speed:.2f}"
        case TrialColumn.PHONEMES:
            return trial.utterance.phonemes
