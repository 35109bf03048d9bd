"""Convolution over time on Apple's GPUs: any kernel, dilation, stride, padding and channel counts, one group.

It does not know the model: sizes come from the caller, batch and length at run time.
"""

from __future__ import annotations

from tvm.tirx import PrimFunc

from engine.kernels.convolution import Correlation, Ending, weight_at
from engine.kernels.metal.direct_conv import correlation_kernel, packing_kernel, tile_for
from engine.kernels.metal.threadgroup import Threadgroup


def conv1d(sizes: Correlation, ending: Ending, group: Threadgroup) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any, residual as y if any -> y [B, out, outputs]."""
    return correlation_kernel(tile_for(sizes, group, group.factors), ending)


def packed_shape(sizes: Correlation, group: Threadgroup) -> tuple[int, int, int]:
    """Shape of the packed weight."""
    return tile_for(sizes, group, group.factors).packed_shape


def packed_type(sizes: Correlation, group: Threadgroup) -> str:
    """Type of the packed weight."""
    return str(tile_for(sizes, group, group.factors).factors)


def pack_weight(sizes: Correlation, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [out, in, taps] -> packed weight."""
    tile = tile_for(sizes, group, group.factors)
    return packing_kernel(tile, group, (sizes.out_channels, sizes.channels, sizes.taps), weight_at)
