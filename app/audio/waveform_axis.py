"""What is drawn around the waveform: times below it and a mark where each sentence begins."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPolygonF

from app.audio.time_range import TimeRange
from app.audio.transport_bar import clock_time

SPACE_AROUND_WORDS_PIXELS = 60, 6
"""Across and down."""
HOUR_SECONDS, DAY_SECONDS = 3600, 86_400
SPACINGS_SECONDS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800),
    *(hours * HOUR_SECONDS for hours in (1, 2, 3, 6, 12)),
)
"""After these come whole days."""
MARK_PIXELS = 6.0
MARKS_APART_PIXELS = 8.0
"""Where sentences follow one another more closely, marks would run together, and some are left out."""


def axis_height(metrics: QFontMetrics) -> int:
    """The room that the times take in pixels."""
    return metrics.height() + SPACE_AROUND_WORDS_PIXELS[1]


def seconds_per_label(shown: TimeRange, sample_rate_hz: int, width_pixels: float, metrics: QFontMetrics) -> int:
    """The smallest round spacing that leaves room for the labels."""
    room = metrics.horizontalAdvance(clock_time(shown.end / sample_rate_hz)) + SPACE_AROUND_WORDS_PIXELS[0]
    wanted = shown.length / sample_rate_hz * room / max(width_pixels, 1)
    days = math.ceil(wanted / DAY_SECONDS) * DAY_SECONDS
    return next((spacing for spacing in SPACINGS_SECONDS if spacing >= wanted), days)


def paint_times(painter: QPainter, area: QRectF, shown: TimeRange, sample_rate_hz: int, colour: str) -> None:
    """Draw minutes and seconds below the area, omitting labels that would be cut off at its sides."""
    painter.setPen(QColor(colour))
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


def paint_sentences(painter: QPainter, area: QRectF, shown: TimeRange, sentences: Sequence[int], colour: str) -> None:
    """Draw a mark at the upper edge for each of these samples, in order, that is in view."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    top, half = area.top(), MARK_PIXELS / 2
    apart = math.ceil(MARKS_APART_PIXELS / area.width() * shown.length)
    number, end = bisect_left(sentences, shown.start), bisect_left(sentences, shown.end)
    while number < end:
        x = area.left() + area.width() * shown.share_of(sentences[number])
        painter.drawPolygon(QPolygonF([QPointF(x - half, top), QPointF(x + half, top), QPointF(x, top + MARK_PIXELS)]))
        number = bisect_left(sentences, sentences[number] + apart, number)
    painter.restore()
