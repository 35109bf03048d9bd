"""The panel of the queue: its items, and what can be done with the current one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.library.queue_store import QueueListed
from app.library.records import Item, State
from app.library.words import item_row
from app.widgets.action_button import ActionButton, action_of
from app.widgets.two_line_list import TwoLineList
from app.widgets.wrapping_bar import WrappingBar

NOTHING_YET = "The queue is empty. To add text, choose Speech > Queue > Add to Queue."
SPACE_PIXELS = 6
PLAY, PAUSE = "Play Queue", "Pause Queue"


class QueuePanel(QWidget):
    """Signals about one item carry the `Item`; `moved` also how many places, down if positive."""

    play_wanted = Signal(bool)
    moved = Signal(object, int)
    retry_wanted = Signal(object)
    cancel_wanted = Signal(object)
    remove_wanted = Signal(object)
    remove_done_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.items = TwoLineList("Queue", item_row, self)
        self.empty = QLabel(NOTHING_YET, self)
        self.empty.setObjectName("faint")
        self.empty.setWordWrap(True)
        self.note = QLabel(self)
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.play = action_of(self.items, PLAY, "Ctrl+P", self._on_play)
        self.up = action_of(self.items, "Up", "Ctrl+Up", self._on_up)
        self.down = action_of(self.items, "Down", "Ctrl+Down", self._on_down)
        self.retry = action_of(self.items, "Retry", "Ctrl+R", self._on_retry)
        self.cancel = action_of(self.items, "Cancel", "Ctrl+Backspace", self._on_cancel)
        self.remove = action_of(self.items, "Remove", QKeySequence.StandardKey.Delete, self._on_remove)
        self.remove_done = action_of(self.items, "Remove Done", "Ctrl+Shift+Backspace", self.remove_done_wanted)
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
        self.remove_done.setEnabled(any(item.state is State.DONE for item in listed.items))

    def show_playing(self, playing: bool, note: str = "") -> None:
        """Show whether what waits to be heard is played in its turn, and what it waits for."""
        self._playing, self._note = playing, note
        self.play.setText(PAUSE if playing else PLAY)
        self._show_note()

    def _show_note(self) -> None:
        """The whole sentence about a failure, which its row may be too narrow for, comes first."""
        item: Item | None = self.items.current
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
    def _on_current(self, item: Item | None) -> None:
        state = item.state if item is not None else None
        for action in (self.up, self.down, self.remove):
            action.setEnabled(item is not None)
        self.retry.setEnabled(state in (State.FAILED, State.DONE))
        self.cancel.setEnabled(state in (State.WAITING, State.WORKING))
        self._show_note()

    @Slot()
    def _on_play(self) -> None:
        self.play_wanted.emit(not self._playing)

    @Slot()
    def _on_up(self) -> None:
        self.moved.emit(self.items.current, -1)

    @Slot()
    def _on_down(self) -> None:
        self.moved.emit(self.items.current, 1)

    @Slot()
    def _on_retry(self) -> None:
        self.retry_wanted.emit(self.items.current)

    @Slot()
    def _on_cancel(self) -> None:
        self.cancel_wanted.emit(self.items.current)

    @Slot()
    def _on_remove(self) -> None:
        self.remove_wanted.emit(self.items.current)
