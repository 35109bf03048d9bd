"""Connects the playback bar to the player, switches between signals in place, and shows the position in the plots."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, Signal, Slot

from app.audio.sound_player import SoundPart as Stretch
from app.audio.sound_player import SoundPlayer
from app.diagnostics.outputs.drill_down import DrillDown
from app.diagnostics.outputs.listening import AudioSide, PlayedAudio, heard
from app.diagnostics.outputs.time_pane import PaneStack

SHOW_EVERY_MS = 33
SELECTED_SHARE = 0.5
"""The fraction of the view that is selected at first."""
CLIPPED = "Amplified by {gain:.0f} dB; some peaks are clipped."
UNHEARD = "The difference is too small to hear, even at maximum gain."


class ListeningControl(QObject):
    """The playback of audio in the panel; `moved` carries the position in seconds, or None when playback ends."""

    moved = Signal(object)

    def __init__(self, drill_down: DrillDown, sounds: SoundPlayer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drill_down = drill_down
        self._bar = drill_down.listening
        self._sounds = sounds
        self.heard: AudioSide | None = None
        """The part that is playing."""
        self._shown = QElapsedTimer()
        self._shown.start()
        self._bar.part_clicked.connect(self._on_part_clicked)
        self._bar.gain_chosen.connect(self._on_gain)
        self._bar.loop_toggled.connect(self._on_loop)
        self._bar.end_to_end_toggled.connect(self._on_extent)
        self._drill_down.sound_changed.connect(self._on_sound)
        for view in self._views:
            view.part_chosen.connect(self._on_part)
        self._sounds.playing_changed.connect(self._on_playing)
        self._sounds.place_changed.connect(self._on_place)

    @property
    def _views(self) -> tuple[PaneStack, ...]:
        return self._drill_down.signals, self._drill_down.heat_maps

    @Slot(object)
    def _on_part_clicked(self, part: AudioSide) -> None:
        if part is self.heard:
            self._sounds.stop()
            return
        sound = self._sound(part)
        if sound is None:
            self._drill_down.show_message(UNHEARD)
            return
        if self.heard is not None:
            self._sounds.switch(sound.samples)
        else:
            self._play(sound, start=0)
        self._note(part)
        self._drill_down.show_message(CLIPPED.format(gain=sound.gain_db) if sound.clipped else "")

    @Slot(object)
    def _on_gain(self, gain_db: float) -> None:
        if self.heard is AudioSide.DIFFERENCE:
            self._switch(AudioSide.DIFFERENCE)

    @Slot(bool)
    def _on_extent(self, end_to_end: bool) -> None:
        if self.heard is not None:
            self._switch(self.heard)

    def _switch(self, part: AudioSide) -> None:
        """Continue playback of this part with the current settings, or stop if it does not exist."""
        sound = self._sound(part)
        if sound is None:
            self._sounds.stop()
            return
        self._sounds.switch(sound.samples)
        self._drill_down.show_message(CLIPPED.format(gain=sound.gain_db) if sound.clipped else "")

    @Slot(bool)
    def _on_loop(self, loops: bool) -> None:
        start, end = self._drill_down.view.seconds_in_view
        margin = (end - start) * (1 - SELECTED_SHARE) / 2
        self._select((start + margin, end - margin) if loops else None)
        self._play_on()

    @Slot(float, float)
    def _on_part(self, start: float, end: float) -> None:
        self._select((start, end))
        self._play_on()

    def _select(self, part: tuple[float, float] | None) -> None:
        for view in self._views:
            view.select_part(part)

    def _play_on(self) -> None:
        """Continue the same audio at its position, with the current loop range."""
        sound = self._sound(self.heard) if self.heard is not None else None
        if sound is not None:
            part = self.heard
            self._play(sound, start=self._sounds.place)
            self._note(part)

    def _note(self, part: AudioSide | None) -> None:
        """Store the part that is playing, if there is an audio device."""
        self.heard = part if self._sounds.playing else None
        self._bar.show_playing(self.heard)

    def _play(self, sound: PlayedAudio, start: int) -> None:
        rate_hz, part = self._drill_down.sample_rate_hz, self._views[0].part
        stretch = None if part is None else Stretch(round(part[0] * rate_hz), round(part[1] * rate_hz))
        self._sounds.play(sound.samples, rate_hz, stretch, start)

    def _sound(self, part: AudioSide) -> PlayedAudio | None:
        arrays, row = self._drill_down.arrays, self._drill_down.sound
        return heard(arrays, row, part, self._bar.gain_db) if arrays is not None and row is not None else None

    @Slot()
    def _on_sound(self) -> None:
        """Stop, because the panel now shows different audio."""
        self._bar.loop_button.setChecked(False)
        if self.heard is not None:
            self._sounds.stop()

    @Slot(bool)
    def _on_playing(self, playing: bool) -> None:
        if not playing and self.heard is not None:
            self.heard = None
            self._bar.show_playing(None)
            self._show(None)

    @Slot(int)
    def _on_place(self, sample: int) -> None:
        if self.heard is not None and self._shown.hasExpired(SHOW_EVERY_MS):
            self._shown.restart()
            self._show(sample / self._drill_down.sample_rate_hz)

    def _show(self, seconds: float | None) -> None:
        for view in self._views:
            view.show_moment(seconds)
        self.moved.emit(seconds)
