"""What is drawn around the waveform: times below it and a mark where each sentence begins."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from app.audio.time_range import TimeRange
from app.audio.transport_bar import clock_time

AXIS_HEIGHT_PIXELS = 20
ROOM_FOR_WORDS_PIXELS = 90
SPACINGS_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
MARK_PIXELS = 6.0
MARKS_APART_PIXELS = 8.0
"""Where sentences follow one another more closely, marks would run together, and some are left out."""


def seconds_per_label(shown: TimeRange, sample_rate_hz: int, width_pixels: float) -> int:
    """The smallest round spacing that leaves room for the labels."""
    wanted = shown.length / sample_rate_hz * ROOM_FOR_WORDS_PIXELS / max(width_pixels, 1)
    return next((spacing for spacing in SPACINGS_SECONDS if spacing >= wanted), SPACINGS_SECONDS[-1])


def paint_times(painter: QPainter, area: QRectF, shown: TimeRange, sample_rate_hz: int, colour: str) -> None:
    """Draw minutes and seconds below the area, omitting labels that would be cut off at its sides."""
    painter.setPen(QColor(colour))
    step = seconds_per_label(shown, sample_rate_hz, area.width())
    first = shown.start // sample_rate_hz // step * step
    for seconds in range(first, shown.end // sample_rate_hz + 1, step):
        place = QRectF(0, area.bottom(), ROOM_FOR_WORDS_PIXELS, AXIS_HEIGHT_PIXELS)
        x = area.left() + area.width() * shown.share_of(seconds * sample_rate_hz)
        place.moveCenter(QPointF(x, place.center().y()))
        words = clock_time(seconds)
        inked = painter.boundingRect(place, Qt.AlignmentFlag.AlignCenter, words)
        if inked.left() >= area.left() and inked.right() <= area.right():
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)


def paint_sentences(painter: QPainter, area: QRectF, shown: TimeRange, sentences: Sequence[int], colour: str) -> None:
    """Draw a mark at the upper edge for each of these samples that is in view."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    before = float("-inf")
    for sample in sentences[bisect_left(sentences, shown.start) : bisect_left(sentences, shown.end)]:
        x = area.left() + area.width() * shown.share_of(sample)
        if x - before >= MARKS_APART_PIXELS:
            top, half = area.top(), MARK_PIXELS / 2
            painter.drawPolygon(
                QPolygonF([QPointF(x - half, top), QPointF(x + half, top), QPointF(x, top + MARK_PIXELS)])
            )
            before = x
    painter.restore()
