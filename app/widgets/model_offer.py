"""A line above the text that offers, once, to fetch a model; it asks for nothing and can be ignored.

It does not know whether it was shown before, nor how a model is fetched.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.icons import icon
from app.theme import Colours

ICON_PIXELS = 20


class ModelOffer(QFrame):
    """`accepted` and `declined` tell what was answered; hidden until there is something to offer."""

    accepted = Signal()
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Offer")
        self._symbol = QLabel(self)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.fetch_button = QPushButton("Fetch…", self)
        self.decline_button = QPushButton("Not Now", self)
        self.decline_button.setToolTip("Speech > Models… has it whenever you want it")
        self._lay_out()
        self.fetch_button.clicked.connect(self.accepted)
        self.decline_button.clicked.connect(self.declined)
        self.hide()

    def offer(self, title: str, size: str) -> None:
        """Offer this model."""
        self.label.setText(f"The full {title} voice model can be fetched ({size}).")
        self.setAccessibleDescription(self.label.text())
        self.fetch_button.setAccessibleName(f"Fetch {title}")
        self.show()

    def set_colours(self, colours: Colours) -> None:
        """Draw the icon anew."""
        size = QSize(ICON_PIXELS, ICON_PIXELS)
        self._symbol.setPixmap(icon("save", colours.accent).pixmap(size, self.devicePixelRatioF()))

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self._symbol)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.decline_button)
        layout.addWidget(self.fetch_button)
