"""A plot item that draws a signal as a line, or as a min-max band where it has many values; x is in seconds."""

from __future__ import annotations

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.diagnostics.outputs.signals import Envelope

Numbers = NDArray[np.float64]
THINNEST_PIXELS = 1.0


class EnvelopeItem(pyqtgraph.GraphicsObject):
    """`line_pixels` is the width of a line; values that are not finite leave a gap.

    A band is drawn as one vertical bar per column: lines or polygons with as many corners would take ten times as long.
    """

    def __init__(self, line_pixels: float = 1.0) -> None:
        super().__init__()
        self._line_pixels = line_pixels
        self._colour = QColor()
        self._area = QRectF()
        self._lowest = self._highest = np.zeros(0)
        self.times: Numbers = np.zeros(0)

    @property
    def colour(self) -> QColor:
        """The colour it is drawn in."""
        return self._colour

    @property
    def is_band(self) -> bool:
        """Whether a column stands for several values."""
        return not np.array_equal(self._lowest, self._highest, equal_nan=True)

    def show_envelope(self, shape: Envelope | None, values_per_second: float) -> None:
        """Draw this envelope; None draws nothing."""
        self.prepareGeometryChange()
        nothing = np.zeros(0)
        self.times = shape.edges[:-1] / values_per_second if shape is not None else nothing
        self._lowest = shape.lowest.astype(np.float64) if shape is not None else nothing
        self._highest = shape.highest.astype(np.float64) if shape is not None else nothing
        self._area = self._extent()
        self.update()

    def set_colour(self, name: str) -> None:
        """Draw in this colour."""
        self._colour = QColor(name)
        self.update()

    def boundingRect(self) -> QRectF:
        """The bounds of all finite values."""
        return self._area

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """A line or a band, in pixels, so that no line is thinner than it should be."""
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        if self.is_band:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._colour)
            painter.drawRects(self._bars(transform))
        else:
            painter.setPen(pyqtgraph.mkPen(self._colour, width=self._line_pixels))
            for line in self._lines(transform):
                painter.drawPolyline(line)
        painter.restore()

    def _bars(self, transform: QTransform) -> list[QRectF]:
        """One bar per column, extended to meet the previous column so that there are no holes."""
        low = np.minimum(self._lowest[1:], self._highest[:-1])
        high = np.maximum(self._highest[1:], self._lowest[:-1])
        known = np.isfinite(low) & np.isfinite(high)
        left, top = _placed(transform, self.times[1:][known], high[known])
        _, bottom = _placed(transform, self.times[1:][known], low[known])
        width = max(transform.m11() * float(np.median(np.diff(self.times))), THINNEST_PIXELS)
        heights = np.maximum(bottom - top, THINNEST_PIXELS)
        corners = zip(left.tolist(), top.tolist(), heights.tolist(), strict=True)
        return [QRectF(x, y, width, height) for x, y, height in corners]

    def _lines(self, transform: QTransform) -> list[QPolygonF]:
        finite = np.isfinite(self._lowest)
        borders = np.flatnonzero(np.diff(finite, prepend=False, append=False)).tolist()
        pieces = []
        for start, end in zip(borders[::2], borders[1::2], strict=True):
            x, y = _placed(transform, self.times[start:end], self._lowest[start:end])
            pieces.append(pyqtgraph.functions.arrayToQPolygonF(x, y))
        return pieces

    def _extent(self) -> QRectF:
        finite = np.isfinite(self._lowest) & np.isfinite(self._highest)
        if not finite.any():
            return QRectF()
        bottom, top = float(self._lowest[finite].min()), float(self._highest[finite].max())
        return QRectF(self.times[0], bottom, self.times[-1] - self.times[0], top - bottom)


def _placed(transform: QTransform, times: Numbers, heights: Numbers) -> tuple[Numbers, Numbers]:
    """Positions in pixels; a plot is scaled and moved, never rotated."""
    return times * transform.m11() + transform.dx(), heights * transform.m22() + transform.dy()
