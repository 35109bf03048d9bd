"""A list of chapters, each with a box to tick, that can be opened whether it is ticked or not."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QIcon, QPixmap
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.icons import icon
from app.theme import LIGHT, Colours

ICON_PIXELS = 16
PADDING_PIXELS = 8
"""Of each chapter, left and right together, in the style sheet."""


class ChapterList(QListWidget):
    """`opened` carries the number of a chapter from 0, `ticked` that and whether its box is ticked now.

    A click on a box, or Space, ticks; a click elsewhere, or Return, opens.
    """

    opened = Signal(int)
    ticked = Signal(int, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._ticking = False
        self.setObjectName("chapters")
        self.setAccessibleName("Chapters")
        self.setWordWrap(True)
        self.setItemDelegate(_ChapterDelegate(self))
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.itemPressed.connect(self._on_pressed)
        self.itemChanged.connect(self._on_changed)
        self.itemClicked.connect(self._on_clicked)
        self.itemActivated.connect(self._on_activated)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours, from the next `draw` on."""
        self._colours = colours

    def make_room(self, count: int) -> None:
        """Have so many chapters, without words."""
        with QSignalBlocker(self):
            self.clear()
            for _ in range(count):
                self.addItem(QListWidgetItem())

    def say(self, number: int, words: str, tool_tip: str) -> None:
        """Show these words of a chapter."""
        with QSignalBlocker(self):
            self.item(number).setText(words)
            self.item(number).setToolTip(tool_tip)

    def draw(self, chosen: frozenset[int], heard: frozenset[int], shown: int) -> None:
        """Show what is read, what was heard, and which chapter is shown; say so to a screen reader, too."""
        done, none = icon("done", self._colours.good), QIcon(_blank())
        font, bold = QFont(self.font()), QFont(self.font())
        bold.setBold(True)
        with QSignalBlocker(self):
            for number in range(self.count()):
                item, read = self.item(number), number in chosen
                item.setCheckState(Qt.CheckState.Checked if read else Qt.CheckState.Unchecked)
                item.setData(Qt.ItemDataRole.ForegroundRole, None if read else QColor(self._colours.faint))
                item.setIcon(done if number in heard else none)
                item.setFont(bold if number == shown else font)
                states = {"left out": not read, "heard": number in heard, "shown": number == shown}
                said = [item.text().replace("\n", ", "), *(words for words, holds in states.items() if holds)]
                item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(said))
        self.viewport().update()

    @Slot(QListWidgetItem)
    def _on_pressed(self, _item: QListWidgetItem) -> None:
        self._ticking = False

    @Slot(QListWidgetItem)
    def _on_changed(self, item: QListWidgetItem) -> None:
        """Only the box can be changed; the click that does so is told next."""
        self._ticking = True
        self.ticked.emit(self.row(item), item.checkState() is Qt.CheckState.Checked)

    @Slot(QListWidgetItem)
    def _on_clicked(self, item: QListWidgetItem) -> None:
        if not self._ticking:
            self.opened.emit(self.row(item))

    @Slot(QListWidgetItem)
    def _on_activated(self, item: QListWidgetItem) -> None:
        self.opened.emit(self.row(item))


class _ChapterDelegate(QStyledItemDelegate):
    """The box comes first, the icon last; titles are wrapped.

    One word that is wider than the list is elided, and does not make all rows wider.
    """

    def __init__(self, titles: QListWidget) -> None:
        super().__init__(titles)
        self._titles = titles

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Put the icon behind the title."""
        super().initStyleOption(option, index)
        option.decorationPosition = QStyleOptionViewItem.Position.Right  # type: ignore[attr-defined]

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as the title, wrapped in the room that box and icon leave: Qt counts the box only as it draws."""
        style, width = self._titles.style(), self._titles.viewport().width()
        gap = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, self._titles) + 1
        box = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth, option, self._titles) + 2 * gap
        narrower = QStyleOptionViewItem(option)
        narrower.rect = QRect(0, 0, max(1, width - box - PADDING_PIXELS), self._titles.height())  # type: ignore[attr-defined]
        return QSize(width, super().sizeHint(narrower, index).height())


def _blank() -> QPixmap:
    pixmap = QPixmap(ICON_PIXELS, ICON_PIXELS)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap
