"""Spectral distances between a generated and a wanted waveform.

Frequencies above a teacher's bandwidth are compared without logarithms.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as functional

from engine.config import ModelConfig
from engine.starter.spectra import log_mel, magnitude

FFT_SIZES = (128, 256, 512, 1024, 2048)
LOG_FLOOR = 1e-2


def waveform_losses(
    ours: torch.Tensor, wanted: torch.Tensor, bandwidths_hz: torch.Tensor, config: ModelConfig
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-mel distance at two resolutions, and the mean multi-resolution STFT distance; samples [items, samples].

    `bandwidths_hz` [items] is where each teacher's spectrum ends.
    """
    mel = sum(
        functional.l1_loss(log_mel(ours, bands, fft, hop, config), log_mel(wanted, bands, fft, hop, config))
        for bands, fft, hop in ((80, 1024, 256), (40, 512, 100))
    )
    stft = [stft_distance(ours, wanted, bandwidths_hz, fft, config) for fft in FFT_SIZES]
    return torch.as_tensor(mel), torch.stack(stft).mean()


def stft_distance(
    ours: torch.Tensor, wanted: torch.Tensor, bandwidths_hz: torch.Tensor, fft: int, config: ModelConfig
) -> torch.Tensor:
    """Log-magnitude distance within the teacher's band, spectral convergence, and leakage above the band."""
    scale = math.sqrt(fft) / 16
    left, right = magnitude(ours, fft, fft // 4), magnitude(wanted, fft, fft // 4)
    bins_hz = torch.linspace(0, config.sample_rate_hz / 2, left.shape[1])
    inside = (bins_hz[None] <= bandwidths_hz[:, None]).float()[..., None]
    logs = (torch.log(left / scale + LOG_FLOOR) - torch.log(right / scale + LOG_FLOOR)).abs()
    within = (logs * inside).sum() / (inside.sum() * left.shape[2])
    convergence = (left - right).norm() / right.norm()
    leakage = (left * (1 - inside)).mean() / scale
    return torch.as_tensor(within + 0.5 * convergence + leakage)
