"""The item model of voices, with a heading for each language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.errors import InvalidRequest
from engine.languages import language_of
from engine.speech import VoiceInfo

AnyIndex = QModelIndex | QPersistentModelIndex
NAME_ROLE = int(Qt.ItemDataRole.UserRole)
HEADING_ROLE = NAME_ROLE + 1
VOICE_ROLE = NAME_ROLE + 2


@dataclass(frozen=True)
class _Row:
    title: str
    voice: VoiceInfo | None = None


class VoiceListModel(QAbstractListModel):
    """Headings cannot be selected; voices keep their order within a language."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[_Row, ...] = ()

    def show(self, voices: Sequence[VoiceInfo]) -> None:
        """List these voices."""
        self.beginResetModel()
        self._rows = tuple(_rows(voices))
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Headings and voices."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """The title, the voice or its name, a description of it, or whether the row is a heading."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == NAME_ROLE:
            return row.voice.name if row.voice else None
        if role == HEADING_ROLE:
            return row.voice is None
        if role == VOICE_ROLE:
            return row.voice
        if role == Qt.ItemDataRole.ToolTipRole and row.voice:
            return _explained(row.voice)
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """A heading can be neither selected nor focused."""
        if not index.isValid() or self._rows[index.row()].voice is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def row_of(self, name: str) -> int:
        """The row of this voice, or -1."""
        names = [row.voice.name if row.voice else None for row in self._rows]
        return names.index(name) if name in names else -1

    def first_voice_row(self) -> int:
        """The row of the first voice, or -1."""
        return next((number for number, row in enumerate(self._rows) if row.voice), -1)


def language_title(tag: str) -> str:
    """The name of a language, such as American English; the tag itself if it is unknown."""
    try:
        return language_of(tag).name
    except InvalidRequest:
        return tag


def _rows(voices: Sequence[VoiceInfo]) -> list[_Row]:
    rows = []
    for language in dict.fromkeys(voice.language for voice in voices):
        rows.append(_Row(language_title(language)))
        rows.extend(_Row(_title(voice), voice) for voice in voices if voice.language == language)
    return rows


def _title(voice: VoiceInfo) -> str:
    kind = "blend" if voice.recipe else voice.gender
    return f"{voice.title} · {kind}" if kind else voice.title


def _explained(voice: VoiceInfo) -> str:
    if voice.recipe:
        return f"{voice.name}: a blend, {voice.recipe}"
    return f"{voice.name}: graded {voice.grade} by its makers" if voice.grade else voice.name
