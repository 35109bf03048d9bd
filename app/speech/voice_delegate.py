"""Draws the rows of a list of voices."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.icons import draw_icon
from app.speech.voice_list import CHOSEN_ROLE, DEPTH_ROLE, FAVOURITE_ROLE, HEADING_ROLE, MODEL_HEADING_ROLE
from app.theme import colours

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


class Mark(Enum):
    """What can be clicked in the row of a voice."""

    PLAY = "play"
    STAR = "star"


class VoiceDelegate(QStyledItemDelegate):
    """Headings bold, those of languages small, too; what stands under them indented, with a play mark at its end.

    The chosen voice is bold, with a check mark before it; favourites have a star. Where those `can_be_starred`, other
    voices have an empty one while the pointer is on them.
    """

    def __init__(self, parent: QWidget, *, can_be_starred: bool = False) -> None:
        super().__init__(parent)
        self._can_be_starred = can_be_starred

    def mark_at(self, row: QRect, x: int) -> Mark | None:
        """The mark at this place of a voice's row, if any."""
        from_end = row.right() - x
        if from_end < MARK_PIXELS:
            return Mark.PLAY
        return Mark.STAR if self._can_be_starred and from_end < 2 * MARK_PIXELS else None

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Room for the marks."""
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
        ink = colours()
        selected = option.palette.color(QPalette.ColorRole.HighlightedText).name()  # type: ignore[attr-defined]
        plain = selected if is_selected else ink.text if is_under_pointer else ink.faint
        accent = selected if is_selected else ink.accent
        at_end = QRect(row.right() - MARK_PIXELS + 1, row.top(), MARK_PIXELS, row.height())
        _draw_mark(painter, "play", plain, at_end)
        if index.data(FAVOURITE_ROLE):
            _draw_mark(painter, "star", accent, at_end.translated(-MARK_PIXELS, 0))
        elif self._can_be_starred and is_under_pointer:
            _draw_mark(painter, "star-empty", plain, at_end.translated(-MARK_PIXELS, 0))
        if index.data(CHOSEN_ROLE):
            em = option.fontMetrics.horizontalAdvance(INDENT)  # type: ignore[attr-defined]
            before = QRect(row.left() + (index.data(DEPTH_ROLE) - 1) * em, row.top(), em + CHECK_PIXELS, row.height())
            _draw_mark(painter, "done", accent, before)


def _draw_mark(painter: QPainter, name: str, colour: str, place: QRect) -> None:
    corner = place.center() - QPoint(SYMBOL_PIXELS // 2, SYMBOL_PIXELS // 2)
    draw_icon(painter, QRect(corner, QSize(SYMBOL_PIXELS, SYMBOL_PIXELS)), name, colour)
