"""The items of the divergence strip: waveform, cells and words. One unit of x is one second, one unit of y one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.diagnostics.colours import coloured, error_positions, error_table, steps_of
from app.diagnostics.signals import Envelope
from app.diagnostics.utterance_clock import Word
from app.theme import LIGHT, Colours

CELL_COLUMNS = 2048
CELL_MARGIN_PIXELS = 1.5
SMALLEST_SCALE = 0.05
WORD_MARGIN_PIXELS = 3.0
LEAST_WORD_PIXELS = 28.0
FONT_PIXELS = 11


@dataclass(frozen=True, eq=False)
class CellRow:
    """Where along time one stage differs: `errors` [n] between `edges` [n + 1] seconds, or words instead."""

    edges: NDArray[np.float64]
    errors: NDArray[np.float64]
    words: str = ""

    def error_at(self, seconds: float) -> float | None:
        """The error of the cell at this time."""
        if not len(self.errors):
            return None
        index = int(np.searchsorted(self.edges, seconds, side="right")) - 1
        return float(self.errors[min(max(index, 0), len(self.errors) - 1)])


class StripItem(pyqtgraph.GraphicsObject):
    """Some rows of the strip, `top` to `top + height`, over a duration greater than 0."""

    def __init__(self, top: float, height: float) -> None:
        super().__init__()
        self._top = top
        self._height = height
        self._seconds = 1.0
        self._colours = LIGHT

    def set_seconds(self, seconds: float) -> None:
        """Set the duration that is covered."""
        self.prepareGeometryChange()
        self._seconds = seconds
        self.update()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self.update()

    def boundingRect(self) -> QRectF:
        """The area of all its rows over the whole duration."""
        return QRectF(0, self._top, self._seconds, self._height)

    @contextmanager
    def _in_pixels(self, painter: QPainter) -> Iterator[QRectF]:
        """The item's area in pixels, to draw in so that lines and letters keep their size at any scale."""
        area = painter.transform().mapRect(self.boundingRect())
        painter.save()
        painter.resetTransform()
        yield area
        painter.restore()

    def _x(self, seconds: float, area: QRectF) -> float:
        return area.left() + area.width() * seconds / self._seconds


class WaveItem(StripItem):
    """The envelope of a waveform."""

    def __init__(self, top: float, height: float) -> None:
        super().__init__(top, height)
        self._outline = QPolygonF()
        self._scale = SMALLEST_SCALE

    def show_envelope(self, shape: Envelope, sample_rate_hz: float) -> None:
        """Draw this envelope; an empty one draws nothing."""
        times = shape.edges[:-1] / sample_rate_hz
        there = zip(times.tolist(), shape.highest.tolist(), strict=True)
        back = zip(times[::-1].tolist(), shape.lowest[::-1].tolist(), strict=True)
        self._outline = QPolygonF([QPointF(*point) for point in (*there, *back)])
        loudest = max(np.abs(shape.highest).max(initial=0), np.abs(shape.lowest).max(initial=0))
        self._scale = max(float(loudest), SMALLEST_SCALE)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the outline."""
        with self._in_pixels(painter) as area:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(area.left(), area.center().y())
            painter.scale(area.width() / self._seconds, -area.height() / 2 / self._scale)
            painter.setPen(pyqtgraph.mkPen(self._colours.wave, width=1, cosmetic=True))
            painter.setBrush(QColor(self._colours.wave))
            painter.drawPolygon(self._outline)


class CellsItem(StripItem):
    """A row of coloured cells per stage; one row may be marked."""

    def __init__(self, top: float, row_count: int) -> None:
        super().__init__(top, row_count)
        self._rows: list[CellRow | None] = [None] * row_count
        self._images: list[QImage | None] = [None] * row_count
        self._marked = -1

    @property
    def rows(self) -> tuple[CellRow | None, ...]:
        """What is drawn."""
        return tuple(self._rows)

    def show_rows(self, rows: Sequence[CellRow | None]) -> None:
        """Draw these rows; only rows that have changed are coloured again."""
        for number, row in enumerate(rows):
            if row is not self._rows[number]:
                self._rows[number] = row
                self._images[number] = None
        self.update()

    def set_seconds(self, seconds: float) -> None:
        """Set the duration that is covered."""
        if seconds != self._seconds:
            self._images = [None] * len(self._rows)
        super().set_seconds(seconds)

    def mark(self, number: int) -> None:
        """Mark a row; -1 marks none."""
        self._marked = number
        self.update()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._images = [None] * len(self._rows)
        super().set_colours(colours)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw every row, and the mark."""
        with self._in_pixels(painter) as area:
            height = area.height() / len(self._rows)
            font = painter.font()
            font.setPixelSize(FONT_PIXELS)
            painter.setFont(font)
            for number, row in enumerate(self._rows):
                cell = QRectF(area.left(), area.top() + number * height, area.width(), height)
                cell = cell.adjusted(0, CELL_MARGIN_PIXELS, 0, -CELL_MARGIN_PIXELS)
                self._draw_row(painter, cell, number, row)
                if number == self._marked:
                    painter.setPen(pyqtgraph.mkPen(self._colours.accent, width=2))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRect(cell)

    def _draw_row(self, painter: QPainter, cell: QRectF, number: int, row: CellRow | None) -> None:
        painter.setPen(QColor(self._colours.faint))
        if row is None or row.words:
            painter.fillRect(cell, QColor(self._colours.window))
            painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), row.words if row is not None else "")
            return
        image = self._images[number]
        if image is None:
            image = self._images[number] = self._image(row)
        painter.drawImage(cell, image)

    def _image(self, row: CellRow) -> QImage:
        moments = (np.arange(CELL_COLUMNS) + 0.5) / CELL_COLUMNS * self._seconds
        cells = np.clip(np.searchsorted(row.edges, moments, side="right") - 1, 0, len(row.errors) - 1)
        pixels = coloured(steps_of(error_positions(row.errors)), error_table(self._colours))[cells]
        line = np.ascontiguousarray(pixels)
        return QImage(line.data, CELL_COLUMNS, 1, CELL_COLUMNS * 4, QImage.Format.Format_RGBA8888).copy()


class WordsItem(StripItem):
    """The words at the times they are spoken; a word that does not fit appears only in the tool tip."""

    def __init__(self, top: float, height: float) -> None:
        super().__init__(top, height)
        self._words: tuple[tuple[Word, float], ...] = ()
        self._font = QFont()
        self._font.setPixelSize(FONT_PIXELS)
        self._metrics = QFontMetricsF(self._font)

    def show_words(self, words: tuple[Word, ...]) -> None:
        """Write these words."""
        self._words = tuple((word, self._metrics.horizontalAdvance(word.text)) for word in words)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Write the words that fit."""
        with self._in_pixels(painter) as area:
            painter.setFont(self._font)
            painter.setPen(QColor(self._colours.text))
            grounds = [QColor(self._colours.control_hover), QColor(self._colours.window)]
            for number, (word, width) in enumerate(self._words):
                left, right = self._x(word.start_seconds, area), self._x(word.end_seconds, area)
                cell = QRectF(left, area.top() + 1, right - left, area.height() - 2)
                painter.fillRect(cell, grounds[number % 2])
                room = cell.width() - WORD_MARGIN_PIXELS
                if width <= room:
                    painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), word.text)
                elif room >= LEAST_WORD_PIXELS:
                    text = self._metrics.elidedText(word.text, Qt.TextElideMode.ElideRight, room)
                    painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), text)
