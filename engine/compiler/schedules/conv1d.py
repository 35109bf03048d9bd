"""Convolution over time: any kernel, dilation, stride, padding and channel counts, one group.

It does not know the model: sizes come from the caller, batch and length at run time.
"""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.schedules.correlation import Correlation, correlation_kernel
from engine.ops.microkernel_tir import Microkernel


def conv1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    dilation: int,
    stride: int,
    padding: int,
    has_bias: bool,
    microkernel: Microkernel,
) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any -> y [B, out, outputs].

    outputs = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1 is read from y's shape.
    """
    plan = Correlation(in_channels, out_channels, kernel_size, dilation, stride, padding, microkernel)
    return correlation_kernel(plan, has_bias)


def packed_shape(
    out_channels: int, in_channels: int, kernel_size: int, microkernel: Microkernel
) -> tuple[int, int, int, int]:
    """Shape of the packed weight: [block, in, tap, row in block]."""
    return _plan(out_channels, in_channels, kernel_size, microkernel).packed_weight_shape


def pack_weight(out_channels: int, in_channels: int, kernel_size: int, microkernel: Microkernel) -> PrimFunc:
    """The function that packs: w [out, in, kernel_size] -> packed weight, rows beyond the last being 0."""
    plan = _plan(out_channels, in_channels, kernel_size, microkernel)

    @T.prim_func(s_tir=True)
    def pack_conv1d_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (out_channels, in_channels, kernel_size), "float32")
        packed = T.match_buffer(p, plan.packed_weight_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, tap, row in T.grid(in_channels, kernel_size, plan.rows):
                if block * plan.rows + row < out_channels:
                    packed[block, channel, tap, row] = weight[block * plan.rows + row, channel, tap]
                else:
                    packed[block, channel, tap, row] = T.float32(0)

    return pack_conv1d_weight


def _plan(out_channels: int, in_channels: int, kernel_size: int, microkernel: Microkernel) -> Correlation:
    """A plan whose weight layout is that of every dilation, stride and padding."""
    return Correlation(in_channels, out_channels, kernel_size, 1, 1, 0, microkernel)
