"""How loud which frequencies are along a waveform, in so many columns and lines.

It does not know how it is coloured.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WINDOW_SAMPLES = 1024
QUIETEST_DB = -90.0
_SILENCE = 1e-12


def spectrogram_db(samples: NDArray[np.float32], start: int, end: int, columns: int, lines: int) -> NDArray[np.float32]:
    """Decibels [lines, columns] of samples `start` to `end`; the first line is the lowest frequency.

    Each column is the spectrum of a window in its middle; a line is the loudest of its frequencies.
    """
    middles = start + (np.arange(columns) + 0.5) * (end - start) / columns
    first = middles.astype(int) - WINDOW_SAMPLES // 2
    padded = np.pad(samples, WINDOW_SAMPLES)
    places = first[:, None] + WINDOW_SAMPLES + np.arange(WINDOW_SAMPLES)
    windows = padded[np.clip(places, 0, len(padded) - 1)] * np.hanning(WINDOW_SAMPLES).astype(np.float32)
    power = np.abs(np.fft.rfft(windows, axis=1)) ** 2
    edges = np.linspace(0, power.shape[1], min(lines, power.shape[1]) + 1).astype(int)[:-1]
    loudest = np.maximum.reduceat(power, edges, axis=1)
    return np.asarray(10 * np.log10(loudest + _SILENCE), np.float32).T
