"""The caption of the strips: which utterance they show, what is at the cursor, and what their colours mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.diagnostics.colours import ERROR_TICKS, STEPS, error_positions, error_table
from app.diagnostics.metric_words import number_words
from app.diagnostics.stages.strip_content import StripContent
from app.theme import LIGHT, Colours
from app.widgets.elided_text import ElidedLabel

BAR_PIXELS = 6
WIDTH_PIXELS = 150
SMALLEST_PIXELS = 128
HEIGHT_PIXELS = 22
FONT_PIXELS = 10
SPACE_PIXELS = 8
MEANING = "Colours: the largest error in a cell over the reference's rms"


class StripCaption(QWidget):
    """The utterance at the left, the scale at the right."""

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
        """Show what is at the cursor, or else which utterance it is."""
        utterance = content.utterance if content is not None else None
        name = f"{utterance.index + 1}: {' '.join(utterance.text.split())}" if utterance is not None else ""
        self.label.say(at_cursor or name)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.scale.set_colours(colours)


class ErrorScale(QWidget):
    """The colours of errors from small to large."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self.setToolTip(MEANING)
        self.setAccessibleName(MEANING)
        self.setMinimumWidth(SMALLEST_PIXELS)
        self.setMaximumWidth(WIDTH_PIXELS)
        self.setFixedHeight(HEIGHT_PIXELS)

    def sizeHint(self) -> QSize:
        """Wide enough to be easily readable."""
        return QSize(WIDTH_PIXELS, HEIGHT_PIXELS)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The scale, with its powers of ten."""
        painter = QPainter(self)
        table = np.ascontiguousarray(error_table(self._colours))
        image = QImage(table.data, STEPS, 1, STEPS * 4, QImage.Format.Format_RGBA8888)
        painter.drawImage(QRectF(0, HEIGHT_PIXELS - BAR_PIXELS, self.width(), BAR_PIXELS), image)
        font = painter.font()
        font.setPixelSize(FONT_PIXELS)
        painter.setFont(font)
        painter.setPen(QColor(self._colours.faint))
        for tick, position in zip(ERROR_TICKS, error_positions(np.array(ERROR_TICKS)).tolist(), strict=True):
            room = QRectF(0, 0, self.width() / 4, HEIGHT_PIXELS - BAR_PIXELS)
            room.moveLeft(position * self.width() - room.width() / 2)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), number_words(tick))
