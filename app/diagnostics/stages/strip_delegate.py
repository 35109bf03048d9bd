"""Draws a stage's strip into its row."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from app.diagnostics.stages.stage_header import MARGIN_PIXELS
from app.diagnostics.stages.stage_table_model import STAGE_ROLE
from app.diagnostics.stages.strip import Strip
from app.diagnostics.stages.strip_painter import StripPainter

Index = QModelIndex | QPersistentModelIndex


class StripDelegate(QStyledItemDelegate):
    """The cells in place of the text, which is for screen readers; the tool tip tells what is under the mouse."""

    def __init__(self, strip: Strip, pictures: StripPainter, parent: QAbstractItemView) -> None:
        super().__init__(parent)
        self._strip = strip
        self._pictures = pictures

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the ground of the row, then the cells."""
        super().paint(painter, option, index)
        painter.save()
        self._pictures.draw_cells(painter, _area(option), index.data(STAGE_ROLE))
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave out the text."""
        super().initStyleOption(option, index)
        option.text = ""  # type: ignore[attr-defined]

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        """Tell what is spoken under the mouse, and how far the stage is off."""
        stage = index.data(STAGE_ROLE)
        seconds = self._strip.scale.seconds_at(event.pos().x(), _area(option))
        QToolTip.showText(event.globalPos(), self._strip.words_at(stage, seconds) if stage is not None else "")
        return True


def _area(option: QStyleOptionViewItem) -> QRectF:
    return QRectF(option.rect).adjusted(MARGIN_PIXELS, 0, -MARGIN_PIXELS, 0)  # type: ignore[attr-defined]
