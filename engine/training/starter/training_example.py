"""Defines a training example, from one utterance of the teacher: every value from tokens to audio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PCM_PEAK = 32767


@dataclass(frozen=True)
class Sound:
    """The audio of an utterance.

    `pcm` [samples], 16 bit; `harmonics` [STFT frames, channels], float16: the output of the teacher's harmonic source
    to its decoder, and so the excitation that the student shares.
    """

    pcm: npt.NDArray[np.int16]
    harmonics: npt.NDArray[np.float16]

    @property
    def samples(self) -> npt.NDArray[np.float32]:
        """The audio in [-1, 1]."""
        return self.pcm.astype(np.float32) / np.float32(PCM_PEAK)


@dataclass(frozen=True)
class TrainingExample:
    """One utterance as the teacher speaks it.

    `tokens` and `durations_frames` [tokens], borders included; `duration_logits` [tokens, longest duration]; `f0_hz`
    and `energy` [2 frames]; `sound` is None if only the text side was requested.
    """

    text: str
    phonemes: str
    tokens: npt.NDArray[np.int32]
    durations_frames: npt.NDArray[np.int32]
    duration_logits: npt.NDArray[np.float16]
    f0_hz: npt.NDArray[np.float32]
    energy: npt.NDArray[np.float32]
    sound: Sound | None = None

    @property
    def frames(self) -> int:
        """The length of the utterance in frames."""
        return int(self.durations_frames.sum())
