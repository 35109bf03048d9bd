"""The waveform as a row of rounded bars, coloured by whether they have been heard; dots where audio is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.audio.peak_pyramid import PeakPyramid
from app.theme import LIGHT, Colours

BAR_PIXELS = 3.0
GAP_PIXELS = 2.0
QUIETEST_SCALE = 0.25
"""A very quiet signal is not enlarged beyond this."""


class WaveformItem:
    """Draws a pyramid's samples 0 to `length`; the bars are painted once per size or change, not per frame."""

    def __init__(self) -> None:
        self._peaks = PeakPyramid()
        self._length = 1
        self._position = 0
        self._colours = LIGHT
        self._painted_for: tuple[float, float, float, int, int] | None = None
        self._heard = QPixmap()
        self._unheard = QPixmap()

    def show_peaks(self, peaks: PeakPyramid, length: int) -> None:
        """Draw these peaks over `length` samples."""
        self._peaks = peaks
        self._length = max(length, 1)
        self._painted_for = None

    def set_position(self, position: int) -> None:
        """Mark everything before this sample as heard."""
        self._position = position

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self._painted_for = None

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Draw all samples over the area, from -1 to 1."""
        self._paint_bars(area.width(), area.height(), painter.device().devicePixelRatioF())
        heard = area.width() * self._position / self._length
        painter.save()
        painter.translate(area.topLeft())
        for bars, start, end in ((self._heard, 0.0, heard), (self._unheard, heard, area.width())):
            painter.setClipRect(QRectF(start, 0, end - start, area.height()))
            painter.drawPixmap(QPointF(0, 0), bars)
        painter.restore()

    def _paint_bars(self, width: float, height: float, pixel_ratio: float) -> None:
        wanted = (width, height, pixel_ratio, self._peaks.covered_samples, self._length)
        if wanted == self._painted_for:
            return
        self._painted_for = wanted
        made, pending = self._laid_out(width, height)
        size = QSize(math.ceil(width * pixel_ratio), math.ceil(height * pixel_ratio))
        colours = self._colours
        self._heard, self._unheard = (
            _picture(size, pixel_ratio, ((pending, colours.wave_pending), (made, made_colour)))
            for made_colour in (colours.accent, colours.wave)
        )

    def _laid_out(self, width: float, height: float) -> tuple[list[QRectF], list[QRectF]]:
        """The bars of audio that exists, and the dots of audio that does not yet."""
        made_bars: list[QRectF] = []
        pending_bars: list[QRectF] = []
        columns = max(int(width / (BAR_PIXELS + GAP_PIXELS)), 1)
        peaks = self._peaks.peaks(0, self._length, columns)
        middle = height / 2
        loudest = max(float(-peaks.lowest.min()), float(peaks.highest.max()), QUIETEST_SCALE)
        scale = (middle - BAR_PIXELS) / loudest
        made = self._peaks.covered_samples / self._length * columns
        for column, (low, high) in enumerate(zip(peaks.lowest.tolist(), peaks.highest.tolist(), strict=True)):
            left = width * column / columns + GAP_PIXELS / 2
            top, bottom = middle - high * scale - BAR_PIXELS / 2, middle - low * scale + BAR_PIXELS / 2
            bar = QRectF(QPointF(left, top), QPointF(left + BAR_PIXELS, bottom))
            (made_bars if column < made else pending_bars).append(bar)
        return made_bars, pending_bars


def _picture(size: QSize, pixel_ratio: float, groups: Iterable[tuple[list[QRectF], str]]) -> QPixmap:
    """Bars in their colours, drawn one by one: a single path of them all takes ten times as long."""
    picture = QPixmap(size)
    picture.setDevicePixelRatio(pixel_ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for bars, colour in groups:
        painter.setBrush(QColor(colour))
        for bar in bars:
            painter.drawRoundedRect(bar, BAR_PIXELS / 2, BAR_PIXELS / 2)
    painter.end()
    return picture
