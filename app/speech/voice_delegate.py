"""Draws the rows of a list of voices."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize
from PySide6.QtGui import QIcon, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.icons import icon
from app.speech.voice_list import DEPTH_ROLE, FAVOURITE_ROLE, HEADING_ROLE, MODEL_HEADING_ROLE
from app.theme import Colours

INDENT = "\N{EM SPACE}"
HEADING_SIZE = 0.9
MARGIN_PIXELS = 24
ROW_PIXELS = 28
MARK_PIXELS = 28
"""The width of the play mark at the end of a row."""
SYMBOL_PIXELS = 14


class VoiceDelegate(QStyledItemDelegate):
    """Headings bold, those of languages small, too; what stands under them indented, with a play mark at its end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._play = self._star = QIcon()

    def set_colours(self, colours: Colours) -> None:
        """Redraw the marks."""
        self._play, self._star = icon("play", colours.faint), icon("star", colours.accent)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Room for the mark."""
        return QSize(super().sizeHint(option, index).width() + MARGIN_PIXELS + MARK_PIXELS, ROW_PIXELS)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Indent, and make headings bold."""
        super().initStyleOption(option, index)
        if index.data(HEADING_ROLE):
            option.font.setBold(True)  # type: ignore[attr-defined]
        if index.data(HEADING_ROLE) and not index.data(MODEL_HEADING_ROLE):
            option.font.setPointSizeF(option.font.pointSizeF() * HEADING_SIZE)  # type: ignore[attr-defined]
        option.text = f"{INDENT * index.data(DEPTH_ROLE)}{option.text}"  # type: ignore[attr-defined]

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row, then its marks."""
        super().paint(painter, option, index)
        if index.data(HEADING_ROLE):
            return
        row: QRect = option.rect  # type: ignore[attr-defined]
        mark = QRect(row.right() - MARK_PIXELS + 1, row.top(), MARK_PIXELS, row.height())
        self._draw(painter, self._play, mark)
        if index.data(FAVOURITE_ROLE):
            self._draw(painter, self._star, mark.translated(-MARK_PIXELS, 0))

    def _draw(self, painter: QPainter, picture: QIcon, place: QRect) -> None:
        picture.paint(
            painter,
            QRect(place.center() - QPoint(SYMBOL_PIXELS // 2, SYMBOL_PIXELS // 2), QSize(SYMBOL_PIXELS, SYMBOL_PIXELS)),
        )
