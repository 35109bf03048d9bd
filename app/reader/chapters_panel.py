"""The chapters of a document: which are read, which were heard, how long they are, and how far one has come."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.reader.chapter_list import ChapterList
from app.reader.reading_time import reading_time
from app.reading.places import Place
from app.widgets.action_button import action_of
from app.widgets.elided_text import ElidedLabel
from engine.documents import Chapter, Document, Matter

BAR_PIXELS = 4
BOOKMARK_ROLE = int(Qt.ItemDataRole.UserRole)
NOTHING_OPEN = "Open a document, or drop one here, and its chapters are listed."
NOTHING_TICKED = "No chapter is ticked: nothing is read on its own."


class ChaptersPanel(QWidget):
    """`chapter_chosen` carries the number of the chapter that somebody wants to see, from 0.

    `chapter_ticked` carries one that is to be read or left out, and which of both. `bookmark_chosen` and
    `bookmark_removed` carry a `Bookmark`.
    """

    chapter_chosen = Signal(int)
    chapter_ticked = Signal(int, bool)
    notices_wanted = Signal()
    bookmark_chosen = Signal(object)
    bookmark_removed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._place = Place()
        self._speed = 1.0
        self.title = ElidedLabel(self)
        self.title.setObjectName("documentTitle")
        self.summary = QLabel(NOTHING_OPEN, self)
        self.summary.setObjectName("faint")
        self.summary.setWordWrap(True)
        self.notices = QPushButton(self)
        self.notices.setObjectName("pointer")
        self.notices.clicked.connect(self.notices_wanted)
        self.bar = QProgressBar(self)
        self.bar.setObjectName("progress")
        self.bar.setAccessibleName("How far the book was read")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(BAR_PIXELS)
        self.list = ChapterList(self)
        self.list.opened.connect(self.chapter_chosen)
        self.list.ticked.connect(self.chapter_ticked)
        self.bookmarks = QListWidget(self)
        self.bookmarks.setObjectName("chapters")
        self.bookmarks.setAccessibleName("Bookmarks")
        self.bookmarks.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.bookmarks.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.bookmarks.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.remove_bookmark = action_of(
            self.bookmarks, "Remove Bookmark", QKeySequence.StandardKey.Delete, self._on_remove
        )
        self.bookmarks.itemClicked.connect(self._on_bookmark)
        self.bookmarks.itemActivated.connect(self._on_bookmark)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        about = QHBoxLayout()
        about.addWidget(self.summary, 1)
        about.addWidget(self.notices)
        layout.addWidget(self.title)
        layout.addLayout(about)
        layout.addWidget(self.bar)
        layout.addWidget(self.list, 3)
        layout.addWidget(self.bookmarks, 1)
        self.show_document(None, Place(), 0.0)

    def show_document(self, document: Document | None, place: Place, progress: float) -> None:
        """Show the chapters of a document, and how far one is in it, from 0 to 1; None shows that none is open."""
        is_new = document is not self._document
        self._document, self._place = document, place
        for widget in (self.title, self.bar, self.list):
            widget.setVisible(document is not None)
        self.notices.setVisible(document is not None and bool(document.notices))
        self.bookmarks.setVisible(document is not None and bool(place.bookmarks))
        if document is None:
            self.summary.setText(NOTHING_OPEN)
            return
        if is_new:
            self._list(document)
        self._draw(document, progress)

    @Slot(float)
    def set_speed(self, speed: float) -> None:
        """Tell minutes for this speed."""
        self._speed = speed
        if self._document is not None:
            self._tell_lengths(self._document)
            self._draw_list(self._document)

    def _list(self, document: Document) -> None:
        self.title.say(document.title)
        count = len(document.notices)
        words = f"{count} {'Notice' if count == 1 else 'Notices'}"
        self.notices.setText(words)
        self.notices.setAccessibleName(f"{words} about this document")
        self.notices.setToolTip("What was guessed or left out of this document")
        self._tell_lengths(document)

    def _draw(self, document: Document, progress: float) -> None:
        self._draw_list(document)
        if self.list.currentRow() != self._place.chapter:
            self.list.setCurrentRow(self._place.chapter)
        self.bar.setValue(round(100 * progress))
        chosen = self._place.chosen(document)
        characters = sum(len(document.chapters[number].text) for number in chosen)
        left = reading_time(characters * (1 - progress), self._speed)
        self.summary.setText(f"{progress:.0%} · {left} left" if chosen else NOTHING_TICKED)
        self._list_bookmarks(document)

    def _list_bookmarks(self, document: Document) -> None:
        """In the order of the book; while they stay as they are, so does the current one."""
        listed = tuple(self.bookmarks.item(row).data(BOOKMARK_ROLE) for row in range(self.bookmarks.count()))
        if listed == self._place.bookmarks:
            return
        self.bookmarks.clear()
        for bookmark in self._place.bookmarks:
            item = QListWidgetItem(f"“{' '.join(bookmark.words.split())}…”", self.bookmarks)
            item.setData(BOOKMARK_ROLE, bookmark)
            item.setToolTip(document.chapters[bookmark.chapter].title)

    @Slot(QListWidgetItem)
    def _on_bookmark(self, item: QListWidgetItem) -> None:
        self.bookmark_chosen.emit(item.data(BOOKMARK_ROLE))

    @Slot()
    def _on_remove(self) -> None:
        item = self.bookmarks.currentItem()
        if item is not None:
            self.bookmark_removed.emit(item.data(BOOKMARK_ROLE))

    def _draw_list(self, document: Document) -> None:
        self.list.draw(frozenset(self._place.chosen(document)), self._place.heard, self._place.chapter)

    def _tell_lengths(self, document: Document) -> None:
        self.list.show_chapters([(_words(each, self._speed), each.title) for each in document.chapters])


def _words(chapter: Chapter, speed: float) -> str:
    matter = "" if chapter.matter is Matter.TEXT else f", {chapter.matter}"
    return f"{chapter.title}\n{_length(chapter, speed)}{matter}"


def _length(chapter: Chapter, speed: float) -> str:
    words = len(chapter.text.split())
    return f"{words:,} {'word' if words == 1 else 'words'}, {reading_time(len(chapter.text), speed)}"
