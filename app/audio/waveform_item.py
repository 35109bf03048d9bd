"""The drawing of a waveform: its bars, the times below it and a mark at the start of each sentence."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPixmap, QPolygonF

from app.audio.peak_pyramid import Envelope, PeakPyramid
from app.audio.time_range import TimeRange
from app.audio.transport_bar import clock_time
from app.theme import colors

BAR_PIXELS = 3.0
GAP_PIXELS = 2.0
QUIETEST_SCALE = 0.25
"""The smallest peak that the bars are scaled to, so that a very quiet signal is not enlarged further."""
SPACE_AROUND_WORDS_PIXELS = 60, 6
"""The horizontal and vertical space around the labels."""
HOUR_SECONDS, DAY_SECONDS = 3600, 86_400
SPACINGS_SECONDS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800),
    *(hours * HOUR_SECONDS for hours in (1, 2, 3, 6, 12)),
)
"""The spacings of time labels; larger ones are whole days."""
MARK_PIXELS = 6.0
MARKS_APART_PIXELS = 8.0
"""The smallest distance between marks; if sentences follow each other more closely, some marks are left out."""


class WaveformItem:
    """Draws a part of a pyramid's samples; the bars are painted once per size or change, not per frame.

    Each bar stands for the same samples regardless of its place, so that bars only move when a different part is shown.
    The loudest sample of the whole sound sets the height, so that bars do not jump.
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
        """Draw this part of these peaks; from the start to the end of each gap, there is no audio yet."""
        self._peaks = peaks
        self._shown = shown
        self._gaps = tuple(gaps)
        self._painted_for = None

    def set_position(self, position: int) -> None:
        """Mark everything before this sample as played."""
        self._position = position

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Draw the visible part over the area, from -1 to 1."""
        self._paint_bars(area.width(), area.height(), painter.device().devicePixelRatioF())
        heard = area.width() * min(max(self._shown.share_of(self._position), 0.0), 1.0)
        painter.save()
        painter.translate(area.topLeft())
        for bars, start, end in ((self._heard, 0.0, heard), (self._unheard, heard, area.width())):
            painter.setClipRect(QRectF(start, 0, end - start, area.height()))
            painter.drawPixmap(QPointF(0, 0), bars)
        painter.restore()

    def _paint_bars(self, width: float, height: float, pixel_ratio: float) -> None:
        ink = colors()
        wanted = (width, height, pixel_ratio, self._peaks.covered_samples, self._shown, ink)
        if wanted == self._painted_for:
            return
        self._painted_for = wanted
        made, pending = self._laid_out(width, height)
        size = QSize(math.ceil(width * pixel_ratio), math.ceil(height * pixel_ratio))
        self._heard, self._unheard = (
            _picture(size, pixel_ratio, ((pending, ink.wave_pending), (made, made_color)))
            for made_color in (ink.accent, ink.wave)
        )

    def _laid_out(self, width: float, height: float) -> tuple[list[QRectF], list[QRectF]]:
        """Return the bars of audio that exists, and the dots of audio that does not yet."""
        made_bars: list[QRectF] = []
        pending_bars: list[QRectF] = []
        columns = max(int(width / (BAR_PIXELS + GAP_PIXELS)), 1)
        per_column = self._shown.length / columns
        first = math.floor(self._shown.start / per_column)
        columns += 1  # the first and the last column may be partly visible
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
        """Return whether there is audio in a column and at the middle of it."""
        middle = start + length / 2
        return start < self._peaks.covered_samples and not any(begin <= middle < end for begin, end in self._gaps)

    def _loudest(self) -> float:
        peaks = self._peaks.peaks(0, self._shown.total, 1)
        return max(float(-peaks.lowest[0]), float(peaks.highest[0]), QUIETEST_SCALE)


def _picture(size: QSize, pixel_ratio: float, groups: Iterable[tuple[list[QRectF], str]]) -> QPixmap:
    """Draw bars in their colors, one by one: a single path of them all takes ten times as long."""
    picture = QPixmap(size)
    picture.setDevicePixelRatio(pixel_ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for bars, color in groups:
        painter.setBrush(QColor(color))
        for bar in bars:
            painter.drawRoundedRect(bar, BAR_PIXELS / 2, BAR_PIXELS / 2)
    painter.end()
    return picture


def axis_height(metrics: QFontMetrics) -> int:
    """Return the height of the times in pixels."""
    return metrics.height() + SPACE_AROUND_WORDS_PIXELS[1]


def seconds_per_label(shown: TimeRange, sample_rate_hz: int, width_pixels: float, metrics: QFontMetrics) -> int:
    """Return the smallest round spacing that leaves room for the labels."""
    room = metrics.horizontalAdvance(clock_time(shown.end / sample_rate_hz)) + SPACE_AROUND_WORDS_PIXELS[0]
    wanted = shown.length / sample_rate_hz * room / max(width_pixels, 1)
    days = math.ceil(wanted / DAY_SECONDS) * DAY_SECONDS
    return next((spacing for spacing in SPACINGS_SECONDS if spacing >= wanted), days)


def paint_times(painter: QPainter, area: QRectF, shown: TimeRange, sample_rate_hz: int, color: str) -> None:
    """Draw minutes and seconds below the area, omitting labels that would be cut off at its sides."""
    painter.setPen(QColor(color))
    metrics = painter.fontMetrics()
    step = seconds_per_label(shown, sample_rate_hz, area.width(), metrics)
    first = shown.start // sample_rate_hz // step * step
    for seconds in range(first, shown.end // sample_rate_hz + 1, step):
        words = clock_time(seconds)
        place = QRectF(0, area.bottom(), metrics.horizontalAdvance(words), axis_height(metrics))
        x = area.left() + area.width() * shown.share_of(seconds * sample_rate_hz)
        place.moveCenter(QPointF(x, place.center().y()))
        if place.left() >= area.left() and place.right() <= area.right():
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, words)


def paint_sentences(painter: QPainter, area: QRectF, shown: TimeRange, sentences: Sequence[int], color: str) -> None:
    """Draw a mark at the upper edge for each of these samples, in order, that is visible."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    top, half = area.top(), MARK_PIXELS / 2
    apart = math.ceil(MARKS_APART_PIXELS / area.width() * shown.length)
    number, end = bisect_left(sentences, shown.start), bisect_left(sentences, shown.end)
    while number < end:
        x = area.left() + area.width() * shown.share_of(sentences[number])
        painter.drawPolygon(QPolygonF([QPointF(x - half, top), QPointF(x + half, top), QPointF(x, top + MARK_PIXELS)]))
        number = bisect_left(sentences, sentences[number] + apart, number)
    painter.restore()
