"""The harmonic source with its STFT as a torch operator that stays whole through `torch.export`.

It does not know how a compiler lowers it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.ops import harmonic_source as meaning


@torch.library.custom_op("kokoro::harmonic_source", mutates_args=())
def harmonic_source(
    f0: Tensor, noise: Tensor, lengths: Tensor, weight: Tensor, bias: Tensor, n_fft: int, hop: int
) -> Tensor:
    """As `engine.ops.harmonic_source.harmonic_source`, on tensors; `lengths` is int32."""
    pitch, excitation, frames = f0.numpy(), noise.numpy(), lengths.numpy()
    merging = weight.detach().numpy(), bias.detach().numpy()
    return torch.from_numpy(meaning.harmonic_source(pitch, excitation, frames, *merging, n_fft, hop))


@harmonic_source.register_fake
def _(f0: Tensor, noise: Tensor, lengths: Tensor, weight: Tensor, bias: Tensor, n_fft: int, hop: int) -> Tensor:
    batch, frames, samples, _ = noise.shape
    return f0.new_empty(batch, n_fft + 2, samples // hop * frames + 1)
