"""Draws selected items in their own colours, so that a verdict keeps its colour.

It does not know what the items say.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QPalette
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem


class PlainSelection(QStyledItemDelegate):
    """For a view whose style sheet gives selected items a ground but no colour."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Selected or not, an item is written alike."""
        super().initStyleOption(option, index)
        own = index.data(Qt.ItemDataRole.ForegroundRole)
        palette: QPalette = option.palette  # type: ignore[attr-defined]
        colour = own.color() if isinstance(own, QBrush) else own
        if not isinstance(colour, QColor):
            colour = palette.color(QPalette.ColorRole.WindowText)
        palette.setColor(QPalette.ColorRole.HighlightedText, colour)
