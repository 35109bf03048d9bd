"""A list of chapters, each with a box to tick, that can be opened whether it is ticked or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.icons import icon
from app.theme import colours

ICON_PIXELS = 16
PADDING_PIXELS = 8
"""Of each chapter, left and right together, in the style sheet."""

AnyIndex = QModelIndex | QPersistentModelIndex


class ChapterList(QListWidget):
    """`opened` carries the number of a chapter from 0, `ticked` that and whether its box is ticked now.

    A click on a box, or Space, ticks; a click elsewhere, or Return, opens.
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
        """Heights are others in another font or style."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._delegate.forget()
            self._drawn = []
        super().changeEvent(event)

    def show_chapters(self, chapters: Sequence[tuple[str, str]]) -> None:
        """List chapters, each with what its row says and its tool tip; the next `draw` shows the rest."""
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
        """Show which chapters are chosen, which were heard and which one is open, to a screen reader, too."""
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
        words = (("left out", not state.read), ("heard", state.heard), ("shown", state.shown))
        said = [item.text().replace("\n", ", "), *(word for word, holds in words if holds)]
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(said))

    @Slot(QListWidgetItem)
    def _on_pressed(self, _item: QListWidgetItem) -> None:
        self._ticking = False

    @Slot(QListWidgetItem)
    def _on_changed(self, item: QListWidgetItem) -> None:
        """Only the box can be changed; the click that does so is told next."""
        self._ticking, self._drawn = True, []  # whoever hears of it may decide otherwise
        self.ticked.emit(self.row(item), item.checkState() is Qt.CheckState.Checked)

    @Slot(QListWidgetItem)
    def _on_clicked(self, item: QListWidgetItem) -> None:
        if not self._ticking:
            self.opened.emit(self.row(item))

    @Slot(QListWidgetItem)
    def _on_activated(self, item: QListWidgetItem) -> None:
        self.opened.emit(self.row(item))


class _State(NamedTuple):
    """What of a chapter is drawn beside its words."""

    read: bool
    heard: bool
    shown: bool


class _ChapterDelegate(QStyledItemDelegate):
    """The box comes first, the icon last; titles are wrapped.

    One word that is wider than the list is elided, and does not make all rows wider. Heights are remembered: a list
    asks for all of them whenever one row changes, which is slow with thousands of chapters.
    """

    def __init__(self, titles: QListWidget) -> None:
        super().__init__(titles)
        self._titles = titles
        self._width = self._room = 0
        self._heights: dict[int, int] = {}
        self._advances: dict[int, int] = {}
        self._unwrapped: dict[int, int] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Put the icon behind the title; one that is left out is faint."""
        super().initStyleOption(option, index)
        if option.checkState is Qt.CheckState.Unchecked:  # type: ignore[attr-defined]
            option.palette.setColor(QPalette.ColorRole.Text, QColor(colours().faint))  # type: ignore[attr-defined]
        option.decorationPosition = QStyleOptionViewItem.Position.Right  # type: ignore[attr-defined]

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """As wide as the list, and as high as the wrapped title."""
        width, row = self._titles.viewport().width(), index.row()
        if width != self._width:
            self._width, self._room = width, width - self._beside(option)
            self._heights = {}
        if row not in self._heights:
            self._heights[row] = self._height(option, index)
        return QSize(width, self._heights[row])

    def forget(self, row: int | None = None) -> None:
        """Forget the height of a row that has changed, or of all."""
        if row is None:
            self._width = 0
            self._advances, self._unwrapped = {}, {}
        else:
            self._advances.pop(row, None)
            self._heights.pop(row, None)

    def _height(self, option: QStyleOptionViewItem, index: AnyIndex) -> int:
        """Where nothing is wrapped, that of any other row of as many lines."""
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
        """In the room that the box leaves, which Qt itself counts only as it draws."""
        narrower = QStyleOptionViewItem(option)
        narrower.rect = QRect(0, 0, max(1, self._room), self._titles.height())  # type: ignore[attr-defined]
        return super().sizeHint(narrower, index).height()

    def _beside(self, option: QStyleOptionViewItem) -> int:
        """The width of box and padding."""
        style = self._titles.style()
        gap = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, self._titles) + 1
        return style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth, option, self._titles) + 2 * gap + PADDING_PIXELS


def _blank() -> QPixmap:
    pixmap = QPixmap(ICON_PIXELS, ICON_PIXELS)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap
