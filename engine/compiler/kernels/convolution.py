"""The workload of a convolution, the same on every target: its sizes, and where its weights and outputs are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.mathematics import ceil_div

WeightAt = Callable[[Any, Any, Any, Any], Any]
"""(weight, channel, tap, row) -> the expression of one weight of a `ConvWorkload`."""


@dataclass(frozen=True)
class ConvWorkload:
    """The sizes of a convolution, transposed or not, as sums in rows and columns.

    The sum of a row and column is that of weight[row, channel, tap] * input[channel, column * stride + tap * dilation -
    padding] over all channels and taps. It is stored at position column * upsampling + row % upsampling - trim of
    output channel row // upsampling.
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
        """Rows: output channels times phases."""
        return self.out_channels * self.upsampling

    @property
    def is_scattered(self) -> bool:
        """True if the columns of a row differ from the positions of its output: interleaved, or some left out."""
        return self.upsampling > 1 or self.trim > 0

    @property
    def unplaced(self) -> ConvWorkload:
        """These sizes without padding and trim, which change neither the packed weight nor the choice of a kernel."""
        return replace(self, padding=0, trim=0)

    def slab(self, columns: int) -> int:
        """Input positions of each channel that this number of columns reads."""
        return (columns - 1) * self.stride + (self.taps - 1) * self.dilation + 1


def transposed(in_channels: int, out_channels: int, kernel_size: int, stride: int, padding: int) -> ConvWorkload:
    """A transposed convolution without zero-dilation: a short convolution per phase of the output.

    Output position column * stride + phase - padding reads ceil(kernel_size / stride) inputs; phases become rows.
    """
    # Every input from column - (taps - 1) to column reaches the output position: hence the padding.
    taps = ceil_div(kernel_size, stride)
    return ConvWorkload(in_channels, out_channels, taps, padding=taps - 1, upsampling=stride, trim=padding)


def weight_at(weight: Any, channel: Any, tap: Any, row: Any) -> Any:
    """One weight of a convolution, whose weight is [out, in, taps]."""
    return weight[row, channel, tap]


def transposed_weight_at(sizes: ConvWorkload, kernel_size: int) -> WeightAt:
    """A reader of the weight [in, out, kernel_size] of a transposed convolution; 0 beyond the kernel's last tap."""
    stride = sizes.upsampling

    def value(weight: Any, channel: Any, tap: Any, row: Any) -> Any:
        # The input column + tap - (taps - 1) is taps - 1 - tap strides before the output, so taps run backwards.
        position = T.truncmod(row, stride) + (sizes.taps - 1 - tap) * stride
        return T.if_then_else(position < kernel_size, weight[channel, T.truncdiv(row, stride), position], T.float32(0))

    return value


@dataclass(frozen=True)
class Depthwise:
    """A depthwise transposed convolution, whose weight [channels, 1, kernel_size] is not packed.

    `target_traits` is the argument that all kernels of a target share.
    """

    channels: int
    kernel_size: int
    stride: int
    padding: int
    target_traits: Any

    @property
    def sizes(self) -> ConvWorkload:
        """The workload with as many input as output channels, although each output reads its own channel alone."""
        return transposed(self.channels, self.channels, self.kernel_size, self.stride, self.padding)

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """Shape of the weight."""
        return self.channels, 1, self.kernel_size

    @property
    def factors(self) -> str:
        """Type of the weight."""
        return "float32"
