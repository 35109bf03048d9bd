"""Buttons to play, pause and skip a few seconds back or forward, and the time."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.theme import icon

PLAY_PIXELS = 36
SKIP_PIXELS = 30
ICON_PIXELS = 20
PAUSE = "Pause"


class TransportBar(QWidget):
    """Position on the left, buttons in the middle, length on the right."""

    back_requested = Signal()
    forward_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action: QAction | None = None
        self.back_button = _button("skip", "Back 5 seconds", SKIP_PIXELS, self)
        self.play_button = _button("playPause", "Play", PLAY_PIXELS, self)
        self.forward_button = _button("skip", "Forward 5 seconds", SKIP_PIXELS, self)
        self.position_label = _time_label("Position", Qt.AlignmentFlag.AlignLeft, self)
        self.length_label = _time_label("Length", Qt.AlignmentFlag.AlignRight, self)
        self._lay_out()
        self.back_button.clicked.connect(self.back_requested)
        self.forward_button.clicked.connect(self.forward_requested)
        self.show_length(0, exact=True)
        self.back_button.setIcon(icon("back", "text"))
        self.forward_button.setIcon(icon("forward", "text"))
        self._draw_play_button()

    def show_action(self, action: QAction) -> None:
        """Bind the middle button to a command that plays or pauses."""
        self._action = action
        action.changed.connect(self._follow)
        self.play_button.clicked.connect(action.trigger)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        """Show the command's current name on the button."""
        assert self._action is not None
        name = self._action.text()
        self.play_button.setEnabled(self._action.isEnabled())
        if name != self.play_button.accessibleName():
            self.play_button.setAccessibleName(name)
            self.play_button.setToolTip(name)
            self._draw_play_button()

    def show_position(self, seconds: float) -> None:
        """Show the position."""
        self.position_label.setText(clock_time(seconds))

    def show_length(self, seconds: float, *, exact: bool, made_seconds: float | None = None) -> None:
        """Show the length, or an estimate of it if not exact; 0 disables the skip buttons.

        `made_seconds` is the length of the generated audio if nothing more will come.
        """
        words = clock_time(seconds) if exact or not seconds else f"about {clock_time(seconds)}"
        part = f" ({clock_time(made_seconds)} generated)" if made_seconds and seconds else ""
        self.length_label.setText(f"{words}{part}")
        for button in (self.back_button, self.forward_button):
            button.setEnabled(seconds > 0)

    def _draw_play_button(self) -> None:
        pauses = self.play_button.accessibleName() == PAUSE
        self.play_button.setIcon(icon("pause" if pauses else "play", "on_accent"))

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 0)
        layout.setSpacing(10)
        layout.addWidget(self.position_label, 1)
        for button in (self.back_button, self.play_button, self.forward_button):
            layout.addWidget(button)
        layout.addWidget(self.length_label, 1)


def clock_time(seconds: float) -> str:
    """Format a time as minutes and seconds, with hours only if there are any."""
    minutes, whole_seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole_seconds:02}" if hours else f"{minutes}:{whole_seconds:02}"


def _button(object_name: str, title: str, size_pixels: int, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(object_name)
    button.setAccessibleName(title)
    button.setToolTip(title)
    button.setFixedSize(size_pixels, size_pixels)
    button.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _time_label(name: str, alignment: Qt.AlignmentFlag, parent: QWidget) -> QLabel:
    label = QLabel(clock_time(0), parent)
    label.setObjectName("faint")
    label.setAccessibleName(name)
    label.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)
    return label
