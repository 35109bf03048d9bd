"""A button over the text that leads back to what is heard, after somebody has looked at another place."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QPushButton, QWidget

TITLE = "Back to Reading"
ABOVE_EDGE_PIXELS = 12


class ReadingChip(QPushButton):
    """Stays at the middle of the lower edge of the widget over which it is shown."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(TITLE, over)
        self._over = over
        self.setObjectName("chip")
        self.setToolTip("Scroll to the word being spoken")
        self.setAutoDefault(False)
        self.hide()
        over.installEventFilter(self)

    @Slot(bool)
    def show_left(self, left: bool) -> None:
        """Appear if what is heard is out of sight, else disappear; the keyboard goes back to the text."""
        if not left and self.hasFocus():
            self._over.setFocus()
        self.setVisible(left)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the place when the widget below gets another size."""
        if event.type() is QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        self.adjustSize()
        left = (self._over.width() - self.width()) // 2
        self.move(left, self._over.height() - self.height() - ABOVE_EDGE_PIXELS)
        self.raise_()
