"""The chapters of a document: which were heard, how long they are, and how far one has come."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QIcon, QPixmap
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.icons import icon
from app.reader.places import Place
from app.theme import LIGHT, Colours
from app.widgets.elided_text import ElidedLabel
from engine.documents import Chapter, Document

CHARACTERS_PER_MINUTE = 900
"""At normal speed."""
MINUTES_PER_HOUR = 60
ICON_PIXELS = 16
BAR_PIXELS = 4
NOTHING_OPEN = "Open a document, or drop one here, and its chapters are listed."


class ChaptersPanel(QWidget):
    """`chapter_chosen` carries the number of the chapter that somebody wants to see, from 0."""

    chapter_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._place = Place()
        self._speed = 1.0
        self._colours = LIGHT
        self.title = ElidedLabel(self)
        self.title.setObjectName("documentTitle")
        self.summary = QLabel(NOTHING_OPEN, self)
        self.summary.setObjectName("faint")
        self.summary.setWordWrap(True)
        self.bar = QProgressBar(self)
        self.bar.setObjectName("progress")
        self.bar.setAccessibleName("Part of the document that was heard")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(BAR_PIXELS)
        self.list = QListWidget(self)
        self.list.setObjectName("chapters")
        self.list.setAccessibleName("Chapters")
        self.list.setWordWrap(True)
        self.list.setItemDelegate(_AsWideAsTheList(self.list))
        self.list.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.list.itemClicked.connect(self._on_item)
        self.list.itemActivated.connect(self._on_item)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        for widget in (self.title, self.summary, self.bar):
            layout.addWidget(widget)
        layout.addWidget(self.list, 1)
        self.show_document(None, Place(), 0.0)

    def show_document(self, document: Document | None, place: Place, heard_share: float) -> None:
        """Show the chapters of a document, and how far it was heard, from 0 to 1; None shows that none is open."""
        is_new = document is not self._document
        self._document, self._place = document, place
        for widget in (self.title, self.bar, self.list):
            widget.setVisible(document is not None)
        if document is None:
            self.summary.setText(NOTHING_OPEN)
            return
        if is_new:
            self._list(document)
        self._draw(heard_share)

    @Slot(float)
    def set_speed(self, speed: float) -> None:
        """Tell minutes for this speed."""
        self._speed = speed
        if self._document is not None:
            self._tell_lengths()

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icons."""
        self._colours = colours
        self._draw_icons()

    def _list(self, document: Document) -> None:
        self.title.say(document.title)
        self.list.clear()
        for _ in document.chapters:
            self.list.addItem(QListWidgetItem())
        self._tell_lengths()

    def _draw(self, heard_share: float) -> None:
        document = self._document
        assert document is not None
        self.bar.setValue(round(100 * heard_share))
        left = document.characters * (1 - heard_share) / CHARACTERS_PER_MINUTE / self._speed
        self.summary.setText(f"{heard_share:.0%} heard, {_duration(left)} left")
        self._draw_icons()
        if self.list.currentRow() != self._place.chapter:
            self.list.setCurrentRow(self._place.chapter)

    def _draw_icons(self) -> None:
        ticked, none = icon("done", self._colours.good), QIcon(_blank())
        for index in range(self.list.count()):
            item, heard, current = self.list.item(index), index in self._place.heard, index == self._place.chapter
            item.setIcon(ticked if heard else none)
            font = QFont(self.list.font())
            font.setBold(current)
            item.setFont(font)
            states = [word for word, holds in (("heard", heard), ("shown", current)) if holds]
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join([item.text().replace("\n", ", "), *states]))

    def _tell_lengths(self) -> None:
        assert self._document is not None
        for index, chapter in enumerate(self._document.chapters):
            item = self.list.item(index)
            item.setText(f"{chapter.title}\n{_length(chapter, self._speed)}")
            item.setToolTip(chapter.title)
        self._draw_icons()

    @Slot(QListWidgetItem)
    def _on_item(self, item: QListWidgetItem) -> None:
        self.chapter_chosen.emit(self.list.row(item))


class _AsWideAsTheList(QStyledItemDelegate):
    """Titles are wrapped; one word that is wider than the list is elided, and does not make all rows wider."""

    def __init__(self, titles: QListWidget) -> None:
        super().__init__(titles)
        self._titles = titles

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as the wrapped title."""
        size = super().sizeHint(option, index)
        return QSize(min(size.width(), self._titles.viewport().width()), size.height())


def _length(chapter: Chapter, speed: float) -> str:
    words = len(chapter.text.split())
    return f"{words:,} {'word' if words == 1 else 'words'}, {_duration(_minutes(chapter, speed))}"


def _minutes(chapter: Chapter, speed: float) -> float:
    return len(chapter.text) / CHARACTERS_PER_MINUTE / speed


def _duration(minutes: float) -> str:
    whole = max(1, round(minutes))
    hours, rest = divmod(whole, MINUTES_PER_HOUR)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def _blank() -> QPixmap:
    pixmap = QPixmap(ICON_PIXELS, ICON_PIXELS)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap
