"""What the convolutions of a model take, each by itself, as plain data.

It does not know how they were timed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConvolutionLayer:
    """A convolution of an input of `length` positions; a transposed one has no dilation.

    `careful` says that its sums lose little to rounding.
    """

    channels: int
    out_channels: int
    kernel_size: int
    stride: int
    padding: int
    dilation: int
    is_transposed: bool
    length: int
    careful: bool = False

    @property
    def flop(self) -> int:
        """Floating-point operations: a multiplication and an addition per weight and position."""
        return 2 * self.channels * self.out_channels * self.kernel_size * self._positions

    @property
    def _positions(self) -> int:
        if self.is_transposed:
            return self.length
        reach = self.dilation * (self.kernel_size - 1) + 1
        return (self.length + 2 * self.padding - reach) // self.stride + 1


@dataclass(frozen=True)
class LayerTime:
    """What a convolution takes, with bias; `count` of them are in the stage."""

    stage: str
    layer: ConvolutionLayer
    count: int
    is_direct: bool
    least_seconds: float
    median_seconds: float


@dataclass(frozen=True)
class LayerTimes:
    """All convolutions of some stages; `peak_flop_per_second` is the most that was reached between them."""

    layers: tuple[LayerTime, ...]
    peak_flop_per_second: float
