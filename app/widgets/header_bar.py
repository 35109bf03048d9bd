"""The window's first line: voice, speed, save, speak.

It does not know what they lead to.
"""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.icons import icon
from app.theme import Colours
from app.widgets.speak_button import SpeakButton
from app.widgets.speed_slider import SpeedSlider
from app.widgets.voice_picker import VoicePicker

GROUP_SPACE_PIXELS = 18


class HeaderBar(QWidget):
    """Holds the controls in their order; they are public."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.voices = VoicePicker(self)
        self.speed = SpeedSlider(self)
        self.save_button = QPushButton("Save as WAV…", self)
        self.save_button.setAccessibleName("Save as WAV")
        self.save_button.setToolTip("Save the speech as a WAV file (Ctrl/Cmd+S)")
        self.speak_button = SpeakButton(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(_label("Voice", self.voices))
        layout.addWidget(self.voices)
        layout.addSpacing(GROUP_SPACE_PIXELS)
        layout.addWidget(_label("Speed", self.speed.slider))
        layout.addWidget(self.speed)
        layout.addStretch(1)
        layout.addWidget(self.save_button)
        layout.addWidget(self.speak_button)

    def set_colours(self, colours: Colours) -> None:
        """Draw the icons anew."""
        self.speed.set_colours(colours)
        self.speak_button.set_colours(colours)
        self.save_button.setIcon(icon("save", colours.text))


def _label(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setObjectName("faint")
    label.setBuddy(buddy)
    return label
