"""Adaptive instance normalisation as torch operators that stay whole through `torch.export`.

It does not know how a compiler lowers them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.ops.adaptive_norm import EPSILON


@torch.library.custom_op("kokoro::adaptive_norm", mutates_args=())
def adaptive_norm(x: Tensor, lengths: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """As `engine.ops.adaptive_norm.adaptive_norm`, on tensors; `lengths` is int32."""
    result = torch.zeros_like(x)
    for member, length in enumerate(lengths.tolist()):
        valid = x[member, :, :length]
        variance, mean = torch.var_mean(valid.double(), dim=1, correction=0, keepdim=True)
        normal = (valid - mean) * torch.rsqrt(variance + EPSILON)
        result[member, :, :length] = normal * scale[member][:, None] + shift[member][:, None]
    return result


@torch.library.custom_op("kokoro::adaptive_norm_leaky_relu", mutates_args=())
def adaptive_norm_leaky_relu(x: Tensor, lengths: Tensor, scale: Tensor, shift: Tensor, slope: float) -> Tensor:
    """As `engine.ops.adaptive_norm.adaptive_norm_leaky_relu`, on tensors; `lengths` is int32."""
    return torch.nn.functional.leaky_relu(adaptive_norm(x, lengths, scale, shift), slope)


@torch.library.custom_op("kokoro::adaptive_norm_snake", mutates_args=())
def adaptive_norm_snake(x: Tensor, lengths: Tensor, scale: Tensor, shift: Tensor, alpha: Tensor) -> Tensor:
    """As `engine.ops.adaptive_norm.adaptive_norm_snake`, on tensors; `lengths` is int32."""
    y = adaptive_norm(x, lengths, scale, shift)
    frequency = alpha[:, None]
    return torch.addcdiv(y, torch.sin(frequency * y) ** 2, frequency)


@adaptive_norm.register_fake
def _(x: Tensor, lengths: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@adaptive_norm_leaky_relu.register_fake
def _(x: Tensor, lengths: Tensor, scale: Tensor, shift: Tensor, slope: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@adaptive_norm_snake.register_fake
def _(x: Tensor, lengths: Tensor, scale: Tensor, shift: Tensor, alpha: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)
