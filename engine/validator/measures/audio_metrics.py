"""Measures the difference of two waveforms as audio: in time, in spectrum, in level.

Every result is finite for any samples: those that are not finite count as silence, as a player would mute them
(`Metrics.finite_percent` shows them), and nothing is quieter than `FLOOR`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array, Samples
from engine.validator.data.results import AudioMetrics
from engine.validator.measures.metrics import is_finite, mean_square

FLOOR = 1e-5
"""100 dB below full scale; anything quieter, in level or in a band, is raised to this."""
MAX_LAG_SECONDS = 0.1
MIN_OVERLAP = 0.5
"""The smallest share of the largest overlap's energy; a lag below it is left out: a few samples always match."""
EQUALLY_GOOD = 1e-10
"""Correlations this close differ by rounding only; the shortest of their lags is taken."""
MEL_BANDS = 80
MEL_WINDOW = 1024
MEL_HOP = 256
STFT_WINDOWS = (512, 1024, 2048)
HOPS_PER_WINDOW = 4
BLOCK_FRAMES = 256

Wave = NDArray[np.float64]
Magnitudes = NDArray[np.float64]


def compare_audio(ours: Array, reference: Array, sample_rate_hz: int) -> AudioMetrics:
    """Compare two waveforms [samples] of any lengths, full scale 1; raises `ValueError` for any other rank.

    - `best_lag_correlation`, `lag_samples`: see `best_lag`.
    - `log_mel_l1`, `multi_resolution_stft`: see there; over the samples that both have, from the start.
    - `level_difference_db`: 20 log10 of our rms over the reference's, each over its whole length.
    """
    if ours.ndim != 1 or reference.ndim != 1:
        raise ValueError(f"Waveforms have one axis; these have {ours.ndim} and {reference.ndim}.")
    mine, theirs = _audible(ours), _audible(reference)
    common = min(len(mine), len(theirs))
    correlation, lag = best_lag(mine, theirs, round(MAX_LAG_SECONDS * sample_rate_hz))
    return AudioMetrics(
        best_lag_correlation=correlation,
        lag_samples=lag,
        log_mel_l1=log_mel_l1(mine[:common], theirs[:common], sample_rate_hz),
        multi_resolution_stft=multi_resolution_stft(mine[:common], theirs[:common]),
        level_difference_db=_level_db(mine) - _level_db(theirs),
    )


def best_lag(ours: Wave, reference: Wave, max_lag: int) -> tuple[float, int]:
    """Return the largest correlation of any lag up to `max_lag` samples either way, and that lag.

    The lag is positive if ours is later. The correlation of a lag is the sum of products over the overlap, divided by
    the root of the product of both overlaps' energies: 1 for equal shapes, at any level. Lags whose overlap holds less
    than half the energy of the overlap with the most are left out. Of equally good lags the shortest is taken. Two
    silent waveforms correlate at 1, a silent one with any other at 0.
    """
    reach = min(len(ours), len(reference)) + max_lag
    ours, reference = ours[:reach], reference[:reach]  # samples beyond never overlap
    silent = [mean_square(wave) == 0 for wave in (ours, reference)]
    if any(silent):
        return float(all(silent)), 0
    lags = np.arange(max(-max_lag, 1 - len(reference)), min(max_lag, len(ours) - 1) + 1)
    energy = _overlap_energy(ours, reference, lags)
    products = _correlated(ours, reference, lags)
    least = MIN_OVERLAP * energy.max()
    correlation = np.where(energy >= least, products / np.maximum(energy, least), -np.inf)
    good = np.flatnonzero(correlation >= correlation.max() - EQUALLY_GOOD)
    best = good[np.argmin(np.abs(lags[good]))]
    return float(np.clip(correlation[best], -1, 1)), int(lags[best])


def log_mel_l1(ours: Wave, reference: Wave, sample_rate_hz: int) -> float:
    """Return the mean absolute difference of the natural logarithms of two mel spectrograms of equal lengths.

    Magnitudes (a sine's is its amplitude) in 80 triangular bands of equal width on the HTK mel scale, 2595 log10(1 + f
    / 700), from 0 to half the sample rate, each the weighted mean of its bins; window 1024, hop 256.
    """
    bands = _mel_bands(sample_rate_hz)
    total, count = 0.0, 0
    for mine, theirs in _spectra(ours, reference, MEL_WINDOW, MEL_HOP):
        difference = _log(mine @ bands) - _log(theirs @ bands)
        total += float(np.abs(difference).sum())
        count += difference.size
    return total / max(1, count)


def multi_resolution_stft(ours: Wave, reference: Wave) -> float:
    """Return the distance of two waveforms of equal lengths in STFTs of three windows: the mean over them.

    In each: spectral convergence (the norm of the magnitudes' difference over the norm of the reference's, or of the
    floor if that is larger) plus the mean absolute difference of the magnitudes' natural logarithms. Formula: Yamamoto,
    Song, Kim, "Parallel WaveGAN", ICASSP 2020, equations 4 to 6, there as a training loss. Here the Hann windows are
    512, 1024 and 2048 samples long, with hops of a quarter.
    """
    return float(np.mean([_stft_distance(ours, reference, window) for window in STFT_WINDOWS]))


def _stft_distance(ours: Wave, reference: Wave, window: int) -> float:
    error = power = logarithms = 0.0
    count = 0
    for mine, theirs in _spectra(ours, reference, window, window // HOPS_PER_WINDOW):
        error += float(np.square(mine - theirs).sum())
        power += float(np.square(theirs).sum())
        logarithms += float(np.abs(_log(mine) - _log(theirs)).sum())
        count += mine.size
    if not count:
        return 0.0
    return math.sqrt(error) / max(math.sqrt(power), FLOOR * math.sqrt(count)) + logarithms / count


def _spectra(ours: Wave, reference: Wave, window: int, hop: int) -> Iterator[tuple[Magnitudes, Magnitudes]]:
    """Yield magnitudes of both [frames, bins], some frames at a time, none for empty waveforms.

    Frames are centered on every `hop`-th sample until the last sample is covered; there is silence beyond both ends.
    """
    frames = 1 + -(-(len(ours) - 1) // hop) if len(ours) else 0
    shape = _hann(window)
    padded = [_padded(wave, window // 2, (frames - 1) * hop + window) for wave in (ours, reference)]
    for first in range(0, frames, BLOCK_FRAMES):
        starts = slice(first * hop, min(first + BLOCK_FRAMES, frames) * hop, hop)
        mine, theirs = (
            _magnitudes(np.lib.stride_tricks.sliding_window_view(wave, window)[starts] * shape) for wave in padded
        )
        yield mine, theirs


def _magnitudes(frames: NDArray[np.float64]) -> Magnitudes:
    spectrum = np.fft.rfft(frames)
    return np.asarray(np.sqrt(np.square(spectrum.real) + np.square(spectrum.imag)))


def _hann(window: int) -> Wave:
    """Return a Hann window scaled so that a sine's magnitude is its amplitude, for any window length."""
    shape = np.square(np.sin(np.pi / window * np.arange(window)))
    return np.asarray(2 * shape / shape.sum())


def _padded(wave: Wave, before: int, length: int) -> Wave:
    return np.pad(wave, (before, max(0, length - before - len(wave))))


def mel_of_hz(frequency_hz: float) -> float:
    """Convert a frequency to the mel scale; formula: O'Shaughnessy, "Speech Communication", 1987."""
    return 2595 * math.log10(1 + frequency_hz / 700)


def hz_of_mel(mel: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Convert places on the mel scale to frequencies."""
    return np.asarray(700 * (10 ** (np.asarray(mel) / 2595) - 1))


def _mel_bands(sample_rate_hz: int) -> NDArray[np.float64]:
    """Return weights [bins, bands], each band's adding up to 1; a band too narrow for any bin has none."""
    borders_hz = hz_of_mel(np.linspace(0, mel_of_hz(sample_rate_hz / 2), MEL_BANDS + 2))
    bins_hz = np.fft.rfftfreq(MEL_WINDOW, 1 / sample_rate_hz)[:, None]
    low, middle, high = borders_hz[:-2], borders_hz[1:-1], borders_hz[2:]
    weights = np.maximum(0, np.minimum((bins_hz - low) / (middle - low), (high - bins_hz) / (high - middle)))
    return np.asarray(weights / np.maximum(weights.sum(axis=0), np.finfo(np.float64).tiny))


def _log(magnitudes: Magnitudes) -> NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(magnitudes, FLOOR)))


def _overlap_energy(ours: Wave, reference: Wave, lags: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the root of the product of both energies in the overlap at each lag."""
    ours_until, reference_until = (np.concatenate([[0.0], np.cumsum(np.square(wave))]) for wave in (ours, reference))
    first = np.maximum(lags, 0)
    last = np.minimum(len(ours), len(reference) + lags)
    mine = ours_until[last] - ours_until[first]
    theirs = reference_until[last - lags] - reference_until[first - lags]
    return np.asarray(np.sqrt(mine) * np.sqrt(theirs))


def _correlated(ours: Wave, reference: Wave, lags: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of products at each lag; zeros keep the ends from meeting in the circular transform."""
    size = 1 << (max(len(ours), len(reference)) + int(np.abs(lags).max())).bit_length()
    spectrum = np.fft.rfft(ours, size) * np.conj(np.fft.rfft(reference, size))
    return np.asarray(np.fft.irfft(spectrum, size)[lags])


def _audible(samples: Array) -> Wave:
    """Return the samples in float64, with 0 for those that are not finite."""
    return np.where(is_finite(samples), samples, 0).astype(np.float64)


def _level_db(wave: Wave) -> float:
    return 20 * math.log10(max(math.sqrt(mean_square(wave)), FLOOR))


WINDOW_SAMPLES = 1024
_SILENCE = 1e-12
Decibels = NDArray[np.float32]


def spectrogram_db(samples: Samples, sample_rate_hz: float, start: int, end: int, columns: int, lines: int) -> Decibels:
    """Return decibels [lines, columns] of samples `start` to `end` of a waveform.

    The first line is the lowest frequency. Each column is the spectrum of a window in its middle; a line is the loudest
    of its frequencies.
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
    """Return the borders of the lines [lines + 1] in Hz, from 0 to half the sample rate."""
    return hz_of_mel(np.linspace(0, mel_of_hz(sample_rate_hz / 2), lines + 1))


def height_of_hz(frequency_hz: float, sample_rate_hz: float) -> float:
    """Return the height of a frequency in the picture, from 0 to 1."""
    return float(mel_of_hz(frequency_hz) / mel_of_hz(sample_rate_hz / 2))


def hz_at_height(height: float, sample_rate_hz: float) -> float:
    """Return the frequency at a height from 0 to 1."""
    return float(hz_of_mel(height * mel_of_hz(sample_rate_hz / 2)))
