"""The table of entries: each cell is edited in place, and an entry that is being typed is the first row."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.lexicon.entries import EntryColumn, text_of, value_of, with_value
from app.lexicon.session import LexiconSession
from app.theme import colors
from engine.errors import InvalidRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry

AnyIndex = QModelIndex | QPersistentModelIndex
EDIT, DISPLAY = Qt.ItemDataRole.EditRole, Qt.ItemDataRole.DisplayRole
HINTS = {EntryColumn.TITLE: "Word", EntryColumn.PRONUNCIATION: "Words, or symbols between slashes: /həlˈO/"}
"""The placeholders of an entry that is being typed."""
PADDING_PIXELS = 10


class LexiconModel(QAbstractTableModel):
    """The listed entries of a session, preceded by the `draft`, an entry without a word or a pronunciation yet.

    `problem` carries the problem of the typed text, or an empty text. `drafted` is emitted when the draft changes.
    """

    problem = Signal(str)
    drafted = Signal()

    def __init__(self, session: LexiconSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: tuple[LexiconEntry, ...] = ()
        self._changing: dict[tuple[str, ...], LexiconEntry] = {}
        self.draft: LexiconEntry | None = None

    def show(self) -> None:
        """Show the listed entries of the session."""
        if self._shown is not self._session.state.shown:
            self.beginResetModel()
            self._shown = self._session.state.shown
            self._changing.clear()
            self.endResetModel()

    def entry(self, row: int) -> LexiconEntry | None:
        """Return the entry in a row as saved, or the draft; None outside the table."""
        if self.draft is not None:
            row -= 1
        if row < 0:
            return self.draft
        return self._shown[row] if row < len(self._shown) else None

    def saved(self, start: int, end: int) -> tuple[LexiconEntry, ...]:
        """Return the saved entries in these rows."""
        before = int(self.draft is not None)
        return self._shown[max(0, start - before) : max(0, end - before)]

    def row_of(self, entry: LexiconEntry) -> int | None:
        """Return the row of a listed entry."""
        saved = self._session.find(entry)
        rows = (row for row, each in enumerate(self._shown, int(self.draft is not None)) if each is saved)
        return next(rows, None)

    def begin_draft(self, entry: LexiconEntry) -> None:
        """Insert a draft as the first row."""
        self.drop_draft()
        self.beginInsertRows(QModelIndex(), 0, 0)
        self.draft = entry
        self.endInsertRows()
        self.drafted.emit()

    def drop_draft(self) -> None:
        """Remove the draft."""
        if self.draft is not None:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            self.draft = None
            self.endRemoveRows()
            self.drafted.emit()

    def is_draft(self, index: AnyIndex) -> bool:
        """Return whether an index is in the row of the draft."""
        return self.draft is not None and index.row() == 0

    def changed_entry(self, index: AnyIndex, value: str) -> LexiconEntry:
        """Return the entry of a cell with a new value in it. Raises `LookupError` outside the table."""
        entry = self.entry(index.row())
        if entry is None:
            raise LookupError("There is no such row.")
        return with_value(entry, EntryColumn(index.column()), value)

    def check(self, index: AnyIndex, value: str) -> bool:
        """Emit the problem that a new value of a cell would have; return whether there is none."""
        old = None if self.is_draft(index) else self.entry(index.row())
        problem = self._session.problem_of(self.changed_entry(index, value), old)
        if not problem and old is not None and not value.strip() and index.column() == EntryColumn.TITLE:
            problem = "Type a word, or press Esc to keep the old one."
        self.problem.emit(problem)
        return not problem

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self._shown) + (self.draft is not None)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(EntryColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = int(DISPLAY)) -> object:
        """Return the title of a column."""
        titled = orientation is Qt.Orientation.Horizontal and role == DISPLAY and section < len(EntryColumn)
        return EntryColumn(section).title if titled else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return the flags of a cell, which can be edited."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable  # type: ignore[arg-type]

    def data(self, index: AnyIndex, role: int = int(DISPLAY)) -> object:
        """Return the text of a cell, or its value for an editor."""
        entry = self.entry(index.row()) if index.isValid() else None
        if entry is None:
            return None
        entry, column = self._changing.get(entry.key, entry), EntryColumn(index.column())
        text = text_of(entry, column)
        hint = HINTS.get(column, "") if self.is_draft(index) and not text else ""
        if role == EDIT:
            return value_of(entry, column)
        if role == DISPLAY:
            return text or hint
        if role == Qt.ItemDataRole.ToolTipRole:
            return text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column.title}: {text or hint}"
        if role == Qt.ItemDataRole.ForegroundRole and hint:
            return QColor(colors().faint)
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = int(EDIT)) -> bool:
        """Change a cell; a draft is saved once it is complete. Return False if the value is invalid."""
        old = self.entry(index.row()) if index.isValid() else None
        if role != EDIT or old is None:
            return False
        new = self.changed_entry(index, str(value))
        if new == old:
            self.problem.emit("")
            return True
        if not self.is_draft(index):
            return self._replace(index, old, new)
        self.draft = new
        self.dataChanged.emit(self.index(0, 0), self.index(0, len(EntryColumn) - 1))
        if self.check(index, str(value)) and new.title and (new.say or new.phonemes):
            self.save_draft()
        self.drafted.emit()
        return True

    def save_draft(self) -> None:
        """Save the draft if it is valid."""
        if self.draft is None:
            return
        try:
            entry = self._session.checked(self.draft)
        except InvalidRequest as error:
            self.problem.emit(f"{error.message} {error.hint}".strip())
        else:
            self.drop_draft()
            self._session.put(entry)

    def _replace(self, index: AnyIndex, old: LexiconEntry, new: LexiconEntry) -> bool:
        try:
            self._session.replace(old, new)
        except InvalidRequest as error:
            self.problem.emit(f"{error.message} {error.hint}".strip())
            return False
        self._changing[old.key] = new
        self.problem.emit("")
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), len(EntryColumn) - 1))
        return True


class LexiconTable(QTableView):
    """The view of the entries: F2 or Return edits a cell.

    `current_changed` is emitted with a different row. `typed` carries the entry while one of its cells is edited.
    """

    current_changed = Signal()
    typed = Signal(object)
    WIDTHS: ClassVar = {
        EntryColumn.KIND: 17,
        EntryColumn.LANGUAGE: 12,
        EntryColumn.PART_OF_SPEECH: 13,
        EntryColumn.CASE: 6,
    }
    """The widths of some columns at first, in digits of the font; the others share the rest."""
    MIN_WIDTH = 6

    def __init__(self, model: LexiconModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lexicon")
        self.setAccessibleName("Pronunciations")
        self.setModel(model)
        self.entries = model
        self._delegate = _CellDelegate(model, self)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        rows, header = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + PADDING_PIXELS)
        header.setHighlightSections(False)
        header.setSelectionModel(
            QItemSelectionModel(model, header)
        )  # it would examine all rows of each selected column
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        digit = self.fontMetrics().horizontalAdvance("0")
        header.setMinimumSectionSize(self.MIN_WIDTH * digit)
        for column in EntryColumn:
            if column in self.WIDTHS:
                self.setColumnWidth(column, self.WIDTHS[column] * digit)
            else:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self._delegate.typed.connect(self.typed)

    @property
    def current(self) -> LexiconEntry | None:
        """The entry in the current row."""
        index = self.currentIndex()
        return self.entries.entry(index.row()) if index.isValid() else None

    @property
    def selected(self) -> tuple[LexiconEntry, ...]:
        """The saved entries in the selected rows."""
        ranges = self.selectionModel().selection()  # its rows, one by one, would take seconds if there are many
        first = (each for each in map(ranges.at, range(ranges.count())) if each.left() == 0)
        return tuple(chain.from_iterable(self.entries.saved(each.top(), each.bottom() + 1) for each in first))

    def select_row(self, row: int, column: EntryColumn = EntryColumn.TITLE) -> None:
        """Make a row the current one, and bring it into view."""
        index = self.entries.index(min(row, self.entries.rowCount() - 1), column)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def edit_cell(self, row: int, column: EntryColumn) -> None:
        """Edit a cell."""
        self.select_row(row, column)
        self.edit(self.entries.index(row, column))

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Report a different row."""
        super().currentChanged(current, previous)
        self.current_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit the current cell on Return."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        editing = self.state() is QAbstractItemView.State.EditingState
        if plain and not editing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _CellDelegate(QStyledItemDelegate):
    """Edits a cell: text in a line that stays open until it is valid, choices in a list."""

    typed = Signal(object)

    def __init__(self, model: LexiconModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        column = EntryColumn(index.column())
        if not column.choices:
            line = QLineEdit(parent)
            line.setObjectName("cell")
            line.setAccessibleName(column.title)
            line.setPlaceholderText(HINTS.get(column, ""))
            place = QPersistentModelIndex(index)  # type: ignore[arg-type]
            line.textEdited.connect(lambda text: self._on_typed(place, text))
            return line
        box = QComboBox(parent)
        box.setAccessibleName(column.title)
        for value, title in column.choices.items():
            box.addItem(title, value)
        box.activated.connect(self._on_chosen)
        return box

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        value = str(index.data(EDIT) or "")
        if isinstance(editor, QLineEdit):
            editor.setText(value)
            editor.selectAll()
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(value))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text(), EDIT)  # type: ignore[arg-type]
        elif isinstance(editor, QComboBox):
            model.setData(index, editor.currentData(), EDIT)  # type: ignore[arg-type]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep a line open that is invalid when Return or Tab is pressed."""
        if isinstance(watched, QLineEdit) and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            closing = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            view = self.parent()
            if event.key() in closing and isinstance(view, LexiconTable):
                index = view.currentIndex()
                unchanged = watched.text() == str(index.data(EDIT) or "")
                if not unchanged and not self._model.check(index, watched.text()):
                    return True
            if event.key() == Qt.Key.Key_Escape:
                self._model.problem.emit("")
        return super().eventFilter(watched, event)

    def _on_typed(self, index: QPersistentModelIndex, text: str) -> None:
        if index.isValid() and self._model.check(index, text):
            self.typed.emit(self._model.changed_entry(index, text))

    @Slot()
    def _on_chosen(self) -> None:
        box = self.sender()
        if isinstance(box, QWidget):
            self.commitData.emit(box)
            self.closeEditor.emit(box)


def draft_of(language: str) -> LexiconEntry:
    """Return an empty entry for a language."""
    return replace(LexiconEntry(), language=language)
