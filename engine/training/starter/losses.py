"""Distances between a generated and a wanted waveform: of mel bands, of spectra, and of spectra with their phases."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as functional

from engine.config import ModelConfig
from engine.training.starter.spectra import log_mel, magnitude, spectrum

FFT_SIZES = (128, 256, 512, 1024, 2048)
PHASE_FFT_SIZES = (256, 1024)
LOG_FLOOR = 3e-3
COMPRESSION = 0.3
"""Magnitudes are raised to this power before phases are compared, so that quiet parts count."""
QUIET = 1e-6
"""Power below which a value of the spectrum is left nearly as it is, not compressed."""


def waveform_losses(
    ours: torch.Tensor, wanted: torch.Tensor, config: ModelConfig
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Log-mel distance at two resolutions, mean distance of magnitudes, mean distance with phases; [items, samples]."""
    mel = sum(
        functional.l1_loss(log_mel(ours, bands, fft, hop, config), log_mel(wanted, bands, fft, hop, config))
        for bands, fft, hop in ((80, 1024, 256), (40, 512, 100))
    )
    magnitudes = [magnitude_distance(ours, wanted, fft) for fft in FFT_SIZES]
    phases = [phase_distance(ours, wanted, fft) for fft in PHASE_FFT_SIZES]
    return torch.as_tensor(mel), torch.stack(magnitudes).mean(), torch.stack(phases).mean()


def magnitude_distance(ours: torch.Tensor, wanted: torch.Tensor, fft: int) -> torch.Tensor:
    """Log-magnitude distance and spectral convergence."""
    scale = math.sqrt(fft) / 16
    left, right = magnitude(ours, fft, fft // 4), magnitude(wanted, fft, fft // 4)
    logs = (torch.log(left / scale + LOG_FLOOR) - torch.log(right / scale + LOG_FLOOR)).abs().mean()
    return torch.as_tensor(logs + 0.5 * (left - right).norm() / right.norm())


def phase_distance(ours: torch.Tensor, wanted: torch.Tensor, fft: int) -> torch.Tensor:
    """Distance of two complex spectra with compressed magnitudes, as a share of the wanted one."""
    left, right = _compressed(ours, fft), _compressed(wanted, fft)
    return (left - right).abs().mean() / right.abs().mean()


def _compressed(samples: torch.Tensor, fft: int) -> torch.Tensor:
    """The spectrum as [..., 2], real and imaginary, with magnitudes to the power of `COMPRESSION`."""
    values = torch.view_as_real(spectrum(samples, fft, fft // 4))
    power = values.square().sum(-1, keepdim=True) / fft + QUIET
    return values / math.sqrt(fft) * power ** ((COMPRESSION - 1) / 2)
