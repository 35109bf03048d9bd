"""A line above the text that offers, once, to fetch a model; it interrupts nothing and can be ignored."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.theme import Colours
from app.widgets.notice_strip import NoticeStrip


class ModelOffer(NoticeStrip):
    """`accepted` and `declined` tell what was answered; hidden until there is something to offer."""

    accepted = Signal()
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Offer")
        self.decline_button = QPushButton("Not Now", self)
        self.fetch_button = QPushButton("Fetch…", self)
        self.decline_button.setToolTip("Speech > Models… has it whenever you want it")
        self.lay_out(self.decline_button, self.fetch_button)
        self.fetch_button.clicked.connect(self.accepted)
        self.decline_button.clicked.connect(self.declined)
        self.hide()

    def offer(self, title: str, voices: int, size: str) -> None:
        """Offer this model; `voices` is their number, `size` its download size as text."""
        unbroken = size.replace(" ", "\N{NO-BREAK SPACE}")
        self.label.setText(f"The full {title} model with {voices} voices can be fetched ({unbroken}).")
        self.setAccessibleDescription(self.label.text())
        self.fetch_button.setAccessibleName(f"Fetch {title}")
        self.show()

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icon."""
        self.draw_symbol("save", colours.accent)
