"""A signal reduced to the columns of a picture: its envelope and its spectrogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW_SAMPLES = 1024
_SILENCE = 1e-12
Values = NDArray[np.floating]


@dataclass(frozen=True)
class Envelope:
    """`lowest` and `highest` [columns]; column i covers `edges[i]` to `edges[i + 1]`, counted in values."""

    edges: NDArray[np.int_]
    lowest: Values
    highest: Values


def envelope(signal: Values, start: int, end: int, columns: int) -> Envelope:
    """Values `start` to `end` of a signal [n] in at most `columns` columns; fewer when there are fewer values."""
    start, end = max(start, 0), min(end, len(signal))
    if end <= start:
        nothing = np.zeros(0, np.float32)
        return Envelope(np.zeros(1, int), nothing, nothing)
    count = min(columns, end - start)
    edges = start + np.arange(count + 1) * (end - start) // count
    part = np.asarray(signal[start:end])
    starts = edges[:-1] - start
    return Envelope(edges, np.minimum.reduceat(part, starts), np.maximum.reduceat(part, starts))


def spectrogram_db(samples: NDArray[np.float32], start: int, end: int, columns: int, lines: int) -> NDArray[np.float32]:
    """Decibels [lines, columns] of samples `start` to `end`; the first line is the lowest frequency.

    Each column is the spectrum of a window in its middle; a line is the loudest of its frequencies.
    """
    middles = start + (np.arange(columns) + 0.5) * (end - start) / columns
    first = middles.astype(int) - WINDOW_SAMPLES // 2
    padded = np.pad(samples, WINDOW_SAMPLES)
    positions = first[:, None] + WINDOW_SAMPLES + np.arange(WINDOW_SAMPLES)
    windows = padded[np.clip(positions, 0, len(padded) - 1)] * np.hanning(WINDOW_SAMPLES).astype(np.float32)
    power = np.abs(np.fft.rfft(windows, axis=1)) ** 2
    edges = np.linspace(0, power.shape[1], min(lines, power.shape[1]) + 1).astype(int)[:-1]
    loudest = np.maximum.reduceat(power, edges, axis=1)
    return np.asarray(10 * np.log10(loudest + _SILENCE), np.float32).T
