"""The chapters of a document, with their length, their selection and the reading progress."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QKeySequence, QPalette, QPixmap
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.reader.book_cards import reading_time
from app.reading.places import ReadingPosition
from app.theme import colors, icon
from app.widgets.controls import action_of, thin_bar
from app.widgets.elided_text import ElidedLabel
from engine.text.documents import Chapter, Document, Matter

BOOKMARK_ROLE = int(Qt.ItemDataRole.UserRole)
NOTHING_OPEN = "To see its chapters, open a document or drop one here."
NOTHING_TICKED = "No chapter is selected, so nothing plays automatically."
ICON_PIXELS = 16
PADDING_PIXELS = 8
"""The total of the left and right padding of a chapter in the style sheet."""
AnyIndex = QModelIndex | QPersistentModelIndex


class ChapterList(QListWidget):
    """A list of chapters with check boxes.

    `opened` carries the number of a chapter from 0, `ticked` the number and whether its box is now checked. A click on
    a box, or Space, toggles it; a click elsewhere, or Return, opens the chapter.
    """

    opened = Signal(int)
    ticked = Signal(int, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ticking = False
        self._drawn: list[_State] = []
        self._no_icon = QIcon(_blank())
        self.setObjectName("chapters")
        self.setAccessibleName("Chapters")
        self.setWordWrap(True)
        self._delegate = _ChapterDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.itemPressed.connect(self._on_pressed)
        self.itemChanged.connect(self._on_changed)
        self.itemClicked.connect(self._on_clicked)
        self.itemActivated.connect(self._on_activated)

    def changeEvent(self, event: QEvent) -> None:
        """Discard heights that depend on the font or style."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._delegate.forget()
            self._drawn = []
        super().changeEvent(event)

    def show_chapters(self, chapters: Sequence[tuple[str, str]]) -> None:
        """List chapters, each a pair of row text and tooltip; the next `draw` shows their states."""
        self._drawn = []
        self._delegate.forget()
        if len(chapters) != self.count():
            self.clear()
            self.addItems([words for words, _ in chapters])
        with QSignalBlocker(self):
            for number, (words, tool_tip) in enumerate(chapters):
                self.item(number).setText(words)
                self.item(number).setToolTip(tool_tip)

    def draw(self, chosen: frozenset[int], heard: frozenset[int], shown: int) -> None:
        """Show which chapters are selected, which are finished and which one is open, also to screen readers."""
        states = [_State(number in chosen, number in heard, number == shown) for number in range(self.count())]
        before: Sequence[_State | None] = self._drawn or [None] * len(states)
        with QSignalBlocker(self):
            for number, state in enumerate(states):
                if state != before[number]:
                    self._draw_item(self.item(number), state)
        self._drawn = states
        self.viewport().update()

    def _draw_item(self, item: QListWidgetItem, state: _State) -> None:
        self._delegate.forget(self.row(item))
        item.setCheckState(Qt.CheckState.Checked if state.read else Qt.CheckState.Unchecked)
        item.setIcon(icon("done", "good") if state.heard else self._no_icon)
        font = QFont(self.font())
        font.setBold(state.shown)
        item.setFont(font)
        words = (("skipped", not state.read), ("heard", state.heard), ("shown", state.shown))
        accessible_text = [item.text().replace("\n", ", "), *(word for word, holds in words if holds)]
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(accessible_text))

    @Slot(QListWidgetItem)
    def _on_pressed(self, _item: QListWidgetItem) -> None:
        self._ticking = False

    @Slot(QListWidgetItem)
    def _on_changed(self, item: QListWidgetItem) -> None:
        """Report a toggled box, the only editable part; `_on_clicked` runs next for the same click."""
        self._ticking, self._drawn = True, []  # receivers may change the state again
        self.ticked.emit(self.row(item), item.checkState() is Qt.CheckState.Checked)

    @Slot(QListWidgetItem)
    def _on_clicked(self, item: QListWidgetItem) -> None:
        if not self._ticking:
            self.opened.emit(self.row(item))

    @Slot(QListWidgetItem)
    def _on_activated(self, item: QListWidgetItem) -> None:
        self.opened.emit(self.row(item))


class _State(NamedTuple):
    """The state of a chapter that is drawn beside its title."""

    read: bool
    heard: bool
    shown: bool


class _ChapterDelegate(QStyledItemDelegate):
    """Draws the box first and the icon last; wraps titles.

    A single word wider than the list is elided, so that it does not widen every row. Heights are cached: a list asks
    for all of them whenever one row changes, which is slow with thousands of chapters.
    """

    def __init__(self, titles: QListWidget) -> None:
        super().__init__(titles)
        self._titles = titles
        self._width = self._room = 0
        self._heights: dict[int, int] = {}
        self._advances: dict[int, int] = {}
        self._unwrapped: dict[int, int] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Put the icon behind the title, and dim an unchecked chapter."""
        super().initStyleOption(option, index)
        if option.checkState is Qt.CheckState.Unchecked:  # type: ignore[attr-defined]
            option.palette.setColor(QPalette.ColorRole.Text, QColor(colors().faint))  # type: ignore[attr-defined]
        option.decorationPosition = QStyleOptionViewItem.Position.Right  # type: ignore[attr-defined]

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the width of the list and the height of the wrapped title."""
        width, row = self._titles.viewport().width(), index.row()
        if width != self._width:
            self._width, self._room = width, width - self._beside(option)
            self._heights = {}
        if row not in self._heights:
            self._heights[row] = self._height(option, index)
        return QSize(width, self._heights[row])

    def forget(self, row: int | None = None) -> None:
        """Discard the height of a changed row, or of all rows."""
        if row is None:
            self._width = 0
            self._advances, self._unwrapped = {}, {}
        else:
            self._advances.pop(row, None)
            self._heights.pop(row, None)

    def _height(self, option: QStyleOptionViewItem, index: AnyIndex) -> int:
        """Return the height of a row; unwrapped rows with the same number of lines share one."""
        row, lines = index.row(), index.data().split("\n")
        if row not in self._advances:
            font = index.data(Qt.ItemDataRole.FontRole) or option.font  # type: ignore[attr-defined]
            self._advances[row] = max(map(QFontMetrics(font).horizontalAdvance, lines))
        if self._advances[row] > self._room - ICON_PIXELS - PADDING_PIXELS:
            return self._wrapped_height(option, index)
        if len(lines) not in self._unwrapped:
            self._unwrapped[len(lines)] = self._wrapped_height(option, index)
        return self._unwrapped[len(lines)]

    def _wrapped_height(self, option: QStyleOptionViewItem, index: AnyIndex) -> int:
        """Return the height in the space beside the box, which Qt subtracts only when drawing."""
        narrower = QStyleOptionViewItem(option)
        narrower.rect = QRect(0, 0, max(1, self._room), self._titles.height())  # type: ignore[attr-defined]
        return super().sizeHint(narrower, index).height()

    def _beside(self, option: QStyleOptionViewItem) -> int:
        """Return the width of box and padding."""
        style = self._titles.style()
        gap = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, self._titles) + 1
        return style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth, option, self._titles) + 2 * gap + PADDING_PIXELS


def _blank() -> QPixmap:
    pixmap = QPixmap(ICON_PIXELS, ICON_PIXELS)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap


class ChaptersPanel(QWidget):
    """The side panel with the chapters and bookmarks of the open document.

    `chapter_chosen` carries the number, from 0, of the chapter to show. `chapter_ticked` carries a chapter number and
    whether to read it. `bookmark_chosen` and `bookmark_removed` carry a `Bookmark`.
    """

    chapter_chosen = Signal(int)
    chapter_ticked = Signal(int, bool)
    notices_requested = Signal()
    bookmark_chosen = Signal(object)
    bookmark_removed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._place = ReadingPosition()
        self._speed = 1.0
        self.title = ElidedLabel(self)
        self.title.setObjectName("documentTitle")
        self.summary = QLabel(NOTHING_OPEN, self)
        self.summary.setObjectName("faint")
        self.summary.setWordWrap(True)
        self.notices = QPushButton(self)
        self.notices.setObjectName("pointer")
        self.notices.clicked.connect(self.notices_requested)
        self.bar = thin_bar("Reading progress", self)
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
        self.show_document(None, ReadingPosition(), 0.0)

    def show_document(self, document: Document | None, place: ReadingPosition, progress: float) -> None:
        """Show the chapters of a document and the progress in it, from 0 to 1; None if no document is open."""
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
        """Show durations for this speed."""
        self._speed = speed
        if self._document is not None:
            self._tell_lengths(self._document)
            self._draw_list(self._document)

    def _list(self, document: Document) -> None:
        self.title.set_text(document.title)
        count = len(document.notices)
        words = f"{count} {'Notice' if count == 1 else 'Notices'}"
        self.notices.setText(words)
        self.notices.setAccessibleName(f"{words} about this document")
        self.notices.setToolTip("Guessed and skipped parts of this document")
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
        """List the bookmarks in the order of the book; keep the current one if they are unchanged."""
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
        self.list.show_chapters([(_describe_chapter(each, self._speed), each.title) for each in document.chapters])


def _describe_chapter(chapter: Chapter, speed: float) -> str:
    """Return the title, the length and, unless it is ordinary text, the kind of the chapter."""
    count = len(chapter.text.split())
    length = f"{count:,} {'word' if count == 1 else 'words'}, {reading_time(len(chapter.text), speed)}"
    matter = "" if chapter.matter is Matter.TEXT else f", {chapter.matter}"
    return f"{chapter.title}\n{length}{matter}"
