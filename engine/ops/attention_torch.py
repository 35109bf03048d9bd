"""Attention over valid keys as a torch operator that stays whole through `torch.export`.

It does not know how a compiler lowers it.
"""

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("kokoro::attention", mutates_args=())
def attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor) -> Tensor:
    """As `engine.ops.attention.attention`, on tensors; `lengths` is int32."""
    result = torch.zeros(query.shape, dtype=query.dtype)
    for member, length in enumerate(lengths.tolist()):
        rows, keys, values = (part[member : member + 1, :, :length] for part in (query, key, value))
        result[member, :, :length] = torch.nn.functional.scaled_dot_product_attention(rows, keys, values)[0]
    return result


@attention.register_fake
def _(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor) -> Tensor:
    return torch.empty_like(query, memory_format=torch.contiguous_format)
