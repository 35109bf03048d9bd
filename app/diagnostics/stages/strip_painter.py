"""Draws the strips: the cells of a row, words and waveform above, lines over all, and the color legend below."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.diagnostics.colors import ERROR_TICKS, STEPS, Scale, error_positions, table_of
from app.diagnostics.stages.strip import COLUMNS, CellRow, Strip, StripContent
from app.theme import Colors, colors
from app.widgets.elided_text import ElidedLabel
from engine.stages import STAGE_NAMES
from engine.validator.data.wording import magnitude

FONT_PIXELS = 11
CELL_MARGIN_PIXELS = 4.0
WORD_MARGIN_PIXELS = 3.0
MIN_WORD_PIXELS = 28.0
MIN_LOUDNESS = 0.05
LINE_PIXELS = 1.5
CENTER = int(Qt.AlignmentFlag.AlignCenter)
BAR_PIXELS = 6
WIDTH_PIXELS = 150
MIN_WIDTH_PIXELS = 128
HEIGHT_PIXELS = 22
SCALE_FONT_PIXELS = 10
SPACE_PIXELS = 8
TOOL_TIP = "Colors: largest error in a cell, relative to the reference’s RMS"


class StripPainter:
    """Draws and caches the parts of the strips; `area` is always the whole width of the strip."""

    def __init__(self, strip: Strip) -> None:
        self._strip = strip
        self._images: dict[int, tuple[CellRow, Colors, QImage]] = {}
        self._wave = QPixmap()
        self._wave_of: tuple[object, ...] = ()
        self._font = QFont()
        self._font.setPixelSize(FONT_PIXELS)
        self._metrics = QFontMetricsF(self._font)

    def draw_cells(self, painter: QPainter, area: QRectF, stage: str) -> None:
        """Draw the visible part of a stage's row, or the words it has instead."""
        number = STAGE_NAMES.index(stage)
        row = self._strip.rows[number]
        cell = area.adjusted(0, CELL_MARGIN_PIXELS, 0, -CELL_MARGIN_PIXELS)
        if row is None or row.words:
            painter.fillRect(cell, QColor(colors().window))
            painter.setFont(self._font)
            painter.setPen(QColor(colors().faint))
            painter.drawText(cell, CENTER, row.words if row is not None else "")
            return
        start, end = (seconds / self._strip.scale.length_seconds * COLUMNS for seconds in self._strip.scale.in_view)
        painter.drawImage(cell, self._image(number, row), QRectF(start, 0, end - start, 1))

    def draw_text(self, painter: QPainter, area: QRectF) -> None:
        """Draw the words that fit at their times."""
        painter.save()
        painter.setClipRect(area)
        painter.setFont(self._font)
        grounds = [QColor(colors().control_hover), QColor(colors().window)]
        for number, word in enumerate(self._strip.words):
            left, right = (self._strip.scale.x_of(at, area) for at in (word.start_seconds, word.end_seconds))
            cell = QRectF(left, area.top(), right - left, area.height())
            if cell.intersects(area):
                painter.fillRect(cell, grounds[number % 2])
                painter.setPen(QColor(colors().text))
                painter.drawText(cell, CENTER, self._fitted(word.text, cell.width() - WORD_MARGIN_PIXELS))
        painter.restore()

    def draw_wave(self, painter: QPainter, area: QRectF) -> None:
        """Draw the waveform of the visible range."""
        ratio = painter.device().devicePixelRatioF()
        size = (area.size() * ratio).toSize()
        drawn = (id(self._strip.wave), self._strip.scale.in_view, size.toTuple(), colors())
        if drawn != self._wave_of:
            self._wave_of = drawn
            self._wave = QPixmap(size)
            self._wave.setDevicePixelRatio(ratio)
            self._wave.fill(Qt.GlobalColor.transparent)
            with QPainter(self._wave) as onto:
                self._draw_outline(onto, QRectF(QPointF(), area.size()))
        painter.drawPixmap(area.topLeft(), self._wave)

    def draw_lines(self, painter: QPainter, area: QRectF) -> None:
        """Draw the cursor, dashed, and the playhead over the full height."""
        lines = ((self._strip.cursor, Qt.PenStyle.DashLine), (self._strip.playhead, Qt.PenStyle.SolidLine))
        for seconds, style in lines:
            x = self._strip.scale.x_of(seconds, area) if seconds is not None else area.left() - 1
            if area.left() <= x <= area.right():
                painter.setPen(QPen(QColor(colors().accent), LINE_PIXELS, style))
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _image(self, number: int, row: CellRow) -> QImage:
        kept = self._images.get(number)
        if kept is None or kept[0] is not row or kept[1] != colors():
            kept = self._images[number] = (row, colors(), row.image())
        return kept[2]

    def _fitted(self, text: str, room: float) -> str:
        if self._metrics.horizontalAdvance(text) <= room:
            return text
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, room) if room >= MIN_WORD_PIXELS else ""

    def _draw_outline(self, painter: QPainter, area: QRectF) -> None:
        strip = self._strip
        loudest = max(np.abs(strip.wave.highest).max(initial=0), np.abs(strip.wave.lowest).max(initial=0))
        height = area.height() / 2 / max(float(loudest), MIN_LOUDNESS)
        xs = [strip.scale.x_of(time, area) for time in (strip.wave.edges[:-1] / strip.wave_rate_hz).tolist()]
        there = zip(xs, strip.wave.highest.tolist(), strict=True)
        back = zip(xs[::-1], strip.wave.lowest[::-1].tolist(), strict=True)
        middle = area.center().y()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(colors().wave))
        painter.setBrush(QColor(colors().wave))
        painter.drawPolygon(QPolygonF([QPointF(x, middle - value * height) for x, value in (*there, *back)]))


class StripCaption(QWidget):
    """The utterance on the left, the scale on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel(self)
        self.label.setObjectName("faint")
        self.label.setAccessibleName("Utterance along time")
        self.scale = ErrorScale(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SPACE_PIXELS, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.scale)

    def show_content(self, content: StripContent | None, at_cursor: str = "") -> None:
        """Show the description at the cursor, or else the utterance."""
        utterance = content.utterance if content is not None else None
        name = f"{utterance.index + 1}: {' '.join(utterance.text.split())}" if utterance is not None else ""
        self.label.set_text(at_cursor or name)


class ErrorScale(QWidget):
    """The colors of errors from small to large."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTip(TOOL_TIP)
        self.setAccessibleName(TOOL_TIP)
        self.setMinimumWidth(MIN_WIDTH_PIXELS)
        self.setMaximumWidth(WIDTH_PIXELS)
        self.setFixedHeight(HEIGHT_PIXELS)

    def sizeHint(self) -> QSize:
        """Return a width that is easily readable."""
        return QSize(WIDTH_PIXELS, HEIGHT_PIXELS)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the scale, with its powers of ten."""
        painter = QPainter(self)
        table = np.ascontiguousarray(table_of(Scale.ERRORS))
        image = QImage(table.data, STEPS, 1, STEPS * 4, QImage.Format.Format_RGBA8888)
        painter.drawImage(QRectF(0, HEIGHT_PIXELS - BAR_PIXELS, self.width(), BAR_PIXELS), image)
        font = painter.font()
        font.setPixelSize(SCALE_FONT_PIXELS)
        painter.setFont(font)
        painter.setPen(QColor(colors().faint))
        for tick, position in zip(ERROR_TICKS, error_positions(np.array(ERROR_TICKS)).tolist(), strict=True):
            room = QRectF(0, 0, self.width() / 4, HEIGHT_PIXELS - BAR_PIXELS)
            room.moveLeft(position * self.width() - room.width() / 2)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), magnitude(tick))
