"""The first line of the window: home, voice, speed, pauses, save, stop, speak."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from app.speech.sliders import PauseControl, SpeedSlider
from app.speech.speak_button import SpeakButton, StopButton, format_shortcut
from app.speech.voice_picker import VoicePicker
from app.theme import icon
from app.widgets.controls import icon_button

SPACE_PIXELS = 8
GROUP_SPACE_PIXELS = 14
SAVE, SAVE_SHORT = "Save Audio…", "Save…"


class HeaderBar(QWidget):
    """The controls in their order, all public. If space is short, it uses shorter texts and hides the labels.

    If that is not enough, as with large fonts, the save, stop and speak buttons move to a second line.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        books = f"Your books ({format_shortcut('Ctrl+Shift+H')})"
        self.home_button = icon_button("Home", icon("home", "text"), self, books)
        self.voices = VoicePicker(self)
        self.speed = SpeedSlider(self)
        self.pauses = PauseControl(self)
        self.save_button = QPushButton(SAVE, self)
        self.save_button.setAccessibleName("Save audio")
        self.save_button.setIcon(icon("save", "text"))
        self.save_button.setToolTip(f"Save as an audio file ({format_shortcut('Ctrl+S')})")
        self.stop_button = StopButton(self)
        self.speak_button = SpeakButton(self)
        self._labels = _label("Voice", self.voices), _label("Speed", self.speed.slider)
        self._usual_width = 0
        self._speech_settings, self._commands = QWidget(self), QWidget(self)
        self._lines = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._lay_out()

    @property
    def stacked(self) -> bool:
        """True if there are two lines."""
        return self._lines.direction() is QBoxLayout.Direction.TopToBottom

    @property
    def short(self) -> bool:
        """True if the short texts are shown."""
        return self.save_button.text() == SAVE_SHORT

    def showEvent(self, event: QShowEvent) -> None:
        """Measure the preferred width, in the current font and with the current voices."""
        super().showEvent(event)
        self._shorten(False)
        self._usual_width = self._preferred_width()
        self._update_button()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the texts that fit."""
        super().resizeEvent(event)
        self._update_button()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum width with the short texts on two lines."""
        return QSize(max(self._shortest_widths()), super().minimumSizeHint().height())

    def _preferred_width(self) -> int:
        """Return the preferred width with the default texts, not with those for a selection and the like."""
        speech_settings, commands = (line.sizeHint().width() for line in (self._speech_settings, self._commands))
        extra = self.speak_button.sizeHint().width() - self.speak_button.minimumWidth()
        return speech_settings + SPACE_PIXELS + commands - max(0, extra)

    def _shortest_widths(self) -> tuple[int, int]:
        """Return the minimum width of each line with the short texts."""
        speech_settings, commands = (line.minimumSizeHint().width() for line in (self._speech_settings, self._commands))
        if self.short:
            return speech_settings, commands
        hidden = (*self._labels, self.speed.reset_button)
        spared = sum(each.sizeHint().width() + SPACE_PIXELS for each in hidden)
        return speech_settings - spared, commands - self.speak_button.spared_pixels

    def _update_button(self) -> None:
        self._shorten(self.width() < self._usual_width)
        stacked = self.width() < sum(self._shortest_widths()) + SPACE_PIXELS
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._lines.setDirection(down if stacked else across)

    def _shorten(self, short: bool) -> None:
        if short != self.short:
            self.save_button.setText(SAVE_SHORT if short else SAVE)
            self.speak_button.set_short(short)
            self.speed.set_short(short)
            for label in self._labels:
                label.setHidden(short)

    def _lay_out(self) -> None:
        voice, speed = self._labels
        speech_settings = _line(
            self._speech_settings, self.home_button, voice, self.voices, speed, self.speed, self.pauses
        )
        speech_settings.insertSpacing(speech_settings.indexOf(speed), GROUP_SPACE_PIXELS)
        speech_settings.addStretch(1)
        commands = _line(self._commands, self.save_button, self.stop_button, self.speak_button)
        commands.insertStretch(0, 1)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(SPACE_PIXELS)
        self._lines.addWidget(self._speech_settings, 1)
        self._lines.addWidget(self._commands)


def _line(line: QWidget, *controls: QWidget) -> QHBoxLayout:
    layout = QHBoxLayout(line)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(SPACE_PIXELS)
    for control in controls:
        layout.addWidget(control)
    return layout


def _label(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setObjectName("faint")
    label.setBuddy(buddy)
    return label
