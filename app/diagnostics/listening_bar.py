"""Buttons that play ours, the reference, or their difference."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from app.diagnostics.listening import Part
from app.icons import icon
from app.theme import Colours

WORDS = {
    Part.OURS: ("A", "Play A: {ours}"),
    Part.REFERENCE: ("B", "Play B: {reference}"),
    Part.DIFFERENCE: ("Difference", "Play the difference, made loud enough to be heard"),
}
SPACE_PIXELS = 4


class ListeningBar(QWidget):
    """`wanted` carries a `Part`; `spectrogram_wanted`, whether to show a spectrogram instead of the waveform."""

    wanted = Signal(object)
    spectrogram_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons = {part: QPushButton(title, self) for part, (title, _) in WORDS.items()}
        self.waveform_button = _switch("Waveform", self)
        self.spectrogram_button = _switch("Spectrogram", self)
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        for button in (self.waveform_button, self.spectrogram_button):
            self._group.addButton(button)
            layout.addWidget(button)
        layout.addStretch(1)
        for part, button in self.buttons.items():
            button.clicked.connect(partial(self.wanted.emit, part))
            layout.addWidget(button)
        self.waveform_button.setChecked(True)
        self.spectrogram_button.toggled.connect(self.spectrogram_wanted)
        self.name_sides("ours", "the reference")

    def name_sides(self, ours: str, reference: str) -> None:
        """Name what A and B are."""
        for part, (_, words) in WORDS.items():
            name = words.format(ours=ours, reference=reference)
            self.buttons[part].setAccessibleName(name)
            self.buttons[part].setToolTip(name)

    def offer_difference(self, there_is_one: bool) -> None:
        """Enable or disable the button for the difference."""
        self.buttons[Part.DIFFERENCE].setEnabled(there_is_one)

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icons."""
        for button in self.buttons.values():
            button.setIcon(icon("play", colours.text))


def _switch(title: str, parent: QWidget) -> QPushButton:
    button = QPushButton(title, parent)
    button.setObjectName("switch")
    button.setCheckable(True)
    return button
