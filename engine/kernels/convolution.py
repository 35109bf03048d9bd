"""What convolutions compute, on every target, and what becomes of a sum before it is stored.

It does not know how the work is divided, nor the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tvm.script import tirx as T

from engine.kernels.mathematics import ceil_div

WeightAt = Callable[[Any, Any, Any, Any], Any]
"""(weight, channel, tap, row) -> the expression for one weight of a correlation."""


@dataclass(frozen=True)
class ConvWorkload:
    """Sums over channel and tap of weight[row, channel, tap] * input[column * stride + tap * dilation - padding].

    Row r, column c becomes position c * upsampling + r % upsampling - trim of output channel r // upsampling.
    """

    channels: int
    out_channels: int
    taps: int
    dilation: int = 1
    stride: int = 1
    padding: int = 0
    upsampling: int = 1
    trim: int = 0

    @property
    def row_count(self) -> int:
        """Rows in all."""
        return self.out_channels * self.upsampling

    @property
    def is_scattered(self) -> bool:
        """Whether the columns of a row are not the positions of its output: they are apart, or some are left out."""
        return self.upsampling > 1 or self.trim > 0

    @property
    def unplaced(self) -> ConvWorkload:
        """The same wherever in time it begins: its weights are packed, and it is computed, in one way."""
        return replace(self, padding=0, trim=0)

    def slab(self, columns: int) -> int:
        """Input positions that so many columns read of each channel."""
        return (columns - 1) * self.stride + (self.taps - 1) * self.dilation + 1


def transposed(in_channels: int, out_channels: int, kernel_size: int, stride: int, padding: int) -> ConvWorkload:
    """A transposed convolution without zero-dilation: a short convolution per phase of the output.

    Output position t = column * stride + phase - padding reads `ceil(kernel_size / stride)` inputs: phases are rows.
    """
    taps = ceil_div(kernel_size, stride)
    return ConvWorkload(in_channels, out_channels, taps, padding=taps - 1, upsampling=stride, trim=padding)


def weight_at(weight: Any, channel: Any, tap: Any, row: Any) -> Any:
    """Of a convolution's weight [out, in, taps]."""
    return weight[row, channel, tap]


def transposed_weight_at(sizes: ConvWorkload, kernel_size: int) -> WeightAt:
    """Of a transposed convolution's weight [in, out, kernel_size]; 0 where there is no tap."""
    stride = sizes.upsampling

    def value(weight: Any, channel: Any, tap: Any, row: Any) -> Any:
        position = T.truncmod(row, stride) + (sizes.taps - 1 - tap) * stride
        return T.if_then_else(position < kernel_size, weight[channel, T.truncdiv(row, stride), position], T.float32(0))

    return value


@dataclass(frozen=True)
class Depthwise:
    """A transposed convolution of one filter per channel, whose weight [channels, 1, kernel_size] is not packed.

    `target_traits` is what kernels of the target get.
    """

    channels: int
    kernel_size: int
    stride: int
    padding: int
    target_traits: Any

    @property
    def sizes(self) -> ConvWorkload:
        """Channels are as many as rows, without phases, though each reads its own alone."""
        return transposed(self.channels, self.channels, self.kernel_size, self.stride, self.padding)

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """Shape of the weight."""
        return self.channels, 1, self.kernel_size

    @property
    def factors(self) -> str:
        """Type of the weight."""
        return "float32"
