"""The home page, shown instead of the text, and the Open Recent menu, which lists the same books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFocusEvent, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.main_window import MainWindow
from app.reader.book_cards import BookCards, Covers
from app.reading.places import LibraryBook
from app.recent_texts import first_words
from app.widgets.controls import ActionButton, action_of
from app.widgets.elided_text import ElidedButton
from app.widgets.layouts import WrappingBar

BOOKS_IN_MENU = 10
EMPTY = "Books and documents that you open appear here. Open one, or drop it on this window."
SPACE_PIXELS = 10


class HomePage(QWidget):
    """The home page.

    `remove_requested` carries a book, `back_requested` returns to the open text, and the `cards` report the book that
    the user picks. `commands` are the menu commands that have a button here.
    """

    remove_requested = Signal(object)
    back_requested = Signal()

    def __init__(self, covers: Covers, commands: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back_button = ElidedButton(self)
        self.back_button.setObjectName("pointer")
        self.back_button.clicked.connect(self.back_requested)
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

    def show_books(self, books: Sequence[LibraryBook]) -> None:
        """List books, most recent first."""
        self.cards.show_books(books)
        self.cards.setVisible(bool(books))
        self.empty.setVisible(not books)
        self.remove.setEnabled(bool(books))

    def name_open(self, title: str) -> None:
        """Offer to return to the open text; an empty title means that nothing is open."""
        self.back_button.set_text(f"Back to “{title}”")
        self.back_button.setVisible(bool(title))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus to the books; a focus proxy would take the buttons before them out of the Tab order."""
        if self.cards.isHidden():
            self.focusNextChild()
        else:
            self.cards.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back on Escape."""
        if event.key() == Qt.Key.Key_Escape and not self.back_button.isHidden():
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_remove(self) -> None:
        self.remove_requested.emit(self.cards.current)


class HomeFeature(QObject):
    """Connects the home page to the window; the page appears automatically only if there is no text to show."""

    def __init__(self, window: MainWindow, covers: Covers) -> None:
        super().__init__(window)
        self._window = window
        self._page = window.page
        self._reading = window.reading
        self._covers = covers
        menu = window.menu
        self.page = HomePage(covers, (menu.open_text, menu.new_text))
        window.page.views.addWidget(self.page)
        self._connect_page()
        menu.home.triggered.connect(self._on_command)
        menu.home.setEnabled(True)
        window.page.header.home_button.clicked.connect(menu.home.trigger)
        menu.recent_files_menu.aboutToShow.connect(self._offer)
        menu.recent_files_menu.triggered.connect(self._on_recent)

    def show_if_empty(self) -> None:
        """Show the page if no text is open but books have been read."""
        if self._reading.document is None and not self._page.editor.text and self._reading.shelf:
            self.show()

    @Slot()
    def show(self) -> None:
        """Show the page."""
        self._list()
        self._page.show_home(self.page)

    def _connect_page(self) -> None:
        home, page = self.page, self._page
        home.cards.picked.connect(self._on_picked)
        home.remove_requested.connect(self._on_remove)
        home.back_requested.connect(page.show_text)
        page.editor.text_replaced.connect(page.show_text)
        page.home_changed.connect(self._window.menu.home.setChecked)
        self._reading.changed.connect(self._follow)
        page.header.speed.speed_changed.connect(home.cards.set_speed)
        home.cards.set_speed(page.header.speed.speed)

    def _list(self) -> None:
        self.page.show_books(self._reading.shelf)
        document, own = self._reading.document, self._page.editor.text
        self.page.name_open(document.title if document is not None else first_words(own))

    @Slot()
    def _follow(self) -> None:
        if self._page.home_shown:
            self._list()

    @Slot(bool)
    def _on_command(self, wanted: bool) -> None:
        if wanted or self._page.views.isHidden():  # or hidden behind the side bar
            self.show()
        else:
            self._page.show_text()

    @Slot(object)
    def _on_picked(self, book: LibraryBook) -> None:
        if book.path == self._reading.path:
            self._page.show_text()
        else:
            self._window.file_requested.emit(book.path)

    @Slot(object)
    def _on_remove(self, book: LibraryBook) -> None:
        self._covers.remove(book.digest)
        self._reading.remove_from_library(book)

    @Slot()
    def _offer(self) -> None:
        books = self._reading.shelf[:BOOKS_IN_MENU]
        titles = Counter(book.title for book in books)
        offered = []
        for book in books:
            folder = f" ({book.path.parent})" if titles[book.title] > 1 else ""
            cover = QIcon(self._covers.of(book))
            offered.append((book.path, f"{book.title}{folder} · {book.progress:.0%}", cover))
        self._window.menu.offer_books(offered)

    @Slot(QAction)
    def _on_recent(self, action: QAction) -> None:
        self._window.file_requested.emit(action.data())
