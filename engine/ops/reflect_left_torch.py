"""The left reflection as a torch operator that stays whole through `torch.export`.

Slices of symbolic axes would lose their length in the compiler. It does not know how a compiler lowers it.
"""

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("kokoro::reflect_left", mutates_args=())
def reflect_left(x: Tensor) -> Tensor:
    """As `engine.ops.reflect_left.reflect_left`, on a tensor."""
    return torch.cat([x[:, :, 1:2], x], dim=2)


@reflect_left.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], x.shape[2] + 1)
