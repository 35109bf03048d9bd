"""The bar in which to type what should be found in the text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from app.icons import icon
from app.widgets.announcing import announce

SPACE_PIXELS = 6
LEAST_FIELD_PIXELS = 140


class FindBar(QFrame):
    """Field, what was found in words, buttons to go on and back; Return goes on, with Shift back, and Esc closes."""

    words_changed = Signal(str)
    next_wanted = Signal()
    previous_wanted = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Find")
        self.field = _Field(self)
        self.field.setObjectName("find")
        self.field.setPlaceholderText("Find in the text")
        self.field.setAccessibleName("Find in the text")
        self.field.setMinimumWidth(LEAST_FIELD_PIXELS)
        self.label = QLabel(self)
        self.label.setObjectName("faint")
        self.label.setAccessibleName("Found")
        self.previous_button = _button("Find previous", icon("up", "text"), self)
        self.next_button = _button("Find next", icon("down", "text"), self)
        self.close_button = _button("Close find bar", icon("close", "faint"), self)
        self._lay_out()
        self._connect()
        self.hide()

    @property
    def order(self) -> tuple[QWidget, ...]:
        """What the Tab key leads through."""
        return self.field, self.previous_button, self.next_button, self.close_button

    def begin(self, words: str) -> None:
        """Show the bar, with these words to begin with if there are any, ready to type others."""
        if words:
            self.field.setText(words)
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def tell(self, news: str) -> None:
        """Say what was found."""
        if news and self.isVisible() and news != self.label.text():
            announce(self.label, news)
        self.label.setText(news)
        self.label.setAccessibleDescription(news)

    @Slot()
    def dismiss(self) -> None:
        """Hide the bar."""
        self.hide()
        self.closed.emit()

    def event(self, event: QEvent) -> bool:
        """Claim Esc, which would stop the speech, for the field and the buttons."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Esc."""
        if _is_escape(event):
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _connect(self) -> None:
        self.field.textChanged.connect(self.words_changed)
        self.field.next_wanted.connect(self.next_wanted)
        self.field.previous_wanted.connect(self.previous_wanted)
        self.next_button.clicked.connect(self.next_wanted)
        self.previous_button.clicked.connect(self.previous_wanted)
        self.close_button.clicked.connect(self.dismiss)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SPACE_PIXELS, SPACE_PIXELS, SPACE_PIXELS, SPACE_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.field, 1)
        for widget in (self.label, self.previous_button, self.next_button, self.close_button):
            layout.addWidget(widget)


class _Field(QLineEdit):
    """A line in which Return searches."""

    next_wanted = Signal()
    previous_wanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Search."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previous_wanted if back else self.next_wanted).emit()
        else:
            super().keyPressEvent(event)


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape


def _button(title: str, icon: QIcon, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setAccessibleName(title)
    button.setToolTip(title)
    button.setIcon(icon)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
