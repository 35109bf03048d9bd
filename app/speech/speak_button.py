"""The Play command's button, and the Stop button beside it while there is something to stop."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.speech.activity import Activity
from app.theme import icon

ICON_PIXELS = 18
NARROW_ROOM_PIXELS, DEFAULT_ROOM_PIXELS = 64, 80
"""The room for the icon and the space around it and the text."""


class PlayCommand(Enum):
    """The current meaning of Play; the value is the title of the command."""

    PLAY = "Play"
    PAUSE = "Pause"
    SELECTION = "Speak Selection"
    BEGINNING = "Play from the Beginning"


_SHORT = {PlayCommand.SELECTION: "Selection", PlayCommand.BEGINNING: "From Start"}
_ICONS = {
    PlayCommand.PLAY: "play",
    PlayCommand.PAUSE: "pause",
    PlayCommand.SELECTION: "speak",
    PlayCommand.BEGINNING: "play",
}


class SpeakButton(QPushButton):
    """Shows a command, whose data is a `PlayCommand`, and triggers it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speak")
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self._action: QAction | None = None
        self._command = PlayCommand.PLAY
        self._short = False
        self.set_short(False)

    @property
    def command(self) -> PlayCommand:
        """The effect of a click now."""
        return self._command

    def show_action(self, action: QAction) -> None:
        """Bind the button to a command."""
        self._action = action
        action.changed.connect(self._follow)
        self.clicked.connect(action.trigger)
        self._follow()

    def set_short(self, short: bool) -> None:
        """Use a shorter text if there is one, and the least width."""
        self._short = short
        self._show_description()
        self.setMinimumWidth(self._width(short=short))

    @property
    def spared_pixels(self) -> int:
        """The width that the short text saves."""
        return max(0, self.minimumWidth() - max(self._width(short=True), self.minimumSizeHint().width()))

    def _width(self, *, short: bool) -> int:
        """Return a width that fits all titles that alternate during playback, so that nothing moves."""
        texts = [PlayCommand.PLAY.value, PlayCommand.PAUSE.value, *(_SHORT.values() if short else ())]
        room_pixels = NARROW_ROOM_PIXELS if short else DEFAULT_ROOM_PIXELS
        return room_pixels + max(self.fontMetrics().horizontalAdvance(each) for each in texts)

    @Slot()
    def _follow(self) -> None:
        assert self._action is not None
        self.setEnabled(self._action.isEnabled())
        if self._action.data() is not self._command:  # a command changes often, and drawing takes a moment
            self._command = self._action.data()
            self._show_description()

    def _show_description(self) -> None:
        command = self._command
        self.setText(_SHORT.get(command, command.value) if self._short else command.value)
        self.setAccessibleName(command.value)
        self.setToolTip(f"{command.value} ({format_shortcut('Ctrl+Return')})")
        self.setIcon(icon(_ICONS[command], "on_accent"))


class StopButton(QToolButton):
    """A Stop button that takes its room even while hidden, so that nothing moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stop")
        self.setAccessibleName("Stop")
        self.setToolTip("Stop speaking (Esc)")
        self.setIcon(icon("stop", "accent"))
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.hide()

    @Slot(object)
    def show_activity(self, activity: Activity) -> None:
        """Show the button while something can be stopped."""
        if self.hasFocus() and not activity.can_stop:
            self.focusNextChild()
        self.setVisible(activity.can_stop)


def format_shortcut(keys: str) -> str:
    """Return a shortcut as this system writes it, such as Ctrl+S or ⌘S."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
