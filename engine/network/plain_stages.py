"""kokoro's own modules as one torch module per stage, tensors in and out, to be run by PyTorch or exported.

Batches of one, without padding, in upstream's float32.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from engine.network.architecture import Network
from engine.network.real_stft import RealStft
from engine.network.reference import Arithmetic, NoSource, Reference, SpectrumBorder


class PlainStage(nn.Module):
    """One stage of a network, from the stage's declared inputs to its declared outputs, both in order."""

    def __init__(self, network: Network, name: str) -> None:
        super().__init__()
        self.network = network
        self._reference = Reference(network, Arithmetic.UPSTREAM)
        self._name = name

    def forward(self, *values: Tensor) -> tuple[Any, ...]:
        """See `Reference.compute`."""
        return self._reference.compute(self._name, *values)


class CompilableDecoder(nn.Module):
    """The decoder in a form that torch.compile translates whole.

    `PlainStage` replaces the generator's source and STFT only for each call. Here they stay replaced, so the network
    cannot compute a source or a waveform afterwards.
    """

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._bins = network.config.frequency_bins
        self._border = SpectrumBorder(torch.empty(0), torch.empty(0))
        self._decoder = network.decoder
        self._decoder.generator.m_source = NoSource()
        self._decoder.generator.stft = self._border

    def forward(
        self,
        phoneme_features: Tensor,
        frame_token: Tensor,
        f0: Tensor,
        energy: Tensor,
        timbre: Tensor,
        frame_count: Tensor,
        harmonics: Tensor,
    ) -> tuple[Tensor, ...]:
        """Magnitude and phase, as the stage `decoder` declares them."""
        magnitude, phase = harmonics.split(self._bins, dim=1)
        self._border.source = magnitude, phase
        aligned = phoneme_features[:, :, frame_token[0].long()]
        self._decoder(aligned, f0.flatten(1), energy.flatten(1), timbre)
        return self._border.given


def with_real_stft(network: Network) -> Network:
    """Make the network's short-time Fourier transforms real-valued, in place; returns the network."""
    sizes, generator = network.config.istftnet, network.decoder.generator
    generator.stft = RealStft(sizes.gen_istft_n_fft, sizes.gen_istft_hop_size)
    return network
