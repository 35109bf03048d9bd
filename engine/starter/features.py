"""What the model learns from one utterance: tokens, durations, F0, energy and samples, all on the frame grid."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.signal import resample_poly

from engine.config import ModelConfig
from engine.starter.alignment import BORDER, Alignment, Pronounce, align_utterance
from engine.starter.spectra import energy_curve
from engine.starter.teachers.speech import TeacherSpeech, trim_silence

OPENING_SECONDS = 0.1
CLOSING_SECONDS = 0.15
"""Silence kept at the ends of an utterance."""
BORDER_TOKEN = 0
PCM_PEAK = 32767


@dataclass(frozen=True)
class Example:
    """One utterance on the frame grid.

    `tokens` and `durations_frames` [tokens]; `f0_hz` [2 frames], zero where unvoiced; `energy` [2 frames];
    `pcm` [samples per frame x frames], 16 bit, before the voice's gain.
    """

    text: str
    phonemes: str
    tokens: npt.NDArray[np.int64]
    durations_frames: npt.NDArray[np.int64]
    f0_hz: npt.NDArray[np.float32]
    energy: npt.NDArray[np.float32]
    pcm: npt.NDArray[np.int16]

    @property
    def frames(self) -> int:
        """Length of the utterance in frames."""
        return int(self.durations_frames.sum())

    @property
    def samples(self) -> npt.NDArray[np.float32]:
        """The audio in [-1, 1]."""
        return self.pcm.astype(np.float32) / np.float32(PCM_PEAK)


def make_example(
    speech: TeacherSpeech,
    pronounce: Pronounce,
    config: ModelConfig,
    f0_range_hz: tuple[float, float],
    gain: float,
) -> Example:
    """Align an utterance and measure its curves; the samples are multiplied by `gain`."""
    speech = trim_silence(speech, OPENING_SECONDS, CLOSING_SECONDS)
    alignment = align_utterance(speech, pronounce, config.frames_per_second)
    frames = sum(alignment.durations_frames)
    f0 = measure_f0(speech, f0_range_hz, config)
    rate = config.sample_rate_hz
    divisor = int(np.gcd(rate, speech.sample_rate_hz))
    audio = resample_poly(speech.samples, rate // divisor, speech.sample_rate_hz // divisor) * gain
    audio = fit(np.clip(audio, -1.0, 1.0), frames * config.samples_per_frame)
    curve = energy_curve(audio, config)
    values = frames * config.f0_values_per_frame
    return Example(
        speech.text,
        "".join(alignment.symbols),
        token_numbers(alignment, config.vocab),
        np.array(alignment.durations_frames, np.int64),
        fit(f0, values),
        curve[:values].astype(np.float32),
        np.rint(audio * PCM_PEAK).astype(np.int16),
    )


def token_numbers(alignment: Alignment, vocabulary: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Token of each symbol; the borders are token 0."""
    numbers = [BORDER_TOKEN if symbol == BORDER else vocabulary[symbol] for symbol in alignment.symbols]
    return np.array(numbers, np.int64)


def measure_f0(speech: TeacherSpeech, range_hz: tuple[float, float], config: ModelConfig) -> npt.NDArray[np.float32]:
    """F0 by WORLD's DIO refined by StoneMask, in Hz, zero where unvoiced, one value per F0 step of the model."""
    pyworld = _pyworld()
    samples = speech.samples.astype(np.float64)
    period_ms = 1000 * config.samples_per_f0_value / config.sample_rate_hz
    coarse, times = pyworld.dio(
        samples, speech.sample_rate_hz, f0_floor=range_hz[0], f0_ceil=range_hz[1], frame_period=period_ms
    )
    fine = pyworld.stonemask(samples, coarse, times, speech.sample_rate_hz)
    return np.asarray(fine, np.float32)


def fit(values: npt.NDArray[np.floating], length: int) -> npt.NDArray[np.float32]:
    """Cut or zero-pad a curve at its end to `length`."""
    fitted = np.zeros(length, np.float32)
    kept = min(length, len(values))
    fitted[:kept] = values[:kept]
    return fitted


def _pyworld() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyworld

    return pyworld
