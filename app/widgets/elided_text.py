"""Text that gives way when there is too little room, and is whole in its tool tip.

It does not know what it says.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

PADDING_PIXELS = 24
ROUNDING_PIXELS = 4


class ElidedLabel(QLabel):
    """One line of text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, words: str) -> None:
        """Show these words, as many as there is room for."""
        self._words = words
        self.setToolTip(words)
        self.setAccessibleDescription(words)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Find out again how many words there is room for."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, self.width()))


class ElidedButton(QPushButton):
    """A button that is as wide as its words, or as there is room for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def say(self, words: str) -> None:
        """Show these words, as many as there is room for."""
        self._words = words
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.ensurePolished()
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Room for every word."""
        width = self.fontMetrics().horizontalAdvance(self._words) + PADDING_PIXELS + ROUNDING_PIXELS
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """A few words are enough."""
        return QSize(PADDING_PIXELS, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Find out again how many words there is room for."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.width() - PADDING_PIXELS
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))
