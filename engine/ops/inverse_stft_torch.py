"""The inverse STFT as a torch operator that stays whole through `torch.export`.

It does not know how a compiler lowers it.
"""

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("kokoro::inverse_stft", mutates_args=())
def inverse_stft(
    magnitude: Tensor, phase: Tensor, lengths: Tensor, n_fft: int, hop: int, samples_per_frame: int
) -> Tensor:
    """As `engine.ops.inverse_stft.inverse_stft`, on tensors; `lengths` is int32."""
    result = magnitude.new_zeros(magnitude.shape[0], (magnitude.shape[2] - 1) * hop)
    window = torch.hann_window(n_fft)
    for member, length in enumerate(lengths.tolist()):
        samples = samples_per_frame * length
        columns = samples // hop + 1
        spectrum = torch.polar(magnitude[member, :, :columns].contiguous(), phase[member, :, :columns].contiguous())
        result[member, :samples] = torch.istft(spectrum, n_fft, hop, window=window)
    return result


@inverse_stft.register_fake
def _(magnitude: Tensor, phase: Tensor, lengths: Tensor, n_fft: int, hop: int, samples_per_frame: int) -> Tensor:
    return magnitude.new_empty(magnitude.shape[0], (magnitude.shape[2] - 1) * hop)
