"""The spectrogram of a waveform at the size of a picture, its lines at equal steps of the mel scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples
from engine.validator.measures.audio_metrics import hz_of_mel, mel_of_hz

WINDOW_SAMPLES = 1024
_SILENCE = 1e-12
Decibels = NDArray[np.float32]


def spectrogram_db(samples: Samples, sample_rate_hz: float, start: int, end: int, columns: int, lines: int) -> Decibels:
    """Decibels [lines, columns] of samples `start` to `end` of a waveform; the first line is the lowest frequency.

    Each column is the spectrum of a window in its middle; a line is the loudest of its frequencies.
    """
    middles = start + (np.arange(columns) + 0.5) * (end - start) / columns
    first = middles.astype(int) - WINDOW_SAMPLES // 2
    padded = np.pad(samples, WINDOW_SAMPLES)
    positions = first[:, None] + WINDOW_SAMPLES + np.arange(WINDOW_SAMPLES)
    windows = padded[np.clip(positions, 0, len(padded) - 1)] * np.hanning(WINDOW_SAMPLES).astype(np.float32)
    power = np.abs(np.fft.rfft(windows, axis=1)) ** 2
    starts = line_edges_hz(sample_rate_hz, lines)[:-1] / sample_rate_hz * WINDOW_SAMPLES
    loudest = np.maximum.reduceat(power, np.rint(starts).astype(int), axis=1)
    return np.asarray(10 * np.log10(loudest + _SILENCE), np.float32).T


def line_edges_hz(sample_rate_hz: float, lines: int) -> NDArray[np.float64]:
    """The borders of the lines [lines + 1] in Hz, from 0 to half the sample rate."""
    return hz_of_mel(np.linspace(0, mel_of_hz(sample_rate_hz / 2), lines + 1))


def height_of_hz(frequency_hz: float, sample_rate_hz: float) -> float:
    """How high in the picture a frequency is, from 0 to 1."""
    return float(mel_of_hz(frequency_hz) / mel_of_hz(sample_rate_hz / 2))


def hz_at_height(height: float, sample_rate_hz: float) -> float:
    """The frequency at a height from 0 to 1."""
    return float(hz_of_mel(height * mel_of_hz(sample_rate_hz / 2)))
