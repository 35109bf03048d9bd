"""Convolution over time: any kernel, dilation, stride, padding and channel counts, one group.

It is computed directly or by minimal filtering, as `filter_choice` says. It does not know the model: sizes come from
the caller, batch and length at run time.
"""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.schedules.correlation import Correlation, correlation_kernel
from engine.compiler.schedules.filter_choice import form_for
from engine.compiler.schedules.filtering import Filtering, filtering_kernel, filtering_weight
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
    plan = _plan(in_channels, out_channels, kernel_size, dilation, stride, padding, microkernel)
    return _kernel(plan, has_bias, has_residual=False)


def conv1d_plus_residual(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    dilation: int,
    stride: int,
    padding: int,
    has_bias: bool,
    factor: float,
    microkernel: Microkernel,
) -> PrimFunc:
    """The same with a residual as large as y after the other inputs: y = (convolution + residual) * factor."""
    plan = _plan(in_channels, out_channels, kernel_size, dilation, stride, padding, microkernel, factor)
    return _kernel(plan, has_bias, has_residual=True)


def packed_shape(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, microkernel: Microkernel
) -> tuple[int, ...]:
    """Shape of the packed weight."""
    return _plan(in_channels, out_channels, kernel_size, dilation, stride, 0, microkernel).packed_weight_shape


def packed_type(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, microkernel: Microkernel
) -> str:
    """Type of the packed weight."""
    return "float32"


def pack_weight(
    in_channels: int, out_channels: int, kernel_size: int, dilation: int, stride: int, microkernel: Microkernel
) -> PrimFunc:
    """The function that packs: w [out, in, kernel_size] -> packed weight."""
    plan = _plan(in_channels, out_channels, kernel_size, dilation, stride, 0, microkernel)
    if isinstance(plan, Filtering):
        return filtering_weight(plan)
    return _packing(plan, kernel_size)


def _plan(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    dilation: int,
    stride: int,
    padding: int,
    microkernel: Microkernel,
    factor: float = 1.0,
) -> Correlation | Filtering:
    form = form_for(in_channels, out_channels, kernel_size, stride)
    if form is None:
        return Correlation(
            in_channels, out_channels, kernel_size, dilation, stride, padding, microkernel, factor=factor
        )
    return Filtering(in_channels, out_channels, kernel_size, dilation, padding, form, microkernel, factor)


def _kernel(plan: Correlation | Filtering, has_bias: bool, has_residual: bool) -> PrimFunc:
    if isinstance(plan, Filtering):
        return filtering_kernel(plan, has_bias, has_residual)
    return correlation_kernel(plan, has_bias, has_residual)


def _packing(plan: Correlation, kernel_size: int) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def pack_conv1d_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (plan.out_channels, plan.channels, kernel_size), "float32")
        packed = T.match_buffer(p, plan.packed_weight_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, tap, row in T.grid(plan.channels, kernel_size, plan.rows):
                if block * plan.rows + row < plan.out_channels:
                    packed[block, channel, tap, row] = weight[block * plan.rows + row, channel, tap]
                else:
                    packed[block, channel, tap, row] = T.float32(0)

    return pack_conv1d_weight
