"""Signals drawn over each other with their difference below, an error profile for missing signals, and heat maps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF, QResizeEvent, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.diagnostics.colors import ERROR_TICKS, MAX_ERROR, MIN_ERROR, ColorTone, colored, tone_color
from app.diagnostics.outputs.pictures import OTHER_LENGTH, Envelope, HeatPicture, ProfilePicture, SignalPicture
from app.diagnostics.outputs.time_pane import PaneStack, TimePane
from engine.validator.data.wording import magnitude

Numbers = NDArray[np.float64]
THINNEST_PIXELS = 1.0
MARGIN_SHARE = 0.06
REFERENCE_PIXELS = 2.4
LINE_PIXELS = 13
PANE_NAMES = ("Ours", "Reference", "Difference")


class EnvelopeItem(pyqtgraph.GraphicsObject):
    """A curve in the color of a tone; `line_pixels` is the line width. Values that are not finite leave a gap.

    A band is drawn as one vertical bar per column: lines or polygons with as many corners would take ten times as long.
    """

    def __init__(self, tone: ColorTone, line_pixels: float = 1.0) -> None:
        super().__init__()
        self._tone = tone
        self._line_pixels = line_pixels
        self._area = QRectF()
        self._lowest = self._highest = np.zeros(0)
        self.times: Numbers = np.zeros(0)

    @property
    def is_band(self) -> bool:
        """True if a column stands for several values."""
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

    def boundingRect(self) -> QRectF:
        """Return the bounds of all finite values."""
        return self._area

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw a line or a band, in pixels, so that no line is too thin."""
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        color = QColor(tone_color(self._tone))
        if self.is_band:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRects(self._bars(transform))
        else:
            painter.setPen(pyqtgraph.mkPen(color, width=self._line_pixels))
            for line in self._lines(transform):
                painter.drawPolyline(line)
        painter.restore()

    def _bars(self, transform: QTransform) -> list[QRectF]:
        """Return one bar per column, extended to meet the previous column so that there are no holes."""
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
    """Convert to positions in pixels; a plot is scaled and moved, never rotated."""
    return times * transform.m11() + transform.dx(), heights * transform.m22() + transform.dy()


class SignalView(PaneStack):
    """Two signals, the reference wide and faint, the compiled one thin on top, and their difference below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._over = TimePane("Both signals")
        self._apart = TimePane("Difference", shows_time=True)
        super().__init__((self._over, self._apart), parent)
        self.reference = EnvelopeItem(ColorTone.WAVE, REFERENCE_PIXELS)
        self.ours = EnvelopeItem(ColorTone.ACCENT)
        self.difference = EnvelopeItem(ColorTone.ERROR)
        for pane, item in ((self._over, self.reference), (self._over, self.ours), (self._apart, self.difference)):
            pane.add(item)

    def show_picture(self, picture: SignalPicture, title: str) -> None:
        """Draw two signals."""
        rate = picture.values_per_second
        self.reference.show_envelope(picture.reference, rate)
        self.ours.show_envelope(picture.ours, rate)
        self.difference.show_envelope(picture.difference, rate)
        _fit(self._over, picture.reference, picture.ours)
        self._over.set_title(title)
        self._show_difference(picture)

    def _show_difference(self, picture: SignalPicture) -> None:
        apart = picture.difference
        if apart is None:
            self._apart.set_title(OTHER_LENGTH.capitalize())
            return
        _fit(self._apart, apart)
        self._apart.set_title(f"Difference, {_format_size(apart, picture.unit)}")


class ProfileView(PaneStack):
    """One curve of errors on a logarithmic scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._pane = TimePane("Error along time", shows_time=True)
        super().__init__((self._pane,), parent)
        self._curve = pyqtgraph.PlotCurveItem()
        self._pane.add(self._curve)
        self._pane.left.setTicks([[(float(np.log10(tick)), magnitude(tick)) for tick in ERROR_TICKS]])
        self._pane.view.setYRange(np.log10(MIN_ERROR), np.log10(MAX_ERROR), padding=0)
        self.restyle()

    def show_picture(self, picture: ProfilePicture, title: str) -> None:
        """Draw a profile."""
        known = np.nan_to_num(picture.errors, nan=MAX_ERROR, posinf=MAX_ERROR)
        heights = np.log10(np.clip(known, MIN_ERROR, MAX_ERROR))
        self._curve.setData(np.repeat(picture.edges, 2)[1:-1], np.repeat(heights, 2))
        self._pane.set_title(f"{title}: error over the rms; {picture.why}")

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        super().restyle()
        self._curve.setPen(pyqtgraph.mkPen(QColor(tone_color(ColorTone.ERROR))))


def _format_size(shape: Envelope, unit: str) -> str:
    largest = float(max(np.abs(shape.lowest).max(initial=0), np.abs(shape.highest).max(initial=0)))
    if not np.isfinite(largest):
        return "not finite"
    return f"at most {magnitude(largest)}" + (f" {unit}" if unit else "")


def _fit(pane: TimePane, *shapes: Envelope) -> None:
    values = np.concatenate([np.concatenate([shape.lowest, shape.highest]) for shape in shapes])
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    margin = (high - low) * MARGIN_SHARE or max(abs(high), 1e-9) * MARGIN_SHARE
    pane.view.setYRange(low - margin, high + margin, padding=0)


class HeatView(PaneStack):
    """Heat maps of the compiled output, the reference and the difference."""

    def __init__(self, parent: QWidget | None = None) -> None:
        panes = [TimePane(name, shows_time=name == PANE_NAMES[-1]) for name in PANE_NAMES]
        super().__init__(panes, parent)
        self._picture: HeatPicture | None = None
        self._images = [pyqtgraph.ImageItem(axisOrder="row-major") for _ in panes]
        for pane, image in zip(self.panes, self._images, strict=True):
            pane.add(image)
            pane.view.setYRange(0, 1, padding=0)

    def show_picture(self, picture: HeatPicture) -> None:
        """Draw heat maps."""
        self._picture = picture
        area = QRectF(picture.start_seconds, 0, picture.end_seconds - picture.start_seconds, 1)
        for pane, image, drawn in zip(self.panes, self._images, picture.panes, strict=True):
            image.setImage(colored(drawn.steps, drawn.scale), autoLevels=False, levels=None)
            image.setRect(area)
            pane.left.setTicks([_fitting(picture.ticks, pane.view.height())])
            pane.set_title(f"{drawn.title} · {picture.top}" if pane is self.panes[0] else drawn.title)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw as many tick labels as fit."""
        super().resizeEvent(event)
        if self._picture is not None:
            for pane in self.panes:
                pane.left.setTicks([_fitting(self._picture.ticks, pane.view.height())])

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        super().restyle()
        if self._picture is not None:
            self.show_picture(self._picture)


def _fitting(ticks: Sequence[tuple[float, str]], height_pixels: float) -> list[tuple[float, str]]:
    """Return the ticks, from below, that neither overlap nor are cut off at the edges."""
    kept: list[tuple[float, str]] = []
    last = -LINE_PIXELS / 2
    for share, name in ticks:
        at = share * height_pixels
        if last + LINE_PIXELS <= at <= height_pixels - LINE_PIXELS / 2:
            kept.append((share, name))
            last = at
    return kept
