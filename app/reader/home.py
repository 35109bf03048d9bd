"""The page where one begins: the books that were read last, and what opens another or begins a text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.reader.book_cards import BookCards
from app.reader.covers import Covers
from app.reading.places import ShelvedBook
from app.widgets.action_button import ActionButton, action_of
from app.widgets.elided_text import ElidedButton
from app.widgets.wrapping_bar import WrappingBar

EMPTY = "Books and documents that you open appear here. Open one, or drop it on this window."
SPACE_PIXELS = 10


class HomePage(QWidget):
    """`remove_wanted` carries a book, `back_wanted` leads to what is open; a book is chosen among the `cards`.

    `commands` are those of the menu that have a button here.
    """

    remove_wanted = Signal(object)
    back_wanted = Signal()

    def __init__(self, covers: Covers, commands: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back_button = ElidedButton(self)
        self.back_button.setObjectName("pointer")
        self.back_button.clicked.connect(self.back_wanted)
        self.cards = BookCards(covers, self)
        self.remove = action_of(self.cards, "Remove from List", QKeySequence.StandardKey.Delete, self._on_remove)
        self.empty = QLabel(EMPTY, self)
        self.empty.setObjectName("faint")
        self.empty.setWordWrap(True)
        bar = WrappingBar(self)
        for button in (*(ActionButton(command, self) for command in commands), self.back_button):
            bar.add(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(bar)
        layout.addWidget(self.empty)
        layout.addWidget(self.cards, 1)
        layout.addStretch()
        self.show_books(())
        self.name_open("")

    def show_books(self, books: Sequence[ShelvedBook]) -> None:
        """List books, the latest first."""
        self.cards.show_books(books)
        self.cards.setVisible(bool(books))
        self.empty.setVisible(not books)
        self.remove.setEnabled(bool(books))

    def name_open(self, title: str) -> None:
        """Offer to go back to what is open; an empty title says that nothing is."""
        self.back_button.say(f"Back to “{title}”")
        self.back_button.setVisible(bool(title))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the keyboard to the books; a focus proxy would take the buttons before them out of the Tab order."""
        if self.cards.isHidden():
            self.focusNextChild()
        else:
            self.cards.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Escape."""
        if event.key() == Qt.Key.Key_Escape and not self.back_button.isHidden():
            self.back_wanted.emit()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_remove(self) -> None:
        self.remove_wanted.emit(self.cards.current)
