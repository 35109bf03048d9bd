"""A list whose rows have a title, a faint line below it, and optionally a symbol; fast with ten thousand rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    SignalInstance,
    Slot,
)
from PySide6.QtGui import QAction, QColor, QFontInfo, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.theme import colors, draw_icon
from app.widgets.controls import action_of

AnyIndex = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
PADDING_PIXELS = 6
SYMBOL_PIXELS = 16
SMALL = 0.88


@dataclass(frozen=True)
class ListRow:
    """A row: `symbol` is the name of an icon, `symbol_words` its text for screen readers.

    `fault` colors the details.
    """

    title: str
    details: str
    symbol: str = ""
    symbol_words: str = ""
    fault: bool = False


class Numbered(Protocol):
    """A thing that can be listed, identified by its number."""

    @property
    def number(self) -> int:
        """The number, which never changes."""


RowOf = Callable[[Any], ListRow]


class TwoLineModel(QAbstractListModel):
    """The things listed, of any kind; `row_of` formats a row only once it is shown."""

    def __init__(self, row_of: RowOf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._row_of = row_of
        self._things: Sequence[Numbered] = ()

    @property
    def things(self) -> Sequence[Numbered]:
        """The things listed."""
        return self._things

    def show(self, things: Sequence[Numbered]) -> None:
        """List these things; the view keeps its place if their number is unchanged."""
        if len(things) == len(self._things):
            self._things = things
            self.dataChanged.emit(self.index(0), self.index(len(things) - 1))
        else:
            self.beginResetModel()
            self._things = things
            self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of things."""
        return 0 if parent is not None and parent.isValid() else len(self._things)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """Return the whole row, its title, or all of its words."""
        if not index.isValid():
            return None
        row = self._row_of(self._things[index.row()])
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return ". ".join(words for words in (row.title, row.symbol_words, row.details) if words)
        return None


class TwoLineList(QListView):
    """A list: `picked` carries the thing activated by Return or a double click, `current_changed` the current one.

    The current thing stays current when others are listed, if it is among them.
    """

    picked = Signal(object)
    current_changed = Signal(object)

    def __init__(self, name: str, row_of: RowOf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("twoLines")
        self.setAccessibleName(name)
        self._rows = TwoLineModel(row_of, self)
        self._commands: dict[QAction, SignalInstance] = {}
        self.setModel(self._rows)
        self.setItemDelegate(_TwoLineDelegate(self))
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.doubleClicked.connect(self._on_double_click)

    @property
    def current(self) -> Any:
        """The current thing, or None."""
        index = self.currentIndex()
        return self._rows.things[index.row()] if index.isValid() else None

    def show_things(self, things: Sequence[Numbered]) -> None:
        """List these things."""
        before, row = self.current, self.currentIndex().row()
        self._rows.show(things)
        if before is not None and things:
            same = (place for place, thing in enumerate(things) if thing.number == before.number)
            self.setCurrentIndex(self._rows.index(next(same, min(row, len(things) - 1))))
        self.current_changed.emit(self.current)

    def command(self, title: str, key: str | QKeySequence.StandardKey, wanted: SignalInstance) -> QAction:
        """Return a command for the current thing, which `wanted` carries.

        Its key works while the list has the focus.
        """
        action = action_of(self, title, key, self._on_command)
        self._commands[action] = wanted
        return action

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Emit the current thing."""
        super().currentChanged(current, previous)
        self.current_changed.emit(self.current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick the current thing on Return."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.current is not None:
                self.picked.emit(self.current)
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_command(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._commands[action].emit(self.current)

    @Slot(QModelIndex)
    def _on_double_click(self, index: QModelIndex) -> None:
        self.picked.emit(self._rows.things[index.row()])


def draw_background(painter: QPainter, option: QStyleOptionViewItem, padding: int) -> QRect:
    """Draw an item without its text, in the widget's style, and return the space for the content, in pixels."""
    option.text = ""  # type: ignore[attr-defined]
    widget: QWidget = option.widget  # type: ignore[attr-defined]
    widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
    rect: QRect = option.rect  # type: ignore[attr-defined]
    return rect.adjusted(padding, padding, -padding, -padding)


class _TwoLineDelegate(QStyledItemDelegate):
    """Draws a row in the theme's colors."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        line = option.fontMetrics.height()  # type: ignore[attr-defined]
        return QSize(0, round(line * (1 + SMALL)) + 2 * PADDING_PIXELS)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: ListRow = index.data(ROW_ROLE)
        option = QStyleOptionViewItem(option)
        self.initStyleOption(option, index)
        space = draw_background(painter, option, PADDING_PIXELS)
        if row.symbol:
            place = QRect(space.right() - SYMBOL_PIXELS + 1, space.top(), SYMBOL_PIXELS, SYMBOL_PIXELS)
            draw_icon(painter, place, row.symbol, colors().accent)
            space = space.adjusted(0, 0, -SYMBOL_PIXELS - PADDING_PIXELS, 0)
        painter.save()
        self._draw_text(painter, space, option, row)
        painter.restore()

    def _draw_text(self, painter: QPainter, space: QRect, option: QStyleOptionViewItem, row: ListRow) -> None:
        font = option.font  # type: ignore[attr-defined]
        palette: QPalette = option.palette  # type: ignore[attr-defined]
        metrics = option.fontMetrics  # type: ignore[attr-defined]
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        title = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignTop), title)
        font.setPixelSize(round(QFontInfo(font).pixelSize() * SMALL))
        painter.setFont(font)
        painter.setPen(QColor(colors().error if row.fault else colors().faint))
        details = painter.fontMetrics().elidedText(row.details, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignBottom), details)
