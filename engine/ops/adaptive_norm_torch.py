"""Adaptive instance normalisation as torch operators that stay whole through `torch.export`.

It does not know how a compiler lowers them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.ops.adaptive_norm import EPSILON


@torch.library.custom_op("kokoro::adaptive_norm", mutates_args=())
def adaptive_norm(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int) -> Tensor:
    """As `engine.ops.adaptive_norm.adaptive_norm`, on tensors; `lengths` is int32."""
    gamma, beta = styles.narrow(1, offset, 2 * x.shape[1]).chunk(2, dim=1)
    scale, shift = (1 + gamma) * weight, (1 + gamma) * bias + beta
    result = torch.zeros_like(x)
    for member, length in enumerate(lengths.tolist()):
        valid = x[member, :, :length]
        variance, mean = torch.var_mean(valid.double(), dim=1, correction=0, keepdim=True)
        normal = (valid - mean) * torch.rsqrt(variance + EPSILON)
        result[member, :, :length] = normal * scale[member][:, None] + shift[member][:, None]
    return result


@torch.library.custom_op("kokoro::adaptive_norm_leaky_relu", mutates_args=())
def adaptive_norm_leaky_relu(
    x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, slope: float
) -> Tensor:
    """As `engine.ops.adaptive_norm.adaptive_norm_leaky_relu`, on tensors; `lengths` is int32."""
    return torch.nn.functional.leaky_relu(adaptive_norm(x, lengths, styles, weight, bias, offset), slope)


@torch.library.custom_op("kokoro::adaptive_norm_snake", mutates_args=())
def adaptive_norm_snake(
    x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, alpha: Tensor
) -> Tensor:
    """As `engine.ops.adaptive_norm.adaptive_norm_snake`, on tensors; `lengths` is int32."""
    y = adaptive_norm(x, lengths, styles, weight, bias, offset)
    frequency = alpha[:, None]
    return torch.addcdiv(y, torch.sin(frequency * y) ** 2, frequency)


@adaptive_norm.register_fake
def _(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@adaptive_norm_leaky_relu.register_fake
def _(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, slope: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@adaptive_norm_snake.register_fake
def _(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, alpha: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)
