"""Adaptive layer normalisation as a torch operator that stays whole through `torch.export`.

It does not know how a compiler lowers it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


@torch.library.custom_op("kokoro::adaptive_layer_norm", mutates_args=())
def adaptive_layer_norm(x: Tensor, styles: Tensor, beside: Tensor, offset: int, epsilon: float) -> Tensor:
    """As `engine.ops.adaptive_layer_norm.adaptive_layer_norm`, on tensors."""
    batch, time, channels = x.shape
    gamma, beta = styles[:, None].narrow(2, offset, 2 * channels).chunk(2, dim=2)
    styled = (1 + gamma) * functional.layer_norm(x, (channels,), eps=epsilon) + beta
    return torch.cat([styled, beside[:, None].expand(batch, time, beside.shape[1])], dim=2)


@adaptive_layer_norm.register_fake
def _(x: Tensor, styles: Tensor, beside: Tensor, offset: int, epsilon: float) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], x.shape[2] + beside.shape[1])
