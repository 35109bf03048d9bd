"""Plays single sounds, once or looped, such as one of two compared waveforms, instead of the speech."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.time_range import SAMPLE
from app.audio.track import Segment
from engine.speech import Samples

ENDLESS = 1 << 62
"""The length of a loop: longer than any listening session."""
SEAM_SECONDS = 0.005
"""The length of the crossfade from the end of a loop to its start, which avoids a click."""
FULL_SCALE = 1.0


@dataclass(frozen=True)
class SoundPart:
    """Samples `start` to `end` of a sound."""

    start: int
    end: int


class LoopedSound:
    """A sound that a player plays like a track; it has one speed throughout.

    Positions count samples played since the start of the part; `place_of` converts them to samples of the sound.
    """

    ends = True

    def __init__(self, samples: Samples, sample_rate_hz: int, part: SoundPart | None = None) -> None:
        self.sample_rate_hz = sample_rate_hz
        self._part = part
        self._samples = _limited(samples)

    @property
    def length(self) -> int:
        """The number of samples to play."""
        return ENDLESS if self._round else len(self._samples)

    def replace(self, samples: Samples) -> None:
        """Replace the sound by a different one [n], at the same place."""
        self._samples = _limited(samples)

    def place_of(self, position: int) -> int:
        """Return the sample of the sound that is played at this position."""
        part = self._round
        return part.start + position % (part.end - part.start) if part is not None else position

    def position_of(self, place: int) -> int:
        """Return the position of a sample of the sound in the first round; the part's start if outside it."""
        part = self._round
        if part is None:
            return min(max(place, 0), len(self._samples))
        return place - part.start if part.start <= place < part.end else 0

    def end_at(self, position: int) -> int:
        """Return the length: all samples are available."""
        return self.length

    def read(self, start: int, limit: int) -> Samples:
        """Return at most `limit` samples from `start`; empty at the end."""
        part = self._round
        end = start + limit if part is None else min(start + limit, _end_of_round(start, part))
        return self.between(start, end)

    def between(self, start: int, end: int) -> Samples:
        """Return the samples from `start` to `end`, or to the end of the sound, in one array."""
        part = self._round
        if part is None:
            return self._samples[start:end]
        return self._one_round(part)[np.arange(start, end) % (part.end - part.start)]

    def segment_at(self, position: int) -> Segment | None:
        """Return None: the sound has the voice's own pace."""
        return None

    @property
    def _round(self) -> SoundPart | None:
        """The loop range, clipped to the sound."""
        if self._part is None:
            return None
        start, end = max(self._part.start, 0), min(self._part.end, len(self._samples))
        return SoundPart(start, end) if start < end else None

    def _one_round(self, part: SoundPart) -> Samples:
        """Return the part, with the samples after it faded out over its beginning."""
        sound = self._samples[part.start : part.end].copy()
        after = self._samples[part.end : part.end + round(SEAM_SECONDS * self.sample_rate_hz)][: len(sound)]
        rising = (np.arange(len(after), dtype=np.float32) + 0.5) / max(len(after), 1)
        sound[: len(after)] = sound[: len(after)] * rising + after * (1 - rising)
        return sound


def _end_of_round(position: int, part: SoundPart) -> int:
    length = part.end - part.start
    return (position // length + 1) * length


def _limited(samples: Samples) -> Samples:
    return np.clip(np.nan_to_num(samples), -FULL_SCALE, FULL_SCALE).astype(np.float32)


class SoundPlayer(QObject):
    """Takes the device from the speech's player, and releases it when that player plays.

    `ended` is emitted when a sound was played to its end; `place_changed` carries the sample of the sound that is
    playing.
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
        self._awaited: LoopedSound | None = None  # the sound whose end is expected, unless it is stopped before
        self._player.playback_changed.connect(self._on_playback)
        self._player.position_changed.connect(self._on_position)
        self._player.failed.connect(self.failed)
        speech.playback_changed.connect(self._on_speech)

    @property
    def playing(self) -> bool:
        """True while a sound is playing."""
        return self._player.playback is Playback.PLAYING

    @property
    def place(self) -> int:
        """The sample of the sound that is playing, or was last."""
        return self._sound.place_of(self._player.position) if self._sound is not None else 0

    def play(self, samples: Samples, sample_rate_hz: int, part: SoundPart | None = None, start: int = 0) -> None:
        """Play a sound [n], limited to full scale, from `start`, replacing the current playback.

        If a `part` is given, it is repeated until the next playback or `stop`.
        """
        self._speech.release()
        self.stop()
        self._sound = LoopedSound(samples, sample_rate_hz, part)
        self._player.load(self._sound)
        self._player.seek(self._sound.position_of(start))
        self._awaited = self._sound
        self._player.play()

    def switch(self, samples: Samples) -> None:
        """Crossfade to a different sound [n] at the current position."""
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
            self.ended.emit()  # first, so that a listener that starts the next sound sees no silence in between
        self.playing_changed.emit(self.playing)

    @Slot(SAMPLE)
    def _on_position(self, position: int) -> None:
        if self._sound is not None:
            self.place_changed.emit(self._sound.place_of(position))

    @Slot(object)
    def _on_speech(self, playback: Playback) -> None:
        if playback is Playback.PLAYING:
            self.stop()
