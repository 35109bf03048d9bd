"""The panel of the history: search, entries, and what can be done with the current one."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.library.history import HistoryListed
from app.library.records import Entry
from app.library.words import entry_row, size_words
from app.widgets.action_button import ActionButton
from app.widgets.announcing import announce
from app.widgets.combo_box import ComboBox
from app.widgets.elided_text import ElidedLabel
from app.widgets.two_line_list import TwoLineList

SEARCH_AFTER_MS = 200
LIMITS_MEGABYTES = (0, 250, 1000, 5000, 20_000)
NOTHING_YET, NOTHING_FOUND = "Everything you play appears here.", "No results"
SPACE_PIXELS = 6


class HistoryPanel(QWidget):
    """Signals about one entry carry the `Entry`; `limit_chosen` megabytes of sound, `looked_for` words."""

    hear_wanted = Signal(object)
    open_wanted = Signal(object)
    star_wanted = Signal(object)
    delete_wanted = Signal(object)
    bring_back_wanted = Signal()
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
        self.hear = self._action("Play", "Return")
        self.open = self._action("Edit Text", "Return")
        self.star = self._action("Star", "Ctrl+B")
        self.delete = self._action("Delete", QKeySequence.StandardKey.Delete)
        self.deleted = _DeletedStrip(self)
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
        """Show what was listed."""
        self.entries.show_things(listed.entries)
        self.entries.setVisible(bool(listed.entries))
        self.empty.setVisible(not listed.entries)
        self.empty.setText(NOTHING_FOUND if self.search.text().strip() else NOTHING_YET)
        self.kept.say(f"{size_words(listed.kept_bytes)} used, limit:")

    def set_limit(self, megabytes: int) -> None:
        """Show how much sound is kept at most."""
        self.limit.offer(limits(megabytes))
        self.limit.choose(megabytes)

    def _action(self, title: str, key: str | QKeySequence.StandardKey) -> QAction:
        action = QAction(title, self.entries)
        if key != "Return":  # the list itself takes that
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.entries.addAction(action)
        return action

    def _connect(self) -> None:
        self.entries.picked.connect(self.hear_wanted)
        self.entries.current_changed.connect(self._on_current)
        self.hear.triggered.connect(self._on_hear)
        self.open.triggered.connect(self._on_open)
        self.star.triggered.connect(self._on_star)
        self.delete.triggered.connect(self._on_delete)
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
    def _on_current(self, entry: Entry | None) -> None:
        for action in (self.hear, self.open, self.star, self.delete):
            action.setEnabled(entry is not None)
        self.star.setText("Unstar" if entry is not None and entry.starred else "Star")

    @Slot()
    def _on_hear(self) -> None:
        self.hear_wanted.emit(self.entries.current)

    @Slot()
    def _on_open(self) -> None:
        self.open_wanted.emit(self.entries.current)

    @Slot()
    def _on_star(self) -> None:
        self.star_wanted.emit(self.entries.current)

    @Slot()
    def _on_delete(self) -> None:
        entry: Entry = self.entries.current
        self.deleted.tell(entry.title)
        self.delete_wanted.emit(entry)

    @Slot()
    def _on_bring_back(self) -> None:
        self.deleted.hide()
        self.entries.setFocus()
        self.bring_back_wanted.emit()

    @Slot()
    def _on_words(self) -> None:
        self._typing.start()

    @Slot()
    def _on_typed(self) -> None:
        self.looked_for.emit(self.search.text())


class _DeletedStrip(QFrame):
    """Says what was deleted, with a button that brings it back."""

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

    def tell(self, title: str) -> None:
        """Say that this was deleted."""
        self.label.say(f"Deleted “{title}”")
        announce(self.label, self.label.toolTip())
        self.button.setAccessibleName(f"Undo: {self.label.toolTip()}")
        self.show()


def limits(chosen: int) -> list[tuple[int, str, str]]:
    """Limits of the saved audio in megabytes, as a list of choices offers them; the chosen one is among them."""
    return [
        (each, size_words(each * 1_000_000) if each else "Nothing", "") for each in sorted({*LIMITS_MEGABYTES, chosen})
    ]
