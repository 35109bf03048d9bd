"""The inspector: the pronunciation and the values of the selected phonemes, and the presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.editor import shaping
from app.editor.preview import SentencePreview
from app.editor.session import EditorSession
from app.editor.symbols import PronunciationField, symbols_in
from app.editor.timeline import Timeline
from app.widgets.layouts import WrappingBar
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.runtime.edits import (
    MAX_GAIN_DB,
    MAX_PAUSE_SECONDS,
    MAX_PHONEME_SECONDS,
    MAX_PITCH_HZ,
    MAX_SCALE,
    MIN_PITCH_HZ,
)
from engine.runtime.presets import MIN_SCALE, change_at
from engine.speech import PronunciationSource, Utterance, WordReading, WrittenWord

HINT = "Words, or symbols between slashes: /həlˈO/"
_SOURCES = {
    "markup": "from the text",
    "you": "from your lexicon",
    "lexicon": "from the lexicon",
    "letters": "spelled out",
    "espeak": "from espeak-ng’s rules",
    "silent": "silent",
}
PERCENT = 100
DEFAULT_PAUSE = -0.1
"""The value of the field for a pause as the engine chooses it, one step below no pause."""


class PhonemeInspector(QWidget):
    """The inspector of the phonemes that are selected in the timeline.

    `said_like` is emitted when a pronunciation was entered for the selected word; `said_everywhere` carries the word
    and a pronunciation for all texts.
    """

    said_like = Signal()
    said_everywhere = Signal(str, str)

    def __init__(self, session: EditorSession, timeline: Timeline) -> None:
        super().__init__()
        self._session, self._timeline = session, timeline
        self._respelled: tuple[int, int] | None = None  # the phonemes that await those of words
        self.heading = QLabel()
        self.heading.setWordWrap(True)
        self.say_like = PronunciationField("Say it like", HINT, "Here")
        self.say_like.button.setToolTip("Pronounce the word like this in this sentence")
        self.everywhere = QPushButton("Everywhere")
        self.everywhere.setObjectName("panelButton")
        self.everywhere.setToolTip("Save this pronunciation of the word for all texts")
        self.say_like.row.addWidget(self.everywhere)
        self.readings = QPushButton("Alternatives")
        self.readings.setObjectName("panelButton")
        self.readings.setToolTip("Pronunciations that this word may have")
        self.readings.setMenu(QMenu(self.readings))
        self.duration = _spin_box("Duration", " ms", 1, MAX_PHONEME_SECONDS * 1000 * 10)
        self.pitch = _spin_box("Pitch", " Hz", MIN_PITCH_HZ, MAX_PITCH_HZ)
        self.energy = _spin_box("Energy", " %", 0, MAX_SCALE * PERCENT)
        self.sentence = SentenceFields(session)
        self.presets = {preset: QPushButton(title) for preset, title in shaping.PRESET_TITLES.items()}
        self._lay_out()
        self.say_like.entered.connect(self._on_entered)
        self.readings.menu().aboutToShow.connect(self._find_readings)
        session.readings_found.connect(self._show_readings)
        self.everywhere.clicked.connect(self._on_everywhere)
        self.duration.valueChanged.connect(self._on_duration)
        self.pitch.valueChanged.connect(self._on_pitch)
        self.energy.valueChanged.connect(self._on_energy)
        for preset, button in self.presets.items():
            button.clicked.connect(lambda _=False, preset=preset: session.apply(preset, *timeline.selection))
        session.changed.connect(self._show)
        session.say_like_found.connect(self._on_found)
        timeline.selection_changed.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        values = WrappingBar()
        for name, box in (("Duration", self.duration), ("Pitch", self.pitch), ("Energy", self.energy)):
            label = QLabel(name)
            label.setBuddy(box)
            values.add(label, box)
        buttons = WrappingBar()
        for button in self.presets.values():
            button.setObjectName("panelButton")
            buttons.add(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        pronunciation = QHBoxLayout()
        pronunciation.addWidget(self.heading, 1)
        pronunciation.addWidget(self.readings)
        layout.addLayout(pronunciation)
        layout.addWidget(self.say_like)
        layout.addWidget(values)
        layout.addWidget(buttons)
        layout.addWidget(self.sentence)

    @Slot()
    def _show(self) -> None:
        """Show the values of the selection."""
        first, end = self._timeline.selection
        preview, shaped = self._session.preview, self._session.shaped
        there = preview is not None and shaped is not None and first < end <= len(preview.phonemes)
        for widget in (self.say_like, self.duration, self.pitch, self.energy, *self.presets.values()):
            widget.setEnabled(there)
        self.say_like.offer(self._session.symbols)
        self.readings.setEnabled(self._word is not None)
        if not there or preview is None or shaped is None:
            self.heading.setText("Click a word or a phoneme to change it.")
            for box in (self.duration, self.pitch, self.energy):
                box.clear()
            return
        self.heading.setText(self._description(shaped, first, end))
        step = 1000 / preview.frames_per_second
        self.duration.setSingleStep(step)
        scales = [change_at(self._session.edit, index).energy.scale for index in range(first, end)]
        hz = mean_pitch(preview, first, end)
        self.pitch.setEnabled(hz > 0)
        for box, value in (
            (self.duration, float(preview.frames[first:end].sum()) * step),
            (self.pitch, hz),
            (self.energy, float(np.mean(scales)) * PERCENT),
        ):
            box.blockSignals(True)
            box.setValue(value)
            box.blockSignals(False)

    @property
    def _word(self) -> WrittenWord | None:
        """The word of the selected phonemes."""
        shaped, (first, end) = self._session.shaped, self._timeline.selection
        return word_of(shaped, first, end) if shaped is not None and first < end else None

    def _description(self, shaped: Utterance, first: int, end: int) -> str:
        """Describe the selection: its word if it has one, its phonemes, and their source."""
        word = word_of(shaped, first, end)
        phonemes = shaped.phonemes[first:end]
        if word is None:
            return f"/{phonemes}/"
        return f"{self._session.text[word.start : word.end]}: /{phonemes}/, {self._source(word, first, end)}"

    def _source(self, word: WrittenWord, first: int, end: int) -> str:
        respelled = shaping.respelled_phonemes(self._session.edit)
        if any(first <= index < end for index in respelled):
            return "changed by you"
        name, _, rule = word.source.partition(": ")
        return f"from the rule for {rule}" if name == "rule" else _SOURCES.get(name, word.source)

    @Slot(str)
    def _on_entered(self, text: str) -> None:
        shaped = self._session.shaped
        first, end = self._timeline.selection
        if shaped is None or first == end:
            return
        word = word_of(shaped, first, end)
        span = (word.first_phoneme, word.end_phoneme) if word is not None else (first, end)
        symbols = symbols_in(text)
        if symbols is not None:
            self._respell(span, symbols)
        else:
            self._respelled = span
            self._session.say_like(text)

    @Slot()
    def _on_everywhere(self) -> None:
        """Save the typed pronunciation, or else the current phonemes, as the pronunciation of the word."""
        shaped, word = self._session.shaped, self._word
        if word is None or shaped is None or not self.say_like.valid:
            return
        said = self.say_like.line.text().strip() or f"/{shaped.phonemes[word.first_phoneme : word.end_phoneme]}/"
        self.said_everywhere.emit(self._session.text[word.start : word.end], said)
        self.say_like.line.clear()

    @Slot(str)
    def _on_found(self, phonemes: str) -> None:
        if self._respelled is not None and phonemes:
            self._respell(self._respelled, phonemes.rstrip(".!?"))
        self._respelled = None

    @Slot()
    def _find_readings(self) -> None:
        """Fill the menu of alternatives, once the engine has found them."""
        self.readings.menu().clear()
        if (word := self._word) is not None:
            self.readings.menu().addAction("Looking Up…").setEnabled(False)
            self._session.find_readings(word)

    @Slot(object)
    def _show_readings(self, readings: Sequence[WordReading]) -> None:
        shaped, word, menu = self._session.shaped, self._word, self.readings.menu()
        menu.clear()
        if word is None or shaped is None:
            return
        span = (word.first_phoneme, word.end_phoneme)
        for reading in readings:
            action = menu.addAction(f"/{reading.phonemes}/  {_reading_source(reading)}")
            action.setCheckable(True)
            action.setChecked(reading.phonemes == shaped.phonemes[slice(*span)])
            action.triggered.connect(lambda _=False, symbols=reading.phonemes: self._respell(span, symbols))
        if not readings:
            menu.addAction("No Alternatives").setEnabled(False)

    def _respell(self, span: tuple[int, int], symbols: str) -> None:
        edit = shaping.respelled(self._session.edit, *span, symbols)
        self._session.change(edit, "Change Pronunciation")
        self.said_like.emit()

    @Slot(float)
    def _on_duration(self, milliseconds: float) -> None:
        preview, (first, end) = self._session.preview, self._timeline.selection
        if preview is not None and first < end:
            old, fps = preview.frames[first:end], preview.frames_per_second
            edit = shaping.with_total_frames(self._session.edit, first, round(milliseconds / 1000 * fps), old, fps)
            self._session.change(edit, "Change Duration")

    @Slot(float)
    def _on_pitch(self, hz: float) -> None:
        preview, (first, end) = self._session.preview, self._timeline.selection
        if preview is not None and first < end and (old := mean_pitch(preview, first, end)) > 0:
            factors = dict.fromkeys(range(first, end), hz / old)
            self._session.change(shaping.with_pitch_scaled(self._session.edit, factors), "Change Pitch")

    @Slot(float)
    def _on_energy(self, percent: float) -> None:
        first, end = self._timeline.selection
        if self._session.shaped is not None and first < end:
            edit = self._session.edit
            scales = [change_at(edit, index).energy.scale for index in range(first, end)]
            factor = percent / PERCENT / max(float(np.mean(scales)), MIN_SCALE)
            changed = shaping.with_energy_scaled(edit, dict.fromkeys(range(first, end), factor))
            self._session.change(changed, "Change Energy")


class SentenceFields(WrappingBar):
    """The fields for the gain of the whole sentence and the pause after it."""

    def __init__(self, session: EditorSession) -> None:
        super().__init__()
        self._session = session
        self.gain = QDoubleSpinBox(decimals=1, minimum=-MAX_GAIN_DB, maximum=MAX_GAIN_DB, suffix=" dB")
        self.pause = QDoubleSpinBox(decimals=2, minimum=DEFAULT_PAUSE, maximum=MAX_PAUSE_SECONDS, suffix=" s")
        self.pause.setSpecialValueText("Usual")
        self.pause.setSingleStep(-DEFAULT_PAUSE)
        for name, box in (("Sentence Gain", self.gain), ("Pause After It", self.pause)):
            box.setAccessibleName(name)
            box.setKeyboardTracking(False)
            label = QLabel(name)
            label.setBuddy(box)
            self.add(label, box)
        self.gain.valueChanged.connect(self._on_gain)
        self.pause.valueChanged.connect(self._on_pause)
        session.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        there = self._session.utterance is not None
        pause = self._session.edit.pause_seconds if there else None
        for box, value in (
            (self.gain, self._session.edit.gain_db if there else 0.0),
            (self.pause, DEFAULT_PAUSE if pause is None else pause),
        ):
            box.setEnabled(there)
            box.blockSignals(True)
            box.setValue(value)
            box.blockSignals(False)

    @Slot(float)
    def _on_gain(self, decibels: float) -> None:
        self._session.change(replace(self._session.edit, gain_db=decibels), "Change Gain")

    @Slot(float)
    def _on_pause(self, seconds: float) -> None:
        pause = seconds if seconds >= 0 else None
        self._session.change(replace(self._session.edit, pause_seconds=pause), "Change Pause")


def word_of(utterance: Utterance, first: int, end: int) -> WrittenWord | None:
    """Return the word that contains phonemes; None if they are in several, or in none."""
    words = (each for each in utterance.words if each.first_phoneme <= first and end <= each.end_phoneme)
    return next(words, None)


def _reading_source(reading: WordReading) -> str:
    accent = "British" if reading.british else "American"
    if reading.source == PronunciationSource.LEXICON:
        return f"{accent}, {reading.form}" if reading.form else accent
    return f"{accent}, {'letters' if reading.source == PronunciationSource.LETTERS else 'by its spelling'}"


def mean_pitch(preview: SentencePreview, first: int, end: int) -> float:
    """Return the mean pitch of phonemes in Hz; 0 if they are unvoiced."""
    values = preview.pitch[preview.values_of(first).start : preview.values_of(end - 1).stop]
    voiced = values[values > VOICED_ABOVE_HZ]
    return float(voiced.mean()) if len(voiced) else 0.0


def _spin_box(name: str, unit: str, smallest: float, largest: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox(decimals=0, minimum=0 if unit == " Hz" else smallest, maximum=largest, suffix=unit)
    box.setAccessibleName(name)
    box.setKeyboardTracking(False)
    return box
