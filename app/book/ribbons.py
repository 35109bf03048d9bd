"""Ribbons in the margin, where there are bookmarks."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF
from PySide6.QtWidgets import QTextEdit

from app.theme import colours
from app.widgets.place_chooser import MARGIN_PIXELS
from app.widgets.text_positions import span_in

WIDTH_PIXELS, HEIGHT_PIXELS = 8, 14
NOTCH_PIXELS = 4


class Ribbons(QObject):
    """Each is beside the line with its position in the document, at the right, where no other mark is.

    `paint` draws them after the text.
    """

    def __init__(self, edit: QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._positions: list[int] = []

    @property
    def in_view(self) -> list[QRect]:
        """Where those in view are in the viewport."""
        if not self._positions:
            return []
        view = self._edit.viewport().rect()
        last = self._edit.cursorForPosition(view.bottomRight()).position()  # beyond it, nothing may be laid out yet
        ribbons = (self._ribbon_at(position) for position in self._positions if position <= last)
        return [each for each in ribbons if each.intersects(view)]

    def show(self, positions: list[int]) -> None:
        """Show one for each of these positions."""
        if positions != self._positions:
            self._positions = positions
            self._edit.viewport().update()

    def paint(self) -> None:
        """Draw them; for use in a paint event of the viewport."""
        ribbons = self.in_view
        if not ribbons:
            return
        painter = QPainter(self._edit.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours().accent))
        for ribbon in map(_shape, ribbons):
            painter.drawPolygon(ribbon)
        painter.end()

    def _ribbon_at(self, position: int) -> QRect:
        line = self._edit.cursorRect(span_in(self._edit.document(), position, position))
        left = self._edit.viewport().width() - (MARGIN_PIXELS + WIDTH_PIXELS) // 2
        return QRect(left, line.top(), WIDTH_PIXELS, HEIGHT_PIXELS)


def _shape(ribbon: QRect) -> QPolygonF:
    area = QRectF(ribbon)
    notch = QPointF(area.center().x(), area.bottom() - NOTCH_PIXELS)
    return QPolygonF([area.topLeft(), area.topRight(), area.bottomRight(), notch, area.bottomLeft()])
