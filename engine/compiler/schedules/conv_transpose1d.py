"""Transposed convolution over time without zero-dilation: one short convolution per output phase, or depthwise.

Output position t = column * stride + phase - padding reads `ceil(kernel_size / stride)` inputs, so phases become rows
of a correlation. It does not know the model: sizes come from the caller, batch and length at run time.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.schedules.correlation import Correlation, correlation_kernel
from engine.ops.microkernel_tir import Microkernel, ceil_div


def conv_transpose1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int,
    padding: int,
    has_bias: bool,
    microkernel: Microkernel,
) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any -> y [B, out, outputs].

    outputs = (L - 1) stride - 2 padding + kernel_size + output padding is read from y's shape.
    """
    return correlation_kernel(_plan(in_channels, out_channels, kernel_size, stride, padding, microkernel), has_bias)


def packed_shape(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, microkernel: Microkernel
) -> tuple[int, int, int, int]:
    """Shape of the packed weight: [block, in, tap, row in block]."""
    return _plan(in_channels, out_channels, kernel_size, stride, 0, microkernel).packed_weight_shape


def pack_weight(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, microkernel: Microkernel
) -> PrimFunc:
    """The function that packs: w [in, out, kernel_size] -> packed weight, 0 where there is no row or no tap."""
    plan = _plan(in_channels, out_channels, kernel_size, stride, 0, microkernel)

    @T.prim_func(s_tir=True)
    def pack_conv_transpose1d_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (in_channels, out_channels, kernel_size), "float32")
        packed = T.match_buffer(p, plan.packed_weight_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, tap, row in T.grid(in_channels, plan.taps, plan.rows):
                index: T.int32 = block * plan.rows + row
                position: T.int32 = index % stride + (plan.taps - 1 - tap) * stride
                packed[block, channel, tap, row] = T.float32(0)
                if T.And(index < plan.row_count, position < kernel_size):
                    packed[block, channel, tap, row] = weight[channel, index // stride, position]

    return pack_conv_transpose1d_weight


def depthwise(
    channels: int, kernel_size: int, stride: int, padding: int, has_bias: bool, microkernel: Microkernel
) -> PrimFunc:
    """One filter per channel: x [B, channels, L], w [channels, 1, kernel_size], bias [channels] if any -> y.

    y is [B, channels, outputs]; nothing is packed.
    """
    plan = _plan(1, channels, kernel_size, stride, padding, microkernel)
    return _depthwise_with_bias(plan, kernel_size) if has_bias else _depthwise_without_bias(plan, kernel_size)


@T.inline
def _depthwise_channel(
    plan: Any,
    kernel_size: Any,
    padded: Any,
    weight: Any,
    bias: Any,
    target: Any,
    member: Any,
    channel: Any,
    outputs: Any,
) -> None:
    for column in T.serial(T.ceildiv(outputs + plan.trim, plan.upsampling)):
        for phase in T.unroll(plan.upsampling):
            place: T.int64 = column * plan.upsampling + phase - plan.trim
            if T.And(place >= 0, place < outputs):
                total: T.float32 = T.float32(0)
                if bias is not None:
                    total = bias[channel]
                for tap in T.serial(T.ceildiv(kernel_size - phase, plan.upsampling)):
                    total += weight[channel, 0, phase + tap * plan.upsampling] * padded[column + plan.padding - tap]
                target[member, channel, place] = total


@T.inline
def _depthwise(
    plan: Any, kernel_size: Any, source: Any, weight: Any, bias: Any, target: Any, batch: Any, length: Any, outputs: Any
) -> None:
    for chunk in T.parallel(plan.chunks):
        for index in T.serial(
            chunk * batch * plan.out_channels // plan.chunks, (chunk + 1) * batch * plan.out_channels // plan.chunks
        ):
            member: T.int64 = index // plan.out_channels
            channel: T.int64 = index % plan.out_channels
            padded = T.alloc_buffer((length + 2 * plan.padding + 1,), "float32")
            for position in T.serial(plan.padding):
                padded[position] = T.float32(0)
            for position in T.serial(plan.padding + 1):
                padded[plan.padding + length + position] = T.float32(0)
            for position in T.serial(length):
                padded[plan.padding + position] = source[member, channel, position]
            _depthwise_channel(plan, kernel_size, padded, weight, bias, target, member, channel, outputs)


def _depthwise_with_bias(plan: Correlation, kernel_size: int) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def depthwise_conv_transpose1d(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        outputs = T.int64()
        source = T.match_buffer(x, (batch, plan.out_channels, length), "float32")
        weight = T.match_buffer(w, (plan.out_channels, 1, kernel_size), "float32")
        bias = T.match_buffer(b, (plan.out_channels,), "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        _depthwise(plan, kernel_size, source, weight, bias, target, batch, length, outputs)

    return depthwise_conv_transpose1d


def _depthwise_without_bias(plan: Correlation, kernel_size: int) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def depthwise_conv_transpose1d(x: T.handle, w: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        outputs = T.int64()
        source = T.match_buffer(x, (batch, plan.out_channels, length), "float32")
        weight = T.match_buffer(w, (plan.out_channels, 1, kernel_size), "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        _depthwise(plan, kernel_size, source, weight, None, target, batch, length, outputs)

    return depthwise_conv_transpose1d


def _plan(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, padding: int, microkernel: Microkernel
) -> Correlation:
    taps = ceil_div(kernel_size, stride)
    return Correlation(in_channels, out_channels, taps, 1, 1, taps - 1, microkernel, upsampling=stride, trim=padding)
