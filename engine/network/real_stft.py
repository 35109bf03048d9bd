"""Torch's short-time Fourier transform and its inverse as real convolutions, for formats without complex numbers.

kokoro's own `CustomSTFT` does this too, but only approximates the borders and the inverse.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class RealStft(nn.Module):
    """A replacement for `kokoro.istftnet.TorchSTFT`: periodic Hann window, centred frames, reflected borders.

    `size` is the length of transform and window in samples, `hop` the number of samples between two frames.
    """

    analysis: Tensor
    synthesis: Tensor
    squared_window: Tensor

    def __init__(self, size: int, hop: int) -> None:
        super().__init__()
        self._size, self._hop = size, hop
        window = torch.hann_window(size, dtype=torch.float64)
        bins, samples = torch.arange(size // 2 + 1), torch.arange(size)
        angles = 2 * math.pi * torch.outer(bins, samples).double() / size
        waves = torch.cat([torch.cos(angles), -torch.sin(angles)]) * window
        both_halves = torch.full((len(bins), 1), 2.0, dtype=torch.float64)
        both_halves[[0, -1]] = 1.0
        self.register_buffer("analysis", waves[:, None].float())
        self.register_buffer("synthesis", (waves * both_halves.repeat(2, 1) / size)[:, None].float())
        self.register_buffer("squared_window", window.square()[None, None].float())

    def transform(self, waveform: Tensor) -> tuple[Tensor, Tensor]:
        """Magnitude and phase [1, size / 2 + 1, frames] of a waveform [1, samples]."""
        padded = functional.pad(waveform[:, None], (self._size // 2, self._size // 2), mode="reflect")
        real, imaginary = functional.conv1d(padded, self.analysis, stride=self._hop).chunk(2, dim=1)
        return torch.sqrt(real.square() + imaginary.square()), torch.atan2(imaginary, real)

    def inverse(self, magnitude: Tensor, phase: Tensor) -> Tensor:
        """The waveform [1, 1, samples] of magnitude and phase [1, size / 2 + 1, frames]."""
        spectrum = torch.cat([magnitude * torch.cos(phase), magnitude * torch.sin(phase)], dim=1)
        waveform = functional.conv_transpose1d(spectrum, self.synthesis, stride=self._hop)
        weight = functional.conv_transpose1d(torch.ones_like(magnitude[:, :1]), self.squared_window, stride=self._hop)
        border = self._size // 2
        return waveform[..., border:-border] / weight[..., border:-border]
