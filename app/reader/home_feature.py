"""Home, connected to the window: when it is shown in the place of the text, and Open Recent, which lists the same."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QIcon

from app.main_window import MainWindow
from app.reader.covers import Covers
from app.reader.home import HomePage
from app.reading.places import ShelvedBook
from app.recent_texts import first_words

BOOKS_IN_MENU = 10


class HomeFeature(QObject):
    """Comes by itself only where there is no text to look at."""

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

    def begin(self) -> None:
        """Show it if no text is open, but books were."""
        if self._reading.document is None and not self._page.editor.text and self._reading.shelf:
            self.show()

    @Slot()
    def show(self) -> None:
        """Show it."""
        self._list()
        self._page.show_home(self.page)

    def _connect_page(self) -> None:
        home, page = self.page, self._page
        home.cards.picked.connect(self._on_picked)
        home.remove_wanted.connect(self._on_remove)
        home.back_wanted.connect(page.show_text)
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
        if wanted or self._page.views.isHidden():  # behind the side bar
            self.show()
        else:
            self._page.show_text()

    @Slot(object)
    def _on_picked(self, book: ShelvedBook) -> None:
        if book.path == self._reading.path:
            self._page.show_text()
        else:
            self._window.file_wanted.emit(book.path)

    @Slot(object)
    def _on_remove(self, book: ShelvedBook) -> None:
        self._covers.remove(book.digest)
        self._reading.unshelve(book)

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
        self._window.file_wanted.emit(action.data())
