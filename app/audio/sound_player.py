"""Plays single sounds, such as one of two compared waveforms or their difference, instead of the speech."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.track import AudioTrack
from engine.speech import AudioChunk, Samples, Utterance

FULL_SCALE = 1.0


class SoundPlayer(QObject):
    """Takes the device from the speech's player, and releases it when that player plays.

    `ended` tells that a sound was heard to its end.
    """

    playing_changed = Signal(bool)
    ended = Signal()
    failed = Signal(object)

    def __init__(self, speech: AudioPlayer, output: AudioOutput, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speech = speech
        self._player = AudioPlayer(output, parent=self)
        self._length = 0
        self._player.playback_changed.connect(self._on_playback)
        self._player.failed.connect(self.failed)
        speech.playback_changed.connect(self._on_speech)

    @property
    def playing(self) -> bool:
        """Whether a sound is playing."""
        return self._player.playback is Playback.PLAYING

    def play(self, samples: Samples, sample_rate_hz: int) -> None:
        """Play a sound [n] from its start, limited to full scale, instead of what is being heard."""
        self._speech.release()
        track = AudioTrack()
        limited = np.clip(np.nan_to_num(samples), -FULL_SCALE, FULL_SCALE).astype(np.float32)
        track.append(AudioChunk(Utterance(0, "", "", 0, 0), 1, limited, sample_rate_hz))
        track.finish()
        self._length = track.length
        self._player.load(track)
        self._player.play()

    @Slot()
    def stop(self) -> None:
        """Stop and release the device."""
        self._player.close()

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        if playback is Playback.STOPPED and self._player.position >= self._length:
            self.ended.emit()  # first, so that whoever lets another sound follow is not told of a silence
        self.playing_changed.emit(self.playing)

    @Slot(object)
    def _on_speech(self, playback: Playback) -> None:
        if playback is Playback.PLAYING:
            self._player.close()
