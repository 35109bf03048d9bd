"""A strip in the window that shows a message and offers a remedy, instead of a modal box."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget
from shiboken6 import isValid

from app.messages import Message, MessageTopic, Severity
from app.theme import icon
from app.widgets.controls import announce, icon_button

_NAMES = {Severity.NOTE: "Note", Severity.WARNING: "Warning", Severity.ERROR: "Error"}
"""The meaning of the symbol, for screen readers."""
ICON_PIXELS = 20
MIN_LABEL_PIXELS = 60
"""The minimum width, so that an unbreakable word, such as a file name, does not make the window wider."""


class NoticeBar(QFrame):
    """A strip with a symbol, a label and buttons; `label` takes the remaining space, and wraps.

    When the strip is hidden while one of its buttons has the focus, the widget that had the focus before gets it back.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._focused_before: QWidget | None = None
        self.symbol = _Symbol(self)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setMinimumWidth(MIN_LABEL_PIXELS)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)

    def hideEvent(self, event: QHideEvent) -> None:
        """Return the focus, which Qt would pass on to the next widget."""
        super().hideEvent(event)
        before, focused = self._focused_before, self.window().focusWidget()
        if not self.isHidden() or focused is None or not self.isAncestorOf(focused):
            return
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus()

    def lay_out(self, *rest: QWidget) -> None:
        """Lay out the symbol, the label, and the rest, such as buttons, from left to right."""
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self.symbol)
        layout.addWidget(self.label, 1)
        for widget in rest:
            layout.addWidget(widget)

    @Slot(QWidget, QWidget)
    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is None or new is None or old.window() is not self.window():
            return
        if self.isAncestorOf(new) and not self.isAncestorOf(old):
            self._focused_before = old


class _Symbol(QWidget):
    """A widget that draws an icon again on each paint; a label would draw it only once."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.icon = QIcon()
        self.setFixedSize(ICON_PIXELS, ICON_PIXELS)

    def show_icon(self, icon: QIcon) -> None:
        """Show this icon."""
        self.icon = icon
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the icon in the current colors."""
        self.icon.paint(QPainter(self), self.rect())


class MessageBanner(NoticeBar):
    """Shows one message at a time, and the number of others; hidden while there is none.

    A failure waits until those before it are dismissed or withdrawn; notes come after all failures, the latest first.
    `action_chosen` carries the `Message`.
    """

    action_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setAccessibleName("Message")
        self._messages: list[Message] = []
        self._number = 0
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.count_button = QToolButton(self)
        self.count_button.setObjectName("faint")
        self.count_button.setToolTip("Show the next message")
        self.count_button.setAccessibleName("Show the next message")
        self.button = QPushButton(self)
        self.button.hide()
        self.close_button = icon_button("Dismiss message", icon("close", "faint"), self, "Dismiss")
        self.lay_out(self.count_button, self.button, self.close_button)
        self.count_button.clicked.connect(self._show_next)
        self.button.clicked.connect(self._on_button)
        self.close_button.clicked.connect(self.dismiss)
        self._show(0)

    @property
    def message(self) -> Message | None:
        """The message on display."""
        return self._messages[self._number] if self._messages else None

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, displayed and waiting."""
        return tuple(self._messages)

    def show_message(self, message: Message) -> None:
        """Show a message, unless a failure is displayed; a note replaces a note about the same subject."""
        shown = self.message
        if message.tone is Severity.NOTE:
            self._keep(lambda each: each.tone is not Severity.NOTE or each.topic is not message.topic)
        if message not in self._messages:
            self._messages.insert(sum(each.tone is not Severity.NOTE for each in self._messages), message)
        stays = shown is not None and shown.tone is not Severity.NOTE
        self._show(self._messages.index(shown if stays and shown is not None else message))
        announce(self, f"{_NAMES[message.tone]}: {message.text}", urgent=message.tone is not Severity.NOTE)

    def withdraw(self, *topics: MessageTopic) -> None:
        """Withdraw all messages about these subjects, since they no longer hold."""
        self._keep(lambda each: each.topic not in topics)

    @Slot()
    def dismiss(self) -> None:
        """Dismiss the current message and show the next one waiting."""
        shown = self.message
        self._keep(lambda each: each is not shown)

    def _keep(self, holds: Callable[[Message], bool]) -> None:
        shown = self.message
        self._messages = [each for each in self._messages if holds(each)]
        self._show(self._messages.index(shown) if shown in self._messages else 0)

    def _show(self, number: int) -> None:
        self._number = number
        message, count = self.message, len(self._messages)
        if message is not None:
            self.label.setText(message.text)
            self.setToolTip(message.details if message.tone is Severity.NOTE and message.details else message.text)
            self.setAccessibleName(_NAMES[message.tone])
            self.setAccessibleDescription(message.text)
            self.button.setVisible(message.action is not None)
            self.button.setText(message.action.value if message.action else "")
            self.count_button.setVisible(count > 1)
            self.count_button.setText(f"{number + 1} of {count}")
            self.setProperty("tone", message.tone.value)
            self.symbol.show_icon(icon(message.tone.value, message.tone.value))
            self.style().polish(self)
        self.setVisible(message is not None)

    @Slot()
    def _show_next(self) -> None:
        self._show((self._number + 1) % len(self._messages))
        announce(self, self.label.text(), urgent=False)

    @Slot()
    def _on_button(self) -> None:
        message = self.message
        self.dismiss()
        if message is not None:
            self.action_chosen.emit(message)
