"""A strip in the window with a symbol, a sentence and buttons: the base of messages and offers."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.icons import icon

ICON_PIXELS = 20


class NoticeStrip(QFrame):
    """`label` takes the space left by the symbol and the buttons, and wraps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.symbol = QLabel(self)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def draw_symbol(self, name: str, colour: str) -> None:
        """Show an icon of this name and colour."""
        size = QSize(ICON_PIXELS, ICON_PIXELS)
        self.symbol.setPixmap(icon(name, colour).pixmap(size, self.devicePixelRatioF()))

    def lay_out(self, *rest: QWidget) -> None:
        """Symbol, sentence, and the rest, such as buttons, from left to right."""
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self.symbol)
        layout.addWidget(self.label, 1)
        for widget in rest:
            layout.addWidget(widget)
