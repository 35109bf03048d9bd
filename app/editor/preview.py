"""The durations, pitch and energy that an edit gives a sentence, computed before the engine has spoken it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.speech.engine_worker import SpeechEdited
from engine.config import F0_VALUES_PER_FRAME
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.runtime.edited_curves import edited_frames, with_curves
from engine.speech import Samples, UtteranceEdit


@dataclass(frozen=True)
class SentencePreview:
    """A sentence with an edit: times in seconds from the start of its first phoneme.

    `frames` counts those of each phoneme, `model_frames` the model's own; `edges` [phonemes + 1] are the borders. Pitch
    (in Hz, 0 where unvoiced) and energy have `per_frame` values for each frame.
    """

    phonemes: str
    frames: NDArray[np.int64]
    model_frames: NDArray[np.int64]
    frames_per_second: float
    per_frame: int
    pitch: Samples
    model_pitch: Samples
    energy: Samples

    @property
    def edges(self) -> NDArray[np.float64]:
        """The borders of phonemes."""
        return np.concatenate([[0], np.cumsum(self.frames)]) / self.frames_per_second

    @property
    def seconds(self) -> float:
        """The length of all phonemes."""
        return float(self.frames.sum() / self.frames_per_second)

    @property
    def values_per_second(self) -> float:
        """The values of pitch and energy in a second."""
        return self.per_frame * self.frames_per_second

    def values_of(self, index: int) -> slice:
        """Return the values of pitch and energy of a phoneme."""
        start, end = (self.per_frame * int(self.frames[:count].sum()) for count in (index, index + 1))
        return slice(start, end)

    def phoneme_at(self, seconds: float) -> int:
        """Return the phoneme at a time, or the closest one."""
        return int(np.clip(np.searchsorted(self.edges, seconds, side="right") - 1, 0, len(self.frames) - 1))


def preview_of(spoken: SpeechEdited, edit: UtteranceEdit) -> SentencePreview:
    """Return the preview of an edit whose phonemes are those that were spoken; its durations are exact."""
    contours = spoken.contours
    own = np.asarray(contours.model_frames, np.int64)
    frames = edited_frames(edit.changes, own)
    per_frame, lead = F0_VALUES_PER_FRAME, contours.lead_frames * F0_VALUES_PER_FRAME
    old = np.concatenate([[0], np.cumsum(contours.frames)]) * per_frame + lead
    model_pitch, model_energy = (
        np.concatenate([resampled(curve[old[i] : old[i + 1]], count * per_frame) for i, count in enumerate(frames)])
        for curve, resampled in ((contours.model_pitch, _pitch), (contours.model_energy, _resampled))
    )
    tokens = np.repeat(np.arange(1, len(frames) + 1), frames)
    pitch, energy = with_curves(edit.changes, tokens, model_pitch[None], model_energy[None])
    fps = contours.frames_per_second
    return SentencePreview(spoken.utterance.phonemes, frames, own, fps, per_frame, pitch[0], model_pitch, energy[0])


def speech_start(spoken: SpeechEdited) -> float:
    """Return the time of the first sample of the audio, in seconds from the start of the first phoneme."""
    edges = np.concatenate([[0], np.cumsum(spoken.contours.frames)]) / spoken.contours.frames_per_second
    rate = spoken.chunk.sample_rate_hz
    starts = {each.start: each.first_phoneme for each in spoken.utterance.words}
    for word in spoken.chunk.words:
        if word.start in starts:
            return float(edges[starts[word.start]] - word.start_sample / rate)
    return 0.0


def _resampled(values: Samples, count: int) -> Samples:
    places = np.linspace(0, len(values) - 1, count)
    return np.interp(places, np.arange(len(values)), values).astype(np.float32)


def _pitch(values: Samples, count: int) -> Samples:
    """Return the pitch with as many values; the border between voiced and unvoiced stays sharp."""
    voiced = np.flatnonzero(values > VOICED_ABOVE_HZ)
    if not len(voiced):
        return np.zeros(count, np.float32)
    places = np.linspace(0, len(values) - 1, count)
    pitch = np.interp(places, voiced, values[voiced]).astype(np.float32)
    pitch[values[np.round(places).astype(int)] <= VOICED_ABOVE_HZ] = 0
    return pitch
