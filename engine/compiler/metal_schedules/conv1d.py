"""Convolution over time on Apple's GPUs: any kernel, dilation, stride, padding and channel counts, one group.

It does not know the model: sizes come from the caller, batch and length at run time.
"""

from __future__ import annotations

from typing import Any

from tvm.tirx import PrimFunc

from engine.compiler.metal_schedules.correlation import Correlation, Ending
from engine.compiler.metal_schedules.correlation_kernel import Tile, correlation_kernel, packing_kernel, tile_for
from engine.ops.threadgroup_tir import Threadgroup


def conv1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    dilation: int,
    stride: int,
    padding: int,
    has_bias: bool,
    group: Threadgroup,
) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any -> y [B, out, outputs]."""
    sizes = Correlation(in_channels, out_channels, kernel_size, dilation, stride, padding)
    return correlation_kernel(tile_for(sizes, group, group.factors), Ending(has_bias))


def conv1d_plus_residual(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    dilation: int,
    stride: int,
    padding: int,
    has_bias: bool,
    factor: float,
    group: Threadgroup,
) -> PrimFunc:
    """The same with a residual as large as y after the other inputs: y = (convolution + residual) * factor."""
    sizes = Correlation(in_channels, out_channels, kernel_size, dilation, stride, padding)
    return correlation_kernel(tile_for(sizes, group, group.factors), Ending(has_bias, has_residual=True, factor=factor))


def packed_shape(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, group: Threadgroup
) -> tuple[int, int, int]:
    """Shape of the packed weight."""
    return _tile(in_channels, out_channels, kernel_size, dilation, stride, group).packed_shape


def packed_type(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, group: Threadgroup
) -> str:
    """Type of the packed weight."""
    return str(_tile(in_channels, out_channels, kernel_size, dilation, stride, group).factors)


def pack_weight(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, group: Threadgroup
) -> PrimFunc:
    """The function that packs: w [out, in, kernel_size] -> packed weight."""
    tile = _tile(in_channels, out_channels, kernel_size, dilation, stride, group)
    return packing_kernel(tile, group, (out_channels, in_channels, kernel_size), _value)


def _tile(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, group: Threadgroup
) -> Tile:
    sizes = Correlation(in_channels, out_channels, kernel_size, dilation, stride, 0)
    return tile_for(sizes, group, group.factors)


def _value(weight: Any, channel: Any, tap: Any, row: Any) -> Any:
    return weight[row, channel, tap]
