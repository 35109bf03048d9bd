"""A strip in the window that shows a message and offers a remedy, instead of a modal box."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.icons import icon
from app.messages import Message, Tone
from app.theme import LIGHT, Colours
from app.widgets.announcing import announce
from app.widgets.notice_strip import NoticeStrip

_NAMES = {Tone.NOTE: "Note", Tone.WARNING: "Warning", Tone.ERROR: "Error"}
"""What the symbol says to those who see it."""


class MessageBanner(NoticeStrip):
    """Shows one message at a time; hidden while there is none. `remedy_chosen` carries the `Message`."""

    remedy_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setAccessibleName("Message")
        self._message: Message | None = None
        self._colours = LIGHT
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = QPushButton(self)
        self.button.hide()
        self.close_button = QToolButton(self)
        self.close_button.setAccessibleName("Dismiss message")
        self.close_button.setToolTip("Dismiss")
        self.lay_out(self.button, self.close_button)
        self.button.clicked.connect(self._on_button)
        self.close_button.clicked.connect(self.dismiss)
        self.hide()

    @property
    def message(self) -> Message | None:
        """What is shown now."""
        return self._message

    def show_message(self, message: Message) -> None:
        """Replace what is shown."""
        self._message = message
        self.label.setText(message.text)
        self.setToolTip(message.details if message.tone is Tone.NOTE and message.details else message.text)
        self.setAccessibleName(_NAMES[message.tone])
        self.setAccessibleDescription(message.text)
        self.button.setVisible(message.remedy is not None)
        self.button.setText(message.remedy.value if message.remedy else "")
        self.setProperty("tone", message.tone.value)
        self._draw()
        self.show()
        announce(self, f"{_NAMES[message.tone]}: {message.text}", urgent=message.tone is not Tone.NOTE)

    @Slot()
    def dismiss(self) -> None:
        """Hide."""
        self._message = None
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icons."""
        self._colours = colours
        self._draw()

    def _draw(self) -> None:
        self.close_button.setIcon(icon("close", self._colours.faint))
        if self._message is not None:
            tone = self._message.tone.value
            self.draw_symbol(tone, getattr(self._colours, tone))
        self.style().polish(self)

    @Slot()
    def _on_button(self) -> None:
        message = self._message
        self.dismiss()
        if message is not None:
            self.remedy_chosen.emit(message)
