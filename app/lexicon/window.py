"""The Pronunciations window: the table of entries, its commands, and a preview of the current entry."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QSplitter, QVBoxLayout, QWidget

from app.lexicon.entries import LANGUAGE_TITLES, EntryColumn, EntryPreview, Listing, Place
from app.lexicon.feature import TITLE
from app.lexicon.session import LexiconSession
from app.lexicon.table import LexiconModel, LexiconTable, draft_of
from app.messages import Message, Severity, message_for
from app.widgets.controls import ActionButton, ComboBox, action_of, announce
from app.widgets.file_dialogs import ask_where_to_save_words, ask_which_words
from app.widgets.layouts import WrappingBar
from app.widgets.message_banner import MessageBanner
from app.widgets.two_line_list import ListRow, TwoLineList
from app.widgets.windows import SeparateWindow, TextWindow
from engine.errors import EngineError, InvalidRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.formats import Imported
from engine.text.languages import Language

OPENING_PIXELS = QSize(1000, 640)
MARGIN_PIXELS = 12
WIDE_PIXELS = 900
"""The minimum width for the preview beside the table."""
SEARCH_AFTER_MS = 200
MAX_LINES = 1000
"""The most unusable lines of an imported file to list."""
EMPTY = "Your lexicon is empty. Click Add, or import a file."
NOTHING_FOUND = "No results"
CHOOSE = "Select an entry to see the places that it changes in the open text."


class LexiconWindow(SeparateWindow):
    """The window of a lexicon.

    `place_chosen` carries a `Place` to show in the text, `play_requested` an entry to pronounce. `default_language` is
    the tag of new entries; `voice_language` returns the language of the chosen voice.
    """

    place_chosen = Signal(object)
    play_requested = Signal(object)

    def __init__(self, owner: QWidget, session: LexiconSession, folder: Path) -> None:
        super().__init__(owner, TITLE, OPENING_PIXELS)
        self.setObjectName("lexiconWindow")
        self.session, self.folder = session, folder
        self.default_language = LexiconEntry().language
        self.voice_language: Callable[[], Language | None] = lambda: None
        self._awaited: LexiconEntry | None = None
        self.banner = MessageBanner(self)
        self.model = LexiconModel(session, self)
        self.table = LexiconTable(self.model, self)
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.count = QLabel()
        self.count.setObjectName("faint")
        self.heading = QLabel(CHOOSE)
        self.heading.setWordWrap(True)
        self.places = TwoLineList("Places in the open text", place_row)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self._typing = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._add_filters()
        self._add_actions()
        self._lay_out()
        self._connect()
        self._follow()

    @Slot()
    def open(self) -> None:
        """Show the window in front of the others, with the current entries."""
        self.session.load()
        super().open()
        self.table.setFocus()

    @Slot(object)
    def show_failure(self, error: Exception) -> None:
        """Show a failure."""
        message = message_for(error)
        self.banner.show_message(Message(message.text, message.tone, details=message.details))

    def put(self, entry: LexiconEntry) -> None:
        """Save an entry once the lexicon is loaded, and show it."""
        if not self.session.ready:
            self._awaited = entry
            return
        self._awaited = None
        self.search.clear()
        self.model.drop_draft()
        try:
            self.session.put(entry)
        except InvalidRequest as error:
            self._show_problem(f"{error.message} {error.hint}".strip())

    @Slot()
    def preview_again(self) -> None:
        """Preview the current entry in a changed text."""
        if self.isVisible():
            self.session.stop_preview()
            self._preview(self.table.current)

    @Slot()
    def add(self) -> None:
        """Add a row, and begin to type its word."""
        self.search.clear()
        self.model.begin_draft(draft_of(self.default_language))
        self.table.edit_cell(0, EntryColumn.TITLE)

    def changeEvent(self, event: QEvent) -> None:
        """Show the changes of other programs when the window becomes active."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow() and not self.session.busy:
            self.session.load()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the preview beside or below the table."""
        super().resizeEvent(event)
        wide = self.width() >= WIDE_PIXELS
        self.split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Drop an unfinished entry; all others are saved already."""
        super().closeEvent(event)
        self.model.drop_draft()
        self.session.stop_preview()

    def _add_filters(self) -> None:
        self.search = QLineEdit(self)
        self.search.setObjectName("find")
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search pronunciations")
        self.search.setClearButtonEnabled(True)
        self.language = ComboBox("Language", "Show the entries of one language", 14, self)
        titles = [(tag, title, "") for tag, title in LANGUAGE_TITLES.items()]
        self.language.offer([("", "All Languages", ""), *titles])

    def _add_actions(self) -> None:
        table = self.table
        self.adding = action_of(table, "Add", "+", self.add)
        self.editing = action_of(table, "Edit", "F2", self._on_edit)
        self.removing = action_of(table, "Remove", QKeySequence.StandardKey.Delete, self._on_remove)
        self.playing = action_of(table, "Play", "Space", self._on_play)
        self.undo, self.redo = QAction("Undo", self), QAction("Redo", self)
        self.undo.setShortcuts(QKeySequence.StandardKey.Undo)
        self.redo.setShortcuts(QKeySequence.StandardKey.Redo)
        self.importing, self.exporting = QAction("Import…", self), QAction("Export…", self)
        for action, tip in (
            (self.adding, "Add a word or a pattern (+)"),
            (self.removing, "Remove the selected entries (Delete)"),
            (self.playing, "Pronounce the entry (Space)"),
            (self.importing, "Add the entries of a CSV file, a project, or a list of abogen or FluidAudio"),
            (self.exporting, "Save all entries as a CSV file"),
        ):
            action.setToolTip(tip)
        self.addActions([self.undo, self.redo])

    def _lay_out(self) -> None:
        top, bar = WrappingBar(), WrappingBar()
        top.add(self.search, share=1)
        top.add(self.language)
        bar.add(*(ActionButton(action) for action in (self.adding, self.removing, self.playing)))
        bar.add(*(ActionButton(action) for action in (self.undo, self.redo)))
        bar.add(*(ActionButton(action) for action in (self.importing, self.exporting)))
        left, right = QWidget(), QWidget()
        for side, widgets in (
            (left, (top, self.table, self.problem, self.count, bar)),
            (right, (self.heading, self.places)),
        ):
            column = QVBoxLayout(side)
            column.setContentsMargins(0, 0, 0, 0)
            for widget in widgets:
                column.addWidget(widget, 1 if widget in (self.table, self.places) else 0)
        column.addStretch(0)
        self.split.addWidget(left)
        self.split.addWidget(right)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(MARGIN_PIXELS)
        self.split.setStretchFactor(0, 2)
        self.split.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*(MARGIN_PIXELS,) * 4)
        layout.addWidget(self.banner)
        layout.addWidget(self.split, 1)

    def _connect(self) -> None:
        session, table = self.session, self.table
        self.search.textChanged.connect(self._typing.start)
        self._typing.timeout.connect(self._on_listing)
        self.language.chosen.connect(self._on_listing)
        table.horizontalHeader().sortIndicatorChanged.connect(self._on_listing)
        table.current_changed.connect(self._on_current)
        table.selectionModel().selectionChanged.connect(self._follow)
        table.typed.connect(self._preview)
        self.model.problem.connect(self._show_problem)
        self.model.drafted.connect(self._on_draft)
        self.importing.triggered.connect(self._on_import)
        self.exporting.triggered.connect(self._on_export)
        self.places.picked.connect(self.place_chosen)
        self.places.clicked.connect(lambda _: self.place_chosen.emit(self.places.current))
        self.undo.triggered.connect(session.undo.undo)
        self.redo.triggered.connect(session.undo.redo)
        session.undo.indexChanged.connect(self._follow)
        session.listed.connect(self._on_listed)
        session.previewed.connect(self._on_previewed)
        session.imported.connect(self._on_imported)
        session.exported.connect(self._on_exported)
        session.failed.connect(self.show_failure)

    @Slot()
    def _follow(self) -> None:
        """Enable the commands that apply."""
        session, draft = self.session, self.model.draft is not None
        chosen = self.table.selectionModel().hasSelection() or draft
        for action in (self.adding, self.importing):
            action.setEnabled(session.ready)
        self.exporting.setEnabled(bool(session.state.keys))
        self.removing.setEnabled(chosen)
        for action in (self.editing, self.playing):
            action.setEnabled(self.table.current is not None)
        stack = session.undo
        for action, able, words in (
            (self.undo, stack.canUndo(), stack.undoText()),
            (self.redo, stack.canRedo(), stack.redoText()),
        ):
            action.setEnabled(able)
            action.setToolTip(f"{action.text()} {words}".strip())
        total, shown = len(session.state.keys), len(session.state.shown)
        entries = f"{total:,} {'entry' if total == 1 else 'entries'}"
        words = entries if shown == total else f"{shown:,} of {entries}"
        if not total and session.ready:
            words = EMPTY
        elif not shown and total:
            words = NOTHING_FOUND
        self.count.setText("Working…" if session.working and not session.ready else words)

    @Slot()
    def _on_listing(self) -> None:
        header = self.table.horizontalHeader()
        section = header.sortIndicatorSection()
        column = EntryColumn(section) if 0 <= section < len(EntryColumn) else None
        descending = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        self.session.show(Listing(self.search.text(), str(self.language.value or ""), column, descending))

    @Slot()
    def _on_listed(self) -> None:
        """Show the entries; the current or the wanted one stays current."""
        current, row = self.table.current, self.table.currentIndex().row()
        column = EntryColumn(max(0, self.table.currentIndex().column()))
        self.model.show()
        wanted, self.session.wanted = self.session.wanted or current, None
        found = self.model.row_of(wanted) if wanted is not None and not self.model.draft else 0
        if self.model.rowCount() and not self.table.currentIndex().isValid():
            self.table.select_row(max(row, 0) if found is None else found, column)
        self._on_current()
        if self._awaited is not None:
            self.put(self._awaited)

    @Slot()
    def _on_current(self) -> None:
        self._follow()
        self._preview(self.table.current)

    @Slot()
    def _on_draft(self) -> None:
        self._follow()
        draft = self.model.draft
        if draft is not None and draft.title and not draft.say and not draft.phonemes:
            self._preview(draft)
            QTimer.singleShot(0, self._type_pronunciation)

    @Slot()
    def _type_pronunciation(self) -> None:
        """Continue with the pronunciation of a new entry, once the editor of its word is closed."""
        idle = self.table.state() is not LexiconTable.State.EditingState
        if self.model.draft is not None and idle and self.table.currentIndex().column() == EntryColumn.TITLE:
            self.table.edit_cell(0, EntryColumn.PRONUNCIATION)

    @Slot(object)
    def _preview(self, entry: LexiconEntry | None) -> None:
        if entry is None or not entry.title:
            self.heading.setText(CHOOSE)
            self.places.show_things(())
        self.session.preview(entry if entry is not None and entry.title else None)

    @Slot(object)
    def _on_previewed(self, preview: EntryPreview | EngineError) -> None:
        if isinstance(preview, EntryPreview):
            entry, voice = self.table.current, self.voice_language()
            unused = voice is not None and entry is not None and not entry.applies_to(voice)
            why = f" The chosen voice speaks {voice.name}, so this isn’t used." if unused and voice is not None else ""
            self.heading.setText(f"{preview_words(preview)}{why}")
            self.places.show_things(preview.places)
        else:
            self.heading.setText(f"{message_for(preview).text}")
            self.places.show_things(())

    @Slot(str)
    def _show_problem(self, words: str) -> None:
        if words and words != self.problem.text():
            announce(self.problem, words)
        self.problem.setText(words)
        self.problem.setVisible(bool(words))

    @Slot()
    def _on_edit(self) -> None:
        self.table.edit(self.table.currentIndex())

    @Slot()
    def _on_remove(self) -> None:
        if self.model.draft is not None and self.table.currentIndex().row() == 0:
            self.model.drop_draft()
        else:
            self.session.remove(self.table.selected)

    @Slot()
    def _on_play(self) -> None:
        if self.table.current is not None:
            self.play_requested.emit(self.table.current)

    @Slot()
    def _on_import(self) -> None:
        ask_which_words(self, self.folder, self.session.import_file)

    @Slot()
    def _on_export(self) -> None:
        ask_where_to_save_words(self, self.folder / f"{TITLE}.csv", self.session.export_file)

    @Slot(object)
    def _on_imported(self, found: Imported) -> None:
        count, refused = len(found.entries), len(found.refused)
        words = f"Imported {count:,} {'entry' if count == 1 else 'entries'}."
        if not refused:
            self.banner.show_message(Message(words, Severity.NOTE))
            return
        lines = f"{refused:,} {'line isn’t' if refused == 1 else 'lines aren’t'} usable."
        self.banner.show_message(Message(f"{words} {lines}", Severity.WARNING))
        listed = "".join(f"<p>Line {each.line:,}: {escape(each.reason)}</p>" for each in found.refused[:MAX_LINES])
        more = f"<p>And {refused - MAX_LINES:,} more.</p>" if refused > MAX_LINES else ""
        TextWindow("Unusable Lines", f"<p>{lines} The rest was imported.</p>{listed}{more}", self).show()

    @Slot(int, object)
    def _on_exported(self, count: int, path: Path) -> None:
        entries = "entry" if count == 1 else "entries"
        self.banner.show_message(Message(f"Exported {count:,} {entries} to “{path.name}”.", Severity.NOTE))


def preview_words(preview: EntryPreview) -> str:
    """Describe the number of places that an entry changes."""
    if not preview.count:
        return "This changes nothing in the open text." if preview.whole else "Searching the open text…"
    places = "1 place" if preview.count == 1 else f"{preview.count:,} places"
    more = f" Showing the first {len(preview.places)}." if preview.count > len(preview.places) else ""
    bound, end = ("", ".") if preview.whole else ("at least ", "…")
    return f"This changes {bound}{places} in the open text{end}{more}"


def place_row(place: Place) -> ListRow:
    """Return the row of a place, with the words around it."""
    title = f"{place.words} — {place.title}" if place.title else place.words
    return ListRow(title, f"{place.before}[{place.words}]{place.after}")
