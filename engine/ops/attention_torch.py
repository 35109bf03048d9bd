"""Attention over valid keys as a torch operator that stays whole through `torch.export`.

It does not know how a compiler lowers it.
"""

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("kokoro::attention", mutates_args=())
def attention(x: Tensor, lengths: Tensor, heads: int) -> Tensor:
    """As `engine.ops.attention.attention`, on tensors; `lengths` is int32."""
    batch, time, channels = x.shape
    parts = x.reshape(batch, time, 3, heads, channels // (3 * heads)).permute(2, 0, 3, 1, 4)
    result = torch.zeros(parts.shape[1:], dtype=x.dtype)
    for member, length in enumerate(lengths.tolist()):
        rows, keys, values = parts[:, member : member + 1, :, :length]
        result[member, :, :length] = torch.nn.functional.scaled_dot_product_attention(rows, keys, values)[0]
    return result.transpose(1, 2).reshape(batch, time, channels // 3)


@attention.register_fake
def _(x: Tensor, lengths: Tensor, heads: int) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], x.shape[2] // 3)
