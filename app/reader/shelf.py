"""The books that were read last, with their covers and how far each was read; and what begins something else."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QColor, QIcon, QImageReader, QKeySequence, QPainter, QPixmap
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.reading.places import ShelvedBook
from app.theme import LIGHT, Colours
from app.widgets.action_button import ActionButton
from app.widgets.wrapping_bar import WrappingBar
from engine.system.paths import data_folder

COVER_SIZE = QSize(40, 60)
SHARPNESS = 2
"""Covers are kept in so many times their size, for screens with small pixels."""
EMPTY = "The books that you open are listed here, with the place in each."
BOOK_ROLE = int(Qt.ItemDataRole.UserRole)


class Covers:
    """Small pictures of the covers of books, in a folder, each under the digest of its book."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder() / "covers"

    def keep(self, digest: str, picture: bytes) -> None:
        """Keep a cover; one that cannot be decoded or written is simply not shown."""
        buffer = QBuffer()
        buffer.setData(QByteArray(picture))
        reader = QImageReader(buffer)
        size = reader.size()
        if size.isValid():
            reader.setScaledSize(size.scaled(COVER_SIZE * SHARPNESS, Qt.AspectRatioMode.KeepAspectRatio))
        image = reader.read()
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        image.save(str(self._path(digest)))

    def icon(self, book: ShelvedBook, colours: Colours) -> QIcon:
        """A cover; one with the first letter of its title if the book has none."""
        pixmap = QPixmap(str(self._path(book.digest)))
        return QIcon(_plain_cover(book.title, colours) if pixmap.isNull() else pixmap)

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.png"


class ShelfPanel(QWidget):
    """`open_wanted` carries the path of a book, `remove_wanted` the book that is not to be listed any more.

    `new`, `open` and `close` are commands of the menu.
    """

    open_wanted = Signal(object)
    remove_wanted = Signal(object)

    def __init__(self, covers: Covers, commands: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._covers = covers
        self._colours = LIGHT
        self.list = QListWidget(self)
        self.list.setObjectName("chapters")
        self.list.setAccessibleName("Books")
        self.list.setIconSize(COVER_SIZE)
        self.list.setWordWrap(True)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.remove = QAction("Remove from List", self.list)
        self.remove.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        self.remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.list.addAction(self.remove)
        self.empty = QLabel(EMPTY, self)
        self.empty.setObjectName("faint")
        self.empty.setWordWrap(True)
        bar = WrappingBar(self)
        for command in commands:
            bar.add(ActionButton(command, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.addWidget(bar)
        layout.addWidget(self.empty)
        layout.addWidget(self.list, 1)
        self.list.itemClicked.connect(self._on_item)
        self.list.itemActivated.connect(self._on_item)
        self.remove.triggered.connect(self._on_remove)
        self.show_books((), None)

    def show_books(self, books: Sequence[ShelvedBook], open_path: Path | None) -> None:
        """List books, the latest first; the one that is open is bold."""
        self.list.clear()
        for book in books:
            item = QListWidgetItem(self._covers.icon(book, self._colours), _words(book), self.list)
            item.setData(BOOK_ROLE, book)
            item.setToolTip(str(book.path))
            font = self.list.font()
            font.setBold(book.path == open_path)
            item.setFont(font)
        self.empty.setVisible(not books)
        self.list.setVisible(bool(books))

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours, from the next time that books are shown on."""
        self._colours = colours

    @Slot(QListWidgetItem)
    def _on_item(self, item: QListWidgetItem) -> None:
        self.open_wanted.emit(item.data(BOOK_ROLE).path)

    @Slot()
    def _on_remove(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.remove_wanted.emit(item.data(BOOK_ROLE))


def _plain_cover(title: str, colours: Colours) -> QPixmap:
    cover = QPixmap(COVER_SIZE * SHARPNESS)
    cover.fill(QColor(colours.highlight))
    painter = QPainter(cover)
    font = painter.font()
    font.setPixelSize(cover.width() // 2)
    painter.setFont(font)
    painter.setPen(QColor(colours.accent))
    painter.drawText(cover.rect(), Qt.AlignmentFlag.AlignCenter, title[:1].upper())
    painter.end()
    return cover


def _words(book: ShelvedBook) -> str:
    about = " · ".join(each for each in (book.author, f"{book.progress:.0%}") if each)
    return f"{book.title}\n{about}"
