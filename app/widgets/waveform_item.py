"""The waveform as a row of rounded bars: heard ones in one colour, those to come in another, unmade ones as dots.

It does not know time or audio; one unit on the horizontal axis is one sample.
"""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.peak_pyramid import PeakPyramid
from app.theme import LIGHT, Colours

BAR_PIXELS = 3.0
GAP_PIXELS = 2.0
QUIETEST_SCALE = 0.25
"""A very quiet signal is not blown up beyond this."""


class WaveformItem(pyqtgraph.GraphicsObject):
    """Draws a pyramid's samples 0 to `length`; the bars are laid out once per size or change, not per frame."""

    def __init__(self) -> None:
        super().__init__()
        self._peaks = PeakPyramid()
        self._length = 1
        self._position = 0
        self._colours = LIGHT
        self._laid_out_for: tuple[float, float, int, int] | None = None
        self._made = QPainterPath()
        self._pending = QPainterPath()

    def show_peaks(self, peaks: PeakPyramid, length: int) -> None:
        """Draw these peaks over so many samples."""
        self.prepareGeometryChange()
        self._peaks = peaks
        self._length = max(length, 1)
        self._laid_out_for = None
        self.update()

    def set_position(self, position: int) -> None:
        """Everything before this sample has been heard."""
        self._position = position
        self.update()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self.update()

    def boundingRect(self) -> QRectF:
        """All samples, from -1 to 1."""
        return QRectF(0, -1, self._length, 2)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw in pixels, so that the bars stay round at any scale."""
        area = painter.transform().mapRect(self.boundingRect())
        self._lay_out(area)
        heard = area.width() * self._position / self._length
        painter.save()
        painter.resetTransform()
        painter.translate(area.topLeft())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(self._pending, QColor(self._colours.wave_pending))
        painter.setClipRect(QRectF(heard, 0, area.width() - heard, area.height()))
        painter.fillPath(self._made, QColor(self._colours.wave))
        painter.setClipRect(QRectF(0, 0, heard, area.height()))
        painter.fillPath(self._made, QColor(self._colours.accent))
        painter.restore()

    def _lay_out(self, area: QRectF) -> None:
        wanted = (area.width(), area.height(), self._peaks.covered_samples, self._length)
        if wanted == self._laid_out_for:
            return
        self._laid_out_for = wanted
        self._made, self._pending = QPainterPath(), QPainterPath()
        columns = max(int(area.width() / (BAR_PIXELS + GAP_PIXELS)), 1)
        peaks = self._peaks.peaks(0, self._length, columns)
        middle = area.height() / 2
        loudest = max(float(-peaks.lowest.min()), float(peaks.highest.max()), QUIETEST_SCALE)
        scale = (middle - BAR_PIXELS) / loudest
        made = self._peaks.covered_samples / self._length * columns
        for column, (low, high) in enumerate(zip(peaks.lowest.tolist(), peaks.highest.tolist(), strict=True)):
            left = area.width() * column / columns + GAP_PIXELS / 2
            top, bottom = middle - high * scale - BAR_PIXELS / 2, middle - low * scale + BAR_PIXELS / 2
            bar = QRectF(QPointF(left, top), QPointF(left + BAR_PIXELS, bottom))
            (self._made if column < made else self._pending).addRoundedRect(bar, BAR_PIXELS / 2, BAR_PIXELS / 2)
