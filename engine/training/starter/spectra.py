"""Computes the spectra that the training stages compare: complex, magnitudes and log-mel bands, and distances."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import torch

from engine.config import ModelConfig

MEL_FLOOR = 1e-2
DISTANCE_BANDS, DISTANCE_FFT, DISTANCE_HOP = 80, 1024, 256
CEPSTRAL_BANDS = 40
CEPSTRAL_COEFFICIENTS = 13
ACTIVE_BELOW_PEAK = 5.0
"""The distance to the loudest frame, in mean log-mel, within which frames count as speech."""


@lru_cache(maxsize=32)
def window(length: int) -> torch.Tensor:
    """Return a Hann window."""
    return torch.hann_window(length)


@lru_cache(maxsize=32)
def mel_filters(bands: int, fft: int, rate_hz: int, top_hz: float) -> torch.Tensor:
    """Return triangular filters [bands, fft // 2 + 1], equally spaced on the mel scale 2595 log10(1 + f / 700)."""
    edges_mel = np.linspace(0, 2595 * math.log10(1 + top_hz / 700), bands + 2)
    edges = 700 * (10 ** (edges_mel / 2595) - 1)
    bins = np.linspace(0, rate_hz / 2, fft // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return torch.tensor(np.maximum(0, np.minimum(rising, falling)), dtype=torch.float32)


def spectrum(samples: torch.Tensor, fft: int, hop: int, length: int | None = None) -> torch.Tensor:
    """Return the complex spectrum [..., fft // 2 + 1, columns]."""
    length = length or fft
    return torch.stft(samples, fft, hop, length, window(length), return_complex=True)


def magnitude(samples: torch.Tensor, fft: int, hop: int, length: int | None = None) -> torch.Tensor:
    """Return the magnitude spectrum [..., fft // 2 + 1, columns], smooth at zero."""
    values = spectrum(samples, fft, hop, length)
    return torch.sqrt(values.real**2 + values.imag**2 + 1e-9)


def log_mel(
    samples: torch.Tensor, bands: int, fft: int, hop: int, config: ModelConfig, length: int | None = None
) -> torch.Tensor:
    """Return the natural log of mel-band magnitudes up to half the sample rate, [..., bands, columns]."""
    filters = mel_filters(bands, fft, config.sample_rate_hz, config.sample_rate_hz / 2)
    return torch.log(filters @ magnitude(samples, fft, hop, length) + MEL_FLOOR)


def log_mel_distance(ours: torch.Tensor, wanted: torch.Tensor, config: ModelConfig) -> torch.Tensor:
    """Return the mean distance of two time-aligned signals in log-mel bands (natural logarithm).

    The evaluation reports this figure.
    """
    bands = (log_mel(signal, DISTANCE_BANDS, DISTANCE_FFT, DISTANCE_HOP, config) for signal in (ours, wanted))
    left, right = bands
    return (left - right).abs().mean()


def mel_cepstral_distortion_db(
    ours: npt.NDArray[np.float32], theirs: npt.NDArray[np.float32], config: ModelConfig
) -> float:
    """Return the mean mel-cepstral distortion, in dB, of two aligned signals over frames with speech in the second.

    Coefficients 1 to 13 of a DCT-II over 40 log-mel bands up to 8 kHz; 10 / ln 10 * sqrt(2 * sum of squares).
    """
    length = min(len(ours), len(theirs))
    left, right = (_narrow_log_mel(signal[:length], config) for signal in (ours, theirs))
    level = right.mean(0)
    speaks = level > level.max() - ACTIVE_BELOW_PEAK
    difference = _cosines() @ (left - right)
    distortion = (difference**2).sum(0).sqrt()[speaks]
    return float(distortion.mean() * 10 / math.log(10) * math.sqrt(2))


def _narrow_log_mel(samples: npt.NDArray[np.float32], config: ModelConfig) -> torch.Tensor:
    filters = mel_filters(CEPSTRAL_BANDS, 1024, config.sample_rate_hz, 8000.0)
    spectrum = magnitude(torch.from_numpy(samples), 1024, config.samples_per_f0_value)
    return torch.log(filters @ spectrum + MEL_FLOOR)


def _cosines() -> torch.Tensor:
    positions = torch.arange(CEPSTRAL_BANDS) + 0.5
    orders = torch.arange(1, CEPSTRAL_COEFFICIENTS + 1)
    return torch.cos(math.pi / CEPSTRAL_BANDS * orders[:, None] * positions) * 2 / CEPSTRAL_BANDS
