"""The card of one model: its title, license, state and progress, and buttons for the available actions."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.models.row import ModelRow, format_button, format_row, format_size, format_source
from app.system.desktop import REVEAL_TITLE
from app.theme import icon
from app.widgets.controls import show_fraction, thin_bar
from app.widgets.elided_text import ElidedLabel

BUTTON_WIDTH_PIXELS = 112
MORE_ICON_PIXELS = 18


class CardCommand(Enum):
    """A command of a card's button or menu."""

    BUTTON = "button"
    COMPLETE = "complete"
    VERIFY = "verify"
    REVEAL = "reveal"
    REMOVE = "remove"


class ModelCard(QFrame):
    """The card of one model; `command_requested` carries the `ModelRow` and the `CardCommand`."""

    command_requested = Signal(object, object)

    def __init__(self, row: ModelRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model")
        self._row = row
        self.title = QLabel(self)
        self.title.setObjectName("modelTitle")
        self.source = ElidedLabel(self)
        self.source.setObjectName("faint")
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.note = QLabel(row.status.entry.note, self)
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setHidden(not row.status.entry.note)
        self.bar = self._made_bar()
        self.button = QPushButton(self)
        self.button.setMinimumWidth(BUTTON_WIDTH_PIXELS)
        self.button.setAutoDefault(False)
        self.more = QToolButton(self)
        self.more.setObjectName("more")
        self.more.setIcon(icon("more", "faint"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._add_menu()
        self._lay_out()
        self.button.clicked.connect(self._on_button)
        self.show_row(row)

    @property
    def row(self) -> ModelRow:
        """The row on display."""
        return self._row

    def show_row(self, row: ModelRow) -> None:
        """Show the current state of the model."""
        self._row = row
        self.setAccessibleName(row.title)
        self.title.setText(row.title)
        self.source.set_text(format_source(row.status.entry))
        self.words.setText(format_row(row))
        self.setAccessibleDescription(self.words.text())
        self.button.setText(format_button(row))
        self.button.setAccessibleName(f"{format_button(row)}: {row.title}")
        self.button.setEnabled(row.button_enabled)
        self.more.setAccessibleName(f"More for {row.title}")
        self.bar.setVisible(row.task is not None)
        show_fraction(self.bar, row.fraction)
        self.bar.setAccessibleName(f"Progress of {row.title}")
        self._show_menu()

    def _show_menu(self) -> None:
        row = self._row
        self.complete.setVisible(row.can_complete)
        self.verify.setVisible(row.fetchable)
        self.remove.setVisible(row.fetchable)
        self.verify.setEnabled(row.can_verify)
        self.remove.setEnabled(row.can_remove)
        self.reveal.setEnabled(row.folder.is_dir())

    def _made_bar(self) -> QProgressBar:
        bar = thin_bar("", self)
        policy = bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that nothing shifts when a job starts or ends
        bar.setSizePolicy(policy)
        return bar

    def _add_menu(self) -> None:
        menu = QMenu(self.more)
        size = format_size(self._row.status.entry.bytes)
        self.complete = menu.addAction(f"Download the Published Model ({size})")
        self.complete.setData(CardCommand.COMPLETE)
        self.verify = menu.addAction("Verify")
        self.verify.setData(CardCommand.VERIFY)
        self.reveal = menu.addAction(REVEAL_TITLE)
        self.reveal.setData(CardCommand.REVEAL)
        self.remove = menu.addAction("Remove…")
        self.remove.setData(CardCommand.REMOVE)
        menu.triggered.connect(self._on_action)
        self.more.setIconSize(QSize(MORE_ICON_PIXELS, MORE_ICON_PIXELS))
        self.more.setMenu(menu)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 12, 10)
        layout.setSpacing(7)
        head = QHBoxLayout()
        head.setSpacing(6)
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self.title)
        names.addWidget(self.source)
        head.addLayout(names, 1)
        head.addSpacing(8)
        head.addWidget(self.button)
        head.addWidget(self.more)
        layout.addLayout(head)
        layout.addWidget(self.words)
        layout.addWidget(self.note)
        layout.addWidget(self.bar)

    @Slot()
    def _on_button(self) -> None:
        self.command_requested.emit(self._row, CardCommand.BUTTON)

    @Slot(QAction)
    def _on_action(self, action: QAction) -> None:
        self.command_requested.emit(self._row, action.data())
