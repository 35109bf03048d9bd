"""What is done to a waveform after the model: silence trimmed, level kept below clipping, a pause added.

It does not know where the samples come from or where they go.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples

SILENCE_BELOW_LOUDEST_DB = 40.0
"""A window this far below the loudest window is silence."""
WINDOW_SECONDS = 0.01
KEPT_SILENCE_SECONDS = 0.03
"""Left at both ends, so that soft onsets and releases are not cut."""
FADE_SECONDS = 0.005
PEAK_LIMIT = 0.99


def finish_utterance(samples: Samples, sample_rate_hz: int, pause_seconds: float) -> Samples:
    """Trim, limit and close an utterance with its pause; `samples` [n] float32, any n."""
    kept = _faded(trim_silence(samples, sample_rate_hz), sample_rate_hz)
    pause = np.zeros(round(pause_seconds * sample_rate_hz), np.float32)
    return np.concatenate([limit_peak(kept), pause])


def trim_silence(samples: Samples, sample_rate_hz: int) -> Samples:
    """Drop silence at both ends, less a short margin; all-silent input is returned as it is."""
    window = max(1, round(WINDOW_SECONDS * sample_rate_hz))
    energy = _window_energy(samples, window)
    threshold = energy.max(initial=0.0) * 10 ** (-SILENCE_BELOW_LOUDEST_DB / 10)
    loud = np.flatnonzero(energy > threshold)
    if not len(loud):
        return samples
    margin = round(KEPT_SILENCE_SECONDS * sample_rate_hz)
    return samples[max(0, loud[0] * window - margin) : (loud[-1] + 1) * window + margin]


def limit_peak(samples: Samples) -> Samples:
    """Scale a waveform that would clip down to the limit; quieter ones stay untouched."""
    peak = float(np.abs(samples).max(initial=0.0))
    return samples if peak <= PEAK_LIMIT else (samples * np.float32(PEAK_LIMIT / peak)).astype(np.float32)


def _window_energy(samples: Samples, window: int) -> NDArray[np.float64]:
    padded = np.pad(samples.astype(np.float64), (0, -len(samples) % window))
    return np.asarray(np.square(padded).reshape(-1, window).mean(axis=1))


def _faded(samples: Samples, sample_rate_hz: int) -> Samples:
    count = min(round(FADE_SECONDS * sample_rate_hz), len(samples) // 2)
    faded = samples.copy()
    ramp = np.linspace(0, 1, count, endpoint=False, dtype=np.float32)
    faded[:count] *= ramp
    faded[len(faded) - count :] *= ramp[::-1]
    return faded
