"""Plays single sounds, such as one of two compared waveforms or their difference, instead of the speech."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.looped_sound import LoopedSound, Part
from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.time_range import SAMPLE
from engine.speech import Samples


class SoundPlayer(QObject):
    """Takes the device from the speech's player, and releases it when that player plays.

    `ended` tells that a sound was heard to its end; `place_changed` carries the sample of the sound that is heard.
    """

    playing_changed = Signal(bool)
    place_changed = Signal(SAMPLE)
    ended = Signal()
    failed = Signal(object)

    def __init__(self, speech: AudioPlayer, output: AudioOutput, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speech = speech
        self._player = AudioPlayer(output, parent=self)
        self._sound: LoopedSound | None = None
        self._awaited: LoopedSound | None = None  # whose end comes, unless it is stopped before
        self._player.playback_changed.connect(self._on_playback)
        self._player.position_changed.connect(self._on_position)
        self._player.failed.connect(self.failed)
        speech.playback_changed.connect(self._on_speech)

    @property
    def playing(self) -> bool:
        """Whether a sound is playing."""
        return self._player.playback is Playback.PLAYING

    @property
    def place(self) -> int:
        """The sample of the sound that is heard, or was last."""
        return self._sound.place_of(self._player.position) if self._sound is not None else 0

    def play(self, samples: Samples, sample_rate_hz: int, part: Part | None = None, start: int = 0) -> None:
        """Play a sound [n], limited to full scale, from `start`, instead of what is being heard.

        If a `part` is given, that is played again and again until something else is wanted.
        """
        self._speech.release()
        self.stop()
        self._sound = LoopedSound(samples, sample_rate_hz, part)
        self._player.load(self._sound)
        self._player.seek(self._sound.position_of(start))
        self._awaited = self._sound
        self._player.play()

    def switch(self, samples: Samples) -> None:
        """Play another sound [n] on from the place that is heard; the one goes over into the other without a click."""
        if self._sound is not None and self.playing:
            self._sound.replace(samples)
            self._player.play_anew()

    @Slot()
    def stop(self) -> None:
        """Stop and release the device."""
        self._awaited = None
        self._player.close()

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        whole = self._awaited is not None and self._player.position >= self._awaited.length
        if playback is Playback.STOPPED and whole:
            self.ended.emit()  # first, so that whoever lets another sound follow is not told of a silence
        self.playing_changed.emit(self.playing)

    @Slot(SAMPLE)
    def _on_position(self, position: int) -> None:
        if self._sound is not None:
            self.place_changed.emit(self._sound.place_of(position))

    @Slot(object)
    def _on_speech(self, playback: Playback) -> None:
        if playback is Playback.PLAYING:
            self.stop()
