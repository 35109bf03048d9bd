"""Convolution over time on Apple's GPUs: any kernel size, dilation, stride, padding and channel counts, one group.

It is computed by Winograd or directly, as `conv_choice` decides. Batch and length are read at run time.
"""

from __future__ import annotations

from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import ConvWorkload, weight_at
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.conv_choice import packing_kernel, tile_for
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.tiled_conv import tiled_conv


def conv1d(sizes: ConvWorkload, epilogue: Epilogue, group: Threadgroup) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any, residual as y if any -> y [B, out, outputs]."""
    return tiled_conv(tile_for(sizes, group, group.factors), epilogue)


def packed_shape(sizes: ConvWorkload, group: Threadgroup) -> tuple[int, int, int]:
    """Shape of the packed weight."""
    return tile_for(sizes, group, group.factors).packed_shape


def packed_dtype(sizes: ConvWorkload, group: Threadgroup) -> str:
    """Type of the packed weight."""
    return str(tile_for(sizes, group, group.factors).factors)


def pack_weight(sizes: ConvWorkload, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [out, in, taps] -> packed weight."""
    tile = tile_for(sizes, group, group.factors)
    return packing_kernel(tile, group, (sizes.out_channels, sizes.channels, sizes.taps), weight_at)
