"""The header of the list of stages: titles, and above the strips the waveform and the words that all rows share."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QHeaderView, QToolTip, QWidget

from app.diagnostics.stages.stage_columns import Column
from app.diagnostics.stages.strip import Strip
from app.diagnostics.stages.strip_painter import StripPainter

HEIGHT_PIXELS = 46
WORDS_PIXELS = 18
MARGIN_PIXELS = 4


class StageHeader(QHeaderView):
    """`moment_chosen` carries the seconds at which the waveform or a word is clicked."""

    moment_chosen = Signal(float)
    wheel_turned = Signal(QWheelEvent)

    def __init__(self, strip: Strip, pictures: StripPainter, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._strip = strip
        self._pictures = pictures
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setSortIndicatorShown(True)
        self.setMinimumSectionSize(MARGIN_PIXELS)

    @property
    def strip_area(self) -> QRectF:
        """The area of all strips, from left to right, over the whole height of the header."""
        left, width = self.sectionViewportPosition(Column.STRIP), self.sectionSize(Column.STRIP)
        return QRectF(left + MARGIN_PIXELS, 0, max(width - 2 * MARGIN_PIXELS, 1), self.height())

    def sizeHint(self) -> QSize:
        """High enough for the waveform and the words."""
        return QSize(super().sizeHint().width(), HEIGHT_PIXELS)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Draw a title, or the waveform above the words."""
        if logicalIndex != Column.STRIP:
            super().paintSection(painter, rect, logicalIndex)
            return
        area = self.strip_area
        self._pictures.draw_wave(painter, area.adjusted(0, 2, 0, -WORDS_PIXELS - 2))
        self._pictures.draw_words(painter, area.adjusted(0, area.height() - WORDS_PIXELS, 0, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines over everything."""
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            self._pictures.draw_lines(painter, self.strip_area)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a moment in the strip, or sort by another column."""
        if self.strip_area.contains(event.position()):
            self.moment_chosen.emit(self._seconds_at(event.position()))
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on choosing a moment while the button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton and self.strip_area.contains(event.position()):
            self.moment_chosen.emit(self._seconds_at(event.position()))
        else:
            super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole utterance again."""
        if self.strip_area.contains(event.position()):
            self._strip.scale.show_all()
        else:
            super().mouseDoubleClickEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The list zooms."""
        self.wheel_turned.emit(event)

    def viewportEvent(self, event: QHelpEvent) -> bool:  # type: ignore[override]
        """Tell what is spoken under the mouse."""
        if event.type() is QHelpEvent.Type.ToolTip and self.strip_area.contains(QPointF(event.pos())):
            QToolTip.showText(event.globalPos(), self._strip.words_at(None, self._seconds_at(QPointF(event.pos()))))
            return True
        return super().viewportEvent(event)

    def _seconds_at(self, position: QPointF) -> float:
        return self._strip.scale.seconds_at(position.x(), self.strip_area)
