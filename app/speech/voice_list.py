"""The item model of voices, with a heading for each model and each language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.speech.voice_choice import VoiceChoice
from app.theme import colors, draw_icon
from engine.errors import InvalidRequest
from engine.speech import VoiceInfo
from engine.text.languages import language_of

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices

AnyIndex = QModelIndex | QPersistentModelIndex
CHOICE_ROLE = int(Qt.ItemDataRole.UserRole)
HEADING_ROLE = CHOICE_ROLE + 1
DEPTH_ROLE = CHOICE_ROLE + 2
MODEL_HEADING_ROLE = CHOICE_ROLE + 3
FAVORITE_ROLE = CHOICE_ROLE + 4
CHOSEN_ROLE = CHOICE_ROLE + 5
FAVORITES = "Favorites"
INDENT = "\N{EM SPACE}"
HEADING_SIZE = 0.9
MARGIN_PIXELS = 24
PADDING_PIXELS = 6
ROW_PIXELS = 28
MARK_PIXELS = 28
"""The width of a mark at the end of a row."""
SYMBOL_PIXELS = 14
CHECK_PIXELS = 2
"""The room for the check mark beyond the indentation."""


@dataclass(frozen=True)
class _Row:
    """A heading or a voice; `depth` is the level of its indentation."""

    title: str
    depth: int
    choice: VoiceChoice | None = None
    explanation: str = ""
    of_model: bool = False
    favorite: bool = False


class VoiceListModel(QAbstractListModel):
    """The list of voices under headings, which cannot be selected; voices keep their order within a model and language.

    A single model has no heading. Favorites come first, in the order in which they were added.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[_Row, ...] = ()
        self._chosen = VoiceChoice()

    @property
    def choices(self) -> tuple[VoiceChoice, ...]:
        """The listed voices, in order."""
        return tuple(row.choice for row in self._rows if row.choice is not None)

    def show(self, models: Sequence[ModelVoices], favorites: Sequence[VoiceChoice] = (), words: str = "") -> None:
        """List the voices of these models that match all words: by name, language, gender or model."""
        self.beginResetModel()
        self._rows = tuple(_rows(models, favorites, words))
        self.endResetModel()

    def mark(self, chosen: VoiceChoice) -> None:
        """Mark this voice as the chosen one."""
        before, self._chosen = self._chosen, chosen
        for row in {self.row_of(before), self.row_of(chosen)} - {-1}:
            self.dataChanged.emit(self.index(row), self.index(row))

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of headings and voices."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """Return the title, voice, description or depth, or whether it is a heading, a model's, starred or chosen."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        values = {
            int(Qt.ItemDataRole.DisplayRole): row.title,
            int(Qt.ItemDataRole.ToolTipRole): row.explanation or None,
            CHOICE_ROLE: row.choice,
            HEADING_ROLE: row.choice is None,
            DEPTH_ROLE: row.depth,
            MODEL_HEADING_ROLE: row.of_model,
            FAVORITE_ROLE: row.favorite,
            CHOSEN_ROLE: row.choice == self._chosen,
            int(Qt.ItemDataRole.AccessibleTextRole): self._spoken(row),
        }
        return values.get(int(role))

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return no flags for a heading, which can be neither selected nor focused."""
        if not index.isValid() or self._rows[index.row()].choice is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def _spoken(self, row: _Row) -> str:
        chosen = "current voice" if row.choice == self._chosen else ""
        return ", ".join(words for words in (row.title, chosen, "favorite" if row.favorite else "") if words)

    def row_of(self, choice: VoiceChoice) -> int:
        """Return the row of this voice, or -1."""
        return next((number for number, row in enumerate(self._rows) if row.choice == choice), -1)


def language_title(tag: str) -> str:
    """Return the name of a language, such as American English; the tag itself if it is unknown."""
    try:
        return language_of(tag).name
    except InvalidRequest:
        return tag


def _rows(models: Sequence[ModelVoices], favorites: Sequence[VoiceChoice], words: str) -> Iterator[_Row]:
    voices = {VoiceChoice(voice.name, each.model): (voice, each) for each in models for voice in each.voices}
    wanted = _plain(words).split()
    found = {choice: its for choice, its in voices.items() if all(_stands_for(word, *its) for word in wanted)}
    starred = [choice for choice in favorites if choice in found]
    if starred:
        yield _Row(FAVORITES, 0)
        for choice in starred:
            voice, model = found.pop(choice)
            yield _Row(_title(voice), 1, choice, _explained(voice, model), favorite=True)
    depth = 1 if len(models) > 1 else 0
    for model in models:
        yield from _rows_of(model, [voice for voice, its in found.values() if its is model], depth)


def _stands_for(word: str, voice: VoiceInfo, model: ModelVoices) -> bool:
    """Return whether a word is in a voice's name or begins a word of its description: “male” is not “female”."""
    kind = "blend" if voice.recipe else ""
    description = _plain(f"{language_title(voice.language)} {voice.language} {voice.gender} {kind} {model.title}")
    return word in _plain(f"{voice.title} {voice.name}") or bool(re.search(rf"(?<!\w){re.escape(word)}", description))


def _plain(words: str) -> str:
    """Return words without case and accents."""
    parts = unicodedata.normalize("NFKD", words.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


def _rows_of(model: ModelVoices, voices: Sequence[VoiceInfo], depth: int) -> Iterator[_Row]:
    if depth and voices:
        yield _Row(model.title, 0, of_model=True)
    for language in dict.fromkeys(voice.language for voice in voices):
        yield _Row(language_title(language), depth)
        for voice in voices:
            if voice.language == language:
                yield _Row(_title(voice), depth + 1, VoiceChoice(voice.name, model.model), _explained(voice, model))


def _title(voice: VoiceInfo) -> str:
    kind = "blend" if voice.recipe else voice.gender
    return f"{voice.title} · {kind}" if kind else voice.title


def _explained(voice: VoiceInfo, model: ModelVoices) -> str:
    of_model = f"{voice.name} of {model.title}"
    if voice.recipe:
        return f"{of_model}: a blend of {voice.recipe}"
    return f"{of_model}: quality grade {voice.grade} (from the Kokoro team)" if voice.grade else of_model


class Mark(Enum):
    """The clickable marks in the row of a voice."""

    PLAY = "play"
    STAR = "star"


class VoiceDelegate(QStyledItemDelegate):
    """Draws bold headings, small ones for languages, and voices indented below them, with a play mark at the end.

    The chosen voice is bold, with a check mark before it; favorites have a star. If voices `can_be_starred`, others
    have an empty star while the pointer is on them.
    """

    def __init__(self, parent: QWidget, *, can_be_starred: bool = False) -> None:
        super().__init__(parent)
        self._can_be_starred = can_be_starred

    def mark_at(self, row: QRect, x: int) -> Mark | None:
        """Return the mark at this place of a voice's row, if any."""
        from_end = row.right() - x
        if from_end < MARK_PIXELS:
            return Mark.PLAY
        return Mark.STAR if self._can_be_starred and from_end < 2 * MARK_PIXELS else None

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the size with room for the marks."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + MARGIN_PIXELS + 2 * MARK_PIXELS, max(ROW_PIXELS, hint.height() + PADDING_PIXELS))

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Indent, and make headings and the chosen voice bold."""
        super().initStyleOption(option, index)
        if index.data(HEADING_ROLE) or index.data(CHOSEN_ROLE):
            option.font.setBold(True)  # type: ignore[attr-defined]
        if index.data(HEADING_ROLE) and not index.data(MODEL_HEADING_ROLE):
            option.font.setPointSizeF(option.font.pointSizeF() * HEADING_SIZE)  # type: ignore[attr-defined]
        option.fontMetrics = QFontMetrics(option.font)  # type: ignore[attr-defined]
        option.text = f"{INDENT * index.data(DEPTH_ROLE)}{option.text}"  # type: ignore[attr-defined]

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row, then its marks."""
        option = QStyleOptionViewItem(option)
        self.initStyleOption(option, index)
        row: QRect = option.rect  # type: ignore[attr-defined]
        metrics: QFontMetrics = option.fontMetrics  # type: ignore[attr-defined]
        widget: QWidget = option.widget  # type: ignore[attr-defined]
        room = row.width() if index.data(HEADING_ROLE) else row.width() - 2 * MARK_PIXELS
        option.text = metrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)  # type: ignore[attr-defined]
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        if not index.data(HEADING_ROLE):
            self._draw_marks(painter, option, index)

    def _draw_marks(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: QRect = option.rect  # type: ignore[attr-defined]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]
        is_selected, is_under_pointer = (
            state & QStyle.StateFlag.State_Selected,
            state & QStyle.StateFlag.State_MouseOver,
        )
        ink = colors()
        selected = option.palette.color(QPalette.ColorRole.HighlightedText).name()  # type: ignore[attr-defined]
        plain = selected if is_selected else ink.text if is_under_pointer else ink.faint
        accent = selected if is_selected else ink.accent
        at_end = QRect(row.right() - MARK_PIXELS + 1, row.top(), MARK_PIXELS, row.height())
        _draw_mark(painter, "play", plain, at_end)
        if index.data(FAVORITE_ROLE):
            _draw_mark(painter, "star", accent, at_end.translated(-MARK_PIXELS, 0))
        elif self._can_be_starred and is_under_pointer:
            _draw_mark(painter, "star-empty", plain, at_end.translated(-MARK_PIXELS, 0))
        if index.data(CHOSEN_ROLE):
            em = option.fontMetrics.horizontalAdvance(INDENT)  # type: ignore[attr-defined]
            before = QRect(row.left() + (index.data(DEPTH_ROLE) - 1) * em, row.top(), em + CHECK_PIXELS, row.height())
            _draw_mark(painter, "done", accent, before)


def _draw_mark(painter: QPainter, name: str, color: str, place: QRect) -> None:
    corner = place.center() - QPoint(SYMBOL_PIXELS // 2, SYMBOL_PIXELS // 2)
    draw_icon(painter, QRect(corner, QSize(SYMBOL_PIXELS, SYMBOL_PIXELS)), name, color)
