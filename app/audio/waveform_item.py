"""The waveform as a row of rounded bars, coloured by whether they have been heard; dots where audio is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.audio.peak_pyramid import Envelope, PeakPyramid
from app.audio.time_range import TimeRange
from app.theme import colours

BAR_PIXELS = 3.0
GAP_PIXELS = 2.0
QUIETEST_SCALE = 0.25
"""A very quiet signal is not enlarged beyond this."""


class WaveformItem:
    """Draws a part of a pyramid's samples; the bars are painted once per size or change, not per frame.

    Each bar stands for the same samples wherever it is, so that bars only move when another part is in view, and the
    loudest of all gives the height, so that they do not jump.
    """

    def __init__(self) -> None:
        self._peaks: Envelope = PeakPyramid()
        self._shown = TimeRange()
        self._position = 0
        self._gaps: Sequence[tuple[int, int]] = ()
        self._painted_for: tuple[object, ...] | None = None
        self._heard = QPixmap()
        self._unheard = QPixmap()

    def show_peaks(self, peaks: Envelope, shown: TimeRange, gaps: Sequence[tuple[int, int]] = ()) -> None:
        """Draw this part of these peaks; from the start to the end of each gap, there is no sound yet."""
        self._peaks = peaks
        self._shown = shown
        self._gaps = tuple(gaps)
        self._painted_for = None

    def set_position(self, position: int) -> None:
        """Mark everything before this sample as heard."""
        self._position = position

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Draw what is shown over the area, from -1 to 1."""
        self._paint_bars(area.width(), area.height(), painter.device().devicePixelRatioF())
        heard = area.width() * min(max(self._shown.share_of(self._position), 0.0), 1.0)
        painter.save()
        painter.translate(area.topLeft())
        for bars, start, end in ((self._heard, 0.0, heard), (self._unheard, heard, area.width())):
            painter.setClipRect(QRectF(start, 0, end - start, area.height()))
            painter.drawPixmap(QPointF(0, 0), bars)
        painter.restore()

    def _paint_bars(self, width: float, height: float, pixel_ratio: float) -> None:
        ink = colours()
        wanted = (width, height, pixel_ratio, self._peaks.covered_samples, self._shown, ink)
        if wanted == self._painted_for:
            return
        self._painted_for = wanted
        made, pending = self._laid_out(width, height)
        size = QSize(math.ceil(width * pixel_ratio), math.ceil(height * pixel_ratio))
        self._heard, self._unheard = (
            _picture(size, pixel_ratio, ((pending, ink.wave_pending), (made, made_colour)))
            for made_colour in (ink.accent, ink.wave)
        )

    def _laid_out(self, width: float, height: float) -> tuple[list[QRectF], list[QRectF]]:
        """The bars of audio that exists, and the dots of audio that does not yet."""
        made_bars: list[QRectF] = []
        pending_bars: list[QRectF] = []
        columns = max(int(width / (BAR_PIXELS + GAP_PIXELS)), 1)
        per_column = self._shown.length / columns
        first = math.floor(self._shown.start / per_column)
        columns += 1  # of the first and the last, parts may be in view
        peaks = self._peaks.peaks(first * per_column, (first + columns) * per_column, columns)
        middle = height / 2
        scale = (middle - BAR_PIXELS) / self._loudest()
        for column, (low, high) in enumerate(zip(peaks.lowest.tolist(), peaks.highest.tolist(), strict=True)):
            left = width * self._shown.share_of((first + column) * per_column) + GAP_PIXELS / 2
            made = self._is_made((first + column) * per_column, per_column)
            top, bottom = (middle - high * scale, middle - low * scale) if made else (middle, middle)
            bar = QRectF(left, top - BAR_PIXELS / 2, BAR_PIXELS, bottom - top + BAR_PIXELS)
            (made_bars if made else pending_bars).append(bar)
        return made_bars, pending_bars

    def _is_made(self, start: float, length: float) -> bool:
        """Whether there is sound in a column, and in the middle of it."""
        middle = start + length / 2
        return start < self._peaks.covered_samples and not any(begin <= middle < end for begin, end in self._gaps)

    def _loudest(self) -> float:
        peaks = self._peaks.peaks(0, self._shown.total, 1)
        return max(float(-peaks.lowest[0]), float(peaks.highest[0]), QUIETEST_SCALE)


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
