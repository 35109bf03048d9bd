"""What a convolution on Apple's GPUs computes, and what becomes of a sum before it is stored.

It does not know which operator asks, nor how threads share the work: `conv1d` and `conv_transpose1d` say the former,
tiles of threads or of simdgroups the latter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T


@dataclass(frozen=True)
class Correlation:
    """Sums over channel and tap of weight[channel, tap, row] * input[column * stride + tap * dilation - padding].

    Row r, column c becomes position c * upsampling + r % upsampling - trim of output channel r // upsampling.
    """

    channels: int
    out_channels: int
    taps: int
    dilation: int
    stride: int
    padding: int
    upsampling: int = 1
    trim: int = 0

    @property
    def row_count(self) -> int:
        """Rows in all."""
        return self.out_channels * self.upsampling

    def slab(self, columns: int) -> int:
        """Input positions that so many columns read of each channel."""
        return (columns - 1) * self.stride + (self.taps - 1) * self.dilation + 1


@dataclass(frozen=True)
class Ending:
    """What becomes of a sum: (sum + bias + residual) * factor, each where there is one."""

    has_bias: bool
    has_residual: bool = False
    factor: float = 1.0


@T.inline
def finish(
    sizes: Any,
    ending: Any,
    bias: Any,
    residual: Any,
    target: Any,
    member: Any,
    row: Any,
    column: Any,
    outputs: Any,
    value: Any,
) -> None:
    """Store the sum of a row and column where it belongs; those beyond the output are dropped."""
    place: T.int32 = column * sizes.upsampling + T.truncmod(row, sizes.upsampling) - sizes.trim
    if T.And(row < sizes.row_count, T.And(place >= 0, place < outputs)):
        total: T.float32 = value
        if ending.has_bias:
            total = total + bias[T.truncdiv(row, sizes.upsampling)]
        if ending.has_residual:
            total = total + residual[member, T.truncdiv(row, sizes.upsampling), place]
        if ending.factor != 1:
            total = total * T.float32(ending.factor)
        target[member, T.truncdiv(row, sizes.upsampling), place] = total
