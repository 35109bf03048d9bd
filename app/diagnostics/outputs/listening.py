"""Playback of the compiled model's audio, the reference and their difference, and the bar of buttons for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from app.diagnostics.stages.stage_arrays import AUDIO, pair_of
from app.theme import icon
from app.widgets.controls import ComboBox
from app.widgets.layouts import WrappingBar
from engine.errors import EngineError
from engine.speech import Samples
from engine.validator.data.results import Row
from engine.validator.runs.arrays import Arrays

LOUDEST = 0.9
MAX_GAIN_DB = 100.0
LOUDEST_GAIN = float("inf")
END_TO_END, ALONE = "end to end", "last stage only"
END_TO_END_TOOL_TIP = "Play each side’s speech, generated through all stages"
ALONE_TOOL_TIP = "Play the last stage in isolation, with the reference’s inputs"
GAINS = (
    (0.0, "0 dB", "No gain"),
    (20.0, "+20 dB", "10× amplitude"),
    (40.0, "+40 dB", "100× amplitude"),
    (LOUDEST_GAIN, "loudest", "As loud as possible, up to +100 dB"),
)
DEFAULT_GAIN_DB = 20.0


class AudioSide(Enum):
    """The audio to play."""

    OURS = "ours"
    REFERENCE = "reference"
    DIFFERENCE = "difference"


TITLES = {AudioSide.OURS: "A · {ours}, {extent}", AudioSide.REFERENCE: "B · {reference}", AudioSide.DIFFERENCE: "A - B"}
DESCRIPTIONS = {
    AudioSide.OURS: "A: {ours}, {extent}",
    AudioSide.REFERENCE: "B: {reference}",
    AudioSide.DIFFERENCE: "the difference",
}


@dataclass(frozen=True, eq=False)
class PlayedAudio:
    """Audio for playback: `samples` [n] in [-1, 1], amplified by `gain_db`; `clipped` if that made them too loud."""

    samples: Samples
    gain_db: float = 0.0
    clipped: bool = False


def has_audio(arrays: Arrays | None, row: Row) -> bool:
    """Return whether the row is of audio whose samples are stored."""
    return row.output == AUDIO and arrays is not None and arrays.holds(row.utterance, row.regime, row.reading, AUDIO)


def heard(arrays: Arrays, row: Row, part: AudioSide, gain_db: float = LOUDEST_GAIN) -> PlayedAudio | None:
    """Return one part of a row's audio, amplified if it is the difference; None if it is missing or unreadable.

    With `LOUDEST_GAIN`, the difference is as loud as possible.
    """
    try:
        pair = pair_of(arrays, row)
    except EngineError:
        return None
    if part is not AudioSide.DIFFERENCE:
        samples = pair.ours if part is AudioSide.OURS else pair.reference
        return PlayedAudio(np.clip(np.nan_to_num(samples), -1, 1).astype(np.float32))
    if not pair.comparable:
        return None
    apart = np.nan_to_num(pair.ours - pair.reference)
    loudest = float(np.abs(apart).max(initial=0))
    if not loudest:
        return None
    gain = min(LOUDEST / loudest, 10 ** (MAX_GAIN_DB / 20)) if gain_db == LOUDEST_GAIN else 10 ** (gain_db / 20)
    return PlayedAudio(np.clip(apart * gain, -1, 1).astype(np.float32), 20 * float(np.log10(gain)), loudest * gain > 1)


class ListeningBar(WrappingBar):
    """The playback bar.

    `part_clicked` carries the `AudioSide` whose button is clicked, to start or to stop it. `spectrogram_requested`
    carries whether to show a spectrogram instead of the waveform, `loop_toggled` whether to repeat the selected range,
    `gain_chosen` the amplification of the difference, `end_to_end_toggled` whether A is the audio of all its stages or
    of the last one alone.
    """

    part_clicked = Signal(object)
    gain_chosen = Signal(object)
    end_to_end_toggled = Signal(bool)
    loop_toggled = Signal(bool)
    spectrogram_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.waveform_button = _switch("Waveform", self)
        self.spectrogram_button = _switch("Spectrogram", self)
        self.whole_button = _switch("End to End", self)
        self.alone_button = _switch("Last Stage Only", self)
        self.buttons = {part: _switch("", self) for part in AudioSide}
        self.loop_button = _switch("Loop", self)
        self.gain = ComboBox("Gain of the difference", "Amplification of the difference", 6, self)
        self._views, self._extents = QButtonGroup(self), QButtonGroup(self)
        self._names = {"ours": "", "reference": ""}
        self._playing: AudioSide | None = None
        self._lay_out()
        self.whole_button.toggled.connect(self._on_extent)
        for part, button in self.buttons.items():
            button.clicked.connect(partial(self._on_button, part))
        self.loop_button.toggled.connect(self.loop_toggled)
        self.gain.chosen.connect(self.gain_chosen)
        self.spectrogram_button.toggled.connect(self.spectrogram_requested)
        self.name_sides("Ours", "Reference")

    @property
    def gain_db(self) -> float:
        """The amplification of the difference."""
        return float(str(self.gain.value))

    @property
    def end_to_end(self) -> bool:
        """True if A is the audio of all its stages, False if it is that of the last one with the reference's inputs."""
        return self.whole_button.isChecked()

    @property
    def loops(self) -> bool:
        """True if the selected range is repeated."""
        return self.loop_button.isChecked()

    def name_sides(self, ours: str, reference: str) -> None:
        """Set the names of A and B."""
        names = {"ours": ours, "reference": reference}
        if names != self._names:
            self._names = names
            self._show()

    def offer_views(self, there_are_some: bool) -> None:
        """Show or hide the choice between waveform and spectrogram, which only audio has."""
        group = self.waveform_button.parentWidget()  # including the space between the buttons
        assert group is not None
        group.setVisible(there_are_some)

    def show_playing(self, part: AudioSide | None) -> None:
        """Show which part is playing."""
        self._playing = part
        self._show()

    def offer_sound(self, there_is_one: bool) -> None:
        """Enable or disable the buttons for both sides."""
        for part in (AudioSide.OURS, AudioSide.REFERENCE):
            self.buttons[part].setEnabled(there_is_one)

    def offer_difference(self, there_is_one: bool) -> None:
        """Enable or disable the button for the difference."""
        self.buttons[AudioSide.DIFFERENCE].setEnabled(there_is_one)
        self.gain.setEnabled(there_is_one)

    def _show(self) -> None:
        for part, button in self.buttons.items():
            heard = part is self._playing
            names = self._names | {"extent": END_TO_END if self.end_to_end else ALONE}
            name = f"{'Stop' if heard else 'Play'} {DESCRIPTIONS[part].format(**names)}"
            button.setChecked(heard)
            button.setText(TITLES[part].format(**names))
            button.setIcon(icon("stop" if heard else "play", "text"))
            button.setAccessibleName(name)
            button.setToolTip(name)

    def _on_button(self, part: AudioSide) -> None:
        self._show()  # the player reports whether it plays
        self.part_clicked.emit(part)

    @Slot(bool)
    def _on_extent(self, end_to_end: bool) -> None:
        self._show()
        self.end_to_end_toggled.emit(end_to_end)

    def _lay_out(self) -> None:
        for button in (self.waveform_button, self.spectrogram_button):
            self._views.addButton(button)
        for button in (self.whole_button, self.alone_button):
            self._extents.addButton(button)
        self.waveform_button.setChecked(True)
        self.whole_button.setChecked(True)
        self.whole_button.setToolTip(END_TO_END_TOOL_TIP)
        self.alone_button.setToolTip(ALONE_TOOL_TIP)
        self.loop_button.setToolTip("Loop a selection. Drag its edges, or press [ and ] to set them.")
        self.gain.offer(GAINS)
        self.gain.choose(DEFAULT_GAIN_DB)
        self.add(self.waveform_button, self.spectrogram_button)
        self.add(self.whole_button, self.alone_button)
        self.add(self.buttons[AudioSide.OURS], self.buttons[AudioSide.REFERENCE], self.loop_button)
        self.add(self.buttons[AudioSide.DIFFERENCE], self.gain)
        self.setTabOrder(self.loop_button, self.buttons[AudioSide.DIFFERENCE])
        self.setTabOrder(self.buttons[AudioSide.DIFFERENCE], self.gain)


def _switch(title: str, parent: QWidget) -> QPushButton:
    button = QPushButton(title, parent)
    button.setObjectName("switch")
    button.setCheckable(True)
    return button
