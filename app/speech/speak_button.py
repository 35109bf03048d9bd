"""The Speak button, which becomes Stop while something can be stopped."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QWidget

from app.icons import icon
from app.speech.activity import Activity
from app.theme import LIGHT, Colours

ICON_PIXELS = 18


class SpeakButton(QPushButton):
    """One button with two meanings and a signal for each."""

    speak_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speak")
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self._stops = False
        self._colours = LIGHT
        self._show_meaning()
        self.setMinimumWidth(self.sizeHint().width() + 2 * ICON_PIXELS)
        self.clicked.connect(self._on_clicked)

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Become Stop while something can be stopped."""
        if activity.can_stop != self._stops:
            self._stops = activity.can_stop
            self._show_meaning()

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icon."""
        self._colours = colours
        self._show_meaning()

    def _show_meaning(self) -> None:
        self.setText("Stop" if self._stops else "Speak")
        self.setAccessibleName(self.text())
        self.setToolTip("Stop speaking (Esc)" if self._stops else f"Speak the text ({key_words('Ctrl+Return')})")
        colour = self._colours.accent if self._stops else self._colours.on_accent
        self.setIcon(icon("stop" if self._stops else "speak", colour))
        self.setProperty("stops", self._stops)
        self.style().polish(self)

    @Slot()
    def _on_clicked(self) -> None:
        (self.stop_wanted if self._stops else self.speak_wanted).emit()


def key_words(keys: str) -> str:
    """A shortcut as this system writes it, such as Ctrl+S or ⌘S."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
