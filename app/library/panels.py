"""The panels of the history and the queue, and the contents of their rows."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.audio.transport_bar import clock_time
from app.library.history import HistoryListed
from app.library.queue_store import QueueListed
from app.library.records import HistoryEntry, QueueItem, QueueState
from app.widgets.controls import ActionButton, ComboBox, action_of, announce
from app.widgets.elided_text import ElidedLabel
from app.widgets.layouts import WrappingBar
from app.widgets.two_line_list import ListRow, TwoLineList
from engine.models.voices.packs import describe

SEARCH_AFTER_MS = 200
LIMITS_MEGABYTES = (0, 250, 1000, 5000, 20_000)
NOTHING_YET, NOTHING_FOUND = "Everything you play appears here.", "No results"
SPACE_PIXELS = 6
EMPTY_QUEUE = "The queue is empty. To add text, choose Speech > Queue > Add to Queue."
PLAY, PAUSE = "Play Queue", "Pause Queue"
DEFAULT_SPEED = 1.0
_STATES = {QueueState.WAITING: "Waiting", QueueState.WORKING: "Generating", QueueState.DONE: "Done"}
_SYMBOLS = {QueueState.WORKING: "play", QueueState.DONE: "done", QueueState.FAILED: "error"}


class HistoryPanel(QWidget):
    """The history panel. Signals of an entry carry the `HistoryEntry`, `limit_chosen` megabytes, `looked_for` words."""

    hear_requested = Signal(object)
    open_requested = Signal(object)
    star_requested = Signal(object)
    delete_requested = Signal(object)
    bring_back_requested = Signal()
    looked_for = Signal(str)
    limit_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search the history")
        self.search.setClearButtonEnabled(True)
        self.entries = TwoLineList("History", entry_row, self)
        self.empty = QLabel(NOTHING_YET, self)
        self.empty.setObjectName("faint")
        self.empty.setWordWrap(True)
        self.hear = self.entries.command("Play", "", self.hear_requested)  # the list itself handles Return
        self.open = self.entries.command("Edit Text", "", self.open_requested)
        self.star = self.entries.command("Star", "Ctrl+B", self.star_requested)
        self.delete = action_of(self.entries, "Delete", QKeySequence.StandardKey.Delete, self._on_delete)
        self.deleted = _DeletedBar(self)
        self._buttons = [ActionButton(action, self) for action in (self.hear, self.open, self.star, self.delete)]
        self.kept = ElidedLabel(self)
        self.kept.setObjectName("faint")
        self.limit = ComboBox("Storage limit", "Disk space for saved audio; starred items are always kept", 7, self)
        self._typing = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._lay_out()
        self._connect()
        self._on_current(None)

    @Slot(object)
    def show_entries(self, listed: HistoryListed) -> None:
        """Show these entries and the size of all saved audio."""
        self.entries.show_things(listed.entries)
        self.entries.setVisible(bool(listed.entries))
        self.empty.setVisible(not listed.entries)
        self.empty.setText(NOTHING_FOUND if self.search.text().strip() else NOTHING_YET)
        self.kept.set_text(f"{format_size(listed.kept_bytes)} used, limit:")

    def set_limit(self, megabytes: int) -> None:
        """Show the limit of saved audio."""
        self.limit.offer(limits(megabytes))
        self.limit.choose(megabytes)

    def _connect(self) -> None:
        self.entries.picked.connect(self.hear_requested)
        self.entries.current_changed.connect(self._on_current)
        self.deleted.button.clicked.connect(self._on_bring_back)
        self.search.textChanged.connect(self._on_words)
        self._typing.timeout.connect(self._on_typed)
        self.limit.chosen.connect(self.limit_chosen)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_PIXELS)
        for button in self._buttons:
            buttons.addWidget(button)
        buttons.addStretch(1)
        foot = QHBoxLayout()
        foot.addWidget(self.kept, 1)
        foot.addWidget(self.limit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE_PIXELS, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.search)
        layout.addWidget(self.entries, 1)
        layout.addWidget(self.empty, 1, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.deleted)
        layout.addLayout(buttons)
        layout.addLayout(foot)

    @Slot(object)
    def _on_current(self, entry: HistoryEntry | None) -> None:
        for action in (self.hear, self.open, self.star, self.delete):
            action.setEnabled(entry is not None)
        self.star.setText("Unstar" if entry is not None and entry.starred else "Star")

    @Slot()
    def _on_delete(self) -> None:
        entry: HistoryEntry = self.entries.current
        self.deleted.show_deleted(entry.title)
        self.delete_requested.emit(entry)

    @Slot()
    def _on_bring_back(self) -> None:
        self.deleted.hide()
        self.entries.setFocus()
        self.bring_back_requested.emit()

    @Slot()
    def _on_words(self) -> None:
        self._typing.start()

    @Slot()
    def _on_typed(self) -> None:
        self.looked_for.emit(self.search.text())


class _DeletedBar(QFrame):
    """A strip that names the deleted entry, with an Undo button."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = ElidedLabel(self)
        self.button = QPushButton("Undo", self)
        self.button.setObjectName("panelButton")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)
        self.hide()

    def show_deleted(self, title: str) -> None:
        """Show and announce that an entry was deleted."""
        self.label.set_text(f"Deleted “{title}”")
        announce(self.label, self.label.toolTip())
        self.button.setAccessibleName(f"Undo: {self.label.toolTip()}")
        self.show()


def limits(chosen: int) -> list[tuple[int, str, str]]:
    """Return the limits of saved audio in megabytes, including the chosen one, as choices for a list."""
    return [
        (each, format_size(each * 1_000_000) if each else "Nothing", "") for each in sorted({*LIMITS_MEGABYTES, chosen})
    ]


def entry_row(entry: HistoryEntry, now: datetime | None = None) -> ListRow:
    """Return the row of a history entry."""
    parts = [format_voice(entry.voice), format_moment(entry.begun, now or datetime.now())]
    if entry.seconds:
        parts.append(clock_time(entry.seconds))
    if not entry.kept_bytes:
        parts.append("no saved audio")
    star = ("star", "Starred") if entry.starred else ("", "")
    return ListRow(entry.title, " · ".join(parts), *star)


def item_row(item: QueueItem) -> ListRow:
    """Return the row of a queue item."""
    if item.state is QueueState.FAILED:
        return ListRow(item.title, item.message, _SYMBOLS[item.state], "Failed", fault=True)
    job = item.job
    what = f"Save to {job.target.name}" if job.target is not None else "Play"
    parts = [_STATES[item.state], what, format_voice(job.request.voice)]
    if job.request.speed != DEFAULT_SPEED:
        parts.append(f"{job.request.speed:g}×")
    return ListRow(item.title, " · ".join(parts), _SYMBOLS.get(item.state, ""))


def format_voice(voice: str) -> str:
    """Return the title of a voice, or “Blend” if the voice is a recipe."""
    return "Blend" if "(" in voice else describe(voice).title


def format_moment(seconds: float, now: datetime) -> str:
    """Return the time if it is today, the day and time if it is this year, else the full date."""
    moment = datetime.fromtimestamp(seconds)
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    return f"{moment:%d %b, %H:%M}" if moment.year == now.year else f"{moment:%d %b %Y}"


def format_size(kept_bytes: int) -> str:
    """Format a size in bytes as megabytes, or as gigabytes from 1 GB."""
    megabytes = kept_bytes / 1e6
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"


class QueuePanel(QWidget):
    """The queue panel. Signals of an item carry the `QueueItem`, `moved` the number of places, down if positive."""

    play_requested = Signal(bool)
    moved = Signal(object, int)
    retry_requested = Signal(object)
    cancel_requested = Signal(object)
    remove_requested = Signal(object)
    remove_done_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.items = TwoLineList("Queue", item_row, self)
        self.empty = QLabel(EMPTY_QUEUE, self)
        self.empty.setObjectName("faint")
        self.empty.setWordWrap(True)
        self.note = QLabel(self)
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.play = action_of(self.items, PLAY, "Ctrl+P", self._on_play)
        self.up = action_of(self.items, "Up", "Ctrl+Up", self._on_up)
        self.down = action_of(self.items, "Down", "Ctrl+Down", self._on_down)
        self.retry = self.items.command("Retry", "Ctrl+R", self.retry_requested)
        self.cancel = self.items.command("Cancel", "Ctrl+Backspace", self.cancel_requested)
        self.remove = self.items.command("Remove", QKeySequence.StandardKey.Delete, self.remove_requested)
        self.remove_done = action_of(self.items, "Remove Done", "Ctrl+Shift+Backspace", self.remove_done_requested)
        self._playing = False
        self._note = ""
        self._lay_out()
        self.items.current_changed.connect(self._on_current)
        self.show_items(QueueListed(()))

    @Slot(object)
    def show_items(self, listed: QueueListed) -> None:
        """Show the items of the queue."""
        self.items.show_things(listed.items)
        self.items.setVisible(bool(listed.items))
        self.empty.setVisible(not listed.items)
        self.remove_done.setEnabled(any(item.state is QueueState.DONE for item in listed.items))

    def show_playing(self, playing: bool, note: str = "") -> None:
        """Show whether queued items are played in turn, and what they are waiting for."""
        self._playing, self._note = playing, note
        self.play.setText(PAUSE if playing else PLAY)
        self._show_note()

    def _show_note(self) -> None:
        """Show the note, or the full message of a failed item, for which its row may be too narrow."""
        item: QueueItem | None = self.items.current
        self.note.setText(item.message if item is not None and item.message else self._note)
        self.note.setVisible(bool(self.note.text()))

    def _lay_out(self) -> None:
        bar = WrappingBar(self)
        for action in (self.play, self.up, self.down, self.retry, self.cancel, self.remove, self.remove_done):
            bar.add(ActionButton(action, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE_PIXELS, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.items, 1)
        layout.addWidget(self.empty, 1, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.note)
        layout.addWidget(bar)

    @Slot(object)
    def _on_current(self, item: QueueItem | None) -> None:
        state = item.state if item is not None else None
        for action in (self.up, self.down, self.remove):
            action.setEnabled(item is not None)
        self.retry.setEnabled(state in (QueueState.FAILED, QueueState.DONE))
        self.cancel.setEnabled(state in (QueueState.WAITING, QueueState.WORKING))
        self._show_note()

    @Slot()
    def _on_play(self) -> None:
        self.play_requested.emit(not self._playing)

    @Slot()
    def _on_up(self) -> None:
        self.moved.emit(self.items.current, -1)

    @Slot()
    def _on_down(self) -> None:
        self.moved.emit(self.items.current, 1)
