"""The building blocks of the stages: kokoro's blocks over a batch of unequal lengths.

Each function reads the parameters of one of kokoro's modules and computes what that module computes on each sequence
alone.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from engine.network.exportable.styles import NormStyles
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.ops.torch_ops import (
    adaptive_norm_leaky_relu,
    adaptive_norm_snake,
    lstm_forward_packed_bidirectional,
)

HALF_POWER = 1 / math.sqrt(2)
"""kokoro's factor for the sum of a block's two branches."""


def is_beyond(extent: int, lengths: Tensor) -> Tensor:
    """A mask [batch, extent] of the steps beyond each length."""
    return torch.arange(extent, dtype=torch.int32) >= lengths[:, None]


def padded_lengths(extent: int, lengths: Tensor) -> Tensor:
    """`extent` for every sequence [batch], from its step counts: the compiler cannot fill with a symbolic length."""
    return lengths + is_beyond(extent, lengths).sum(dim=1, dtype=torch.int32)


def zero_beyond(x: Tensor, lengths: Tensor, axis: int) -> Tensor:
    """`x` [batch, ...] with zeros beyond the length along `axis`, regardless of the padding."""
    beyond = is_beyond(x.shape[axis], lengths)
    for index in range(1, x.dim()):
        beyond = beyond if index == axis else beyond.unsqueeze(index)
    return x.masked_fill(beyond, 0)


def bidirectional_lstm(
    network: Any, x: Tensor, lengths: Tensor, semantics: LstmSemantics = LstmSemantics.PACKED
) -> Tensor:
    """The output of a `torch.nn.LSTM` over `x` [batch, time, channels], with zeros beyond the length.

    Without packing the LSTM also runs over the padding, as zeros, with which kokoro's modules mask their inputs.
    """
    if semantics is LstmSemantics.NO_PACK:
        whole = padded_lengths(x.shape[1], lengths)
        return zero_beyond(bidirectional_lstm(network, zero_beyond(x, lengths, axis=1), whole), lengths, axis=1)
    forward = network.bias_ih_l0 + network.bias_hh_l0
    backward = network.bias_ih_l0_reverse + network.bias_hh_l0_reverse
    hidden: Tensor = lstm_forward_packed_bidirectional(
        x,
        lengths,
        network.weight_ih_l0,
        network.weight_hh_l0,
        forward,
        network.weight_ih_l0_reverse,
        network.weight_hh_l0_reverse,
        backward,
    )
    return hidden


def residual_block(block: Any, x: Tensor, styles: NormStyles, lengths: Tensor) -> Tensor:
    """The output of kokoro's `AdainResBlk1d` for `x` [batch, channels, time] with these lengths.

    Its shape is [batch, channels, time], with twice the time for a block that upsamples; values beyond the length are
    finite but arbitrary.
    """
    slope = block.actv.negative_slope
    y = adaptive_norm_leaky_relu(x, lengths, *styles.operands(block.norm1), slope)
    shortcut = block.conv1x1(x) if block.learned_sc else x
    if block.upsample_type != "none":
        shortcut, lengths = repeated_twice(shortcut), 2 * lengths
        y = zero_beyond(block.pool(y), lengths, axis=2)  # its bias is there, and the next convolution would read it
    y = block.conv1(y)
    y = adaptive_norm_leaky_relu(y, lengths, *styles.operands(block.norm2), slope)
    y = block.conv2(y)
    joined: Tensor = (y + shortcut) * HALF_POWER
    return joined


def repeated_twice(x: Tensor) -> Tensor:
    """`x` [batch, channels, time] with every step repeated: nearest-neighbor upsampling by two."""
    return x.repeat_interleave(2, dim=2)


def snake_block(block: Any, x: Tensor, styles: NormStyles, lengths: Tensor) -> Tensor:
    """The output of kokoro's `AdaINResBlock1` for `x` [batch, channels, time]; arbitrary but finite beyond a length."""
    layers = zip(block.convs1, block.convs2, block.adain1, block.adain2, block.alpha1, block.alpha2, strict=True)
    for first, second, norm1, norm2, alpha1, alpha2 in layers:
        y = adaptive_norm_snake(x, lengths, *styles.operands(norm1), alpha1.reshape(-1))
        y = adaptive_norm_snake(first(y), lengths, *styles.operands(norm2), alpha2.reshape(-1))
        x = second(y) + x
    return x


def leaky_relu_within(x: Tensor, lengths: Tensor, slope: float) -> Tensor:
    """A leaky ReLU of `x` [batch, channels, time], zeros beyond the length."""
    return zero_beyond(functional.leaky_relu(x, slope), lengths, axis=2)
