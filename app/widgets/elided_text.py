"""Labels, buttons and combo boxes whose text is elided if space is short; the tool tip has the full text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

PADDING_PIXELS = 24
LIST_MARGIN_PIXELS = 24
MAX_OF_SCREEN = 0.5
"""The maximum width of an open list as a share of the screen; longer titles are elided."""
ROUNDING_PIXELS = 4


class ElidedLabel(QLabel):
    """A label with one line of text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, words: str) -> None:
        """Show this text, elided if space is short."""
        self._words = words
        self.setToolTip(words)
        self.setAccessibleDescription(words)
        self._elide()

    def sizeHint(self) -> QSize:
        """Return the width of the full text."""
        width = self.fontMetrics().horizontalAdvance(self._words) + ROUNDING_PIXELS
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return a small width, which is enough since the text can be elided."""
        return QSize(PADDING_PIXELS, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the text again."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, self.width()))


class ElidedButton(QPushButton):
    """A button as wide as its text, or narrower with the text elided."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_text(self, words: str) -> None:
        """Show this text, elided if space is short."""
        self._words = words
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.ensurePolished()
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Return the width of the full text."""
        width = self.fontMetrics().horizontalAdvance(self._words) + PADDING_PIXELS + ROUNDING_PIXELS
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return a small width, which is enough since the text can be elided."""
        return QSize(PADDING_PIXELS, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the text again."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.width() - PADDING_PIXELS
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))


class ElidedComboBox(QComboBox):
    """A combo box whose current title is elided if space is short."""

    @property
    def shown_title(self) -> str:
        """The current title as shown, elided if space is short."""
        return self._option().currentText

    def showPopup(self) -> None:
        """Open the list, wide enough for its longest title if the screen has room for it."""
        wanted = self.view().sizeHintForColumn(0) + LIST_MARGIN_PIXELS
        self.view().setMinimumWidth(min(wanted, round(MAX_OF_SCREEN * self.screen().availableGeometry().width())))
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the surrounding widget: scrolling past must not change a selection."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, then the title or its placeholder."""
        painter, option = QStylePainter(self), self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        words = self.placeholderText() if self.currentIndex() < 0 else self.currentText()
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        elided = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room - ROUNDING_PIXELS)
        option.currentText = elided  # type: ignore[attr-defined]
        return option
