"""Transposed convolution over time on Apple's GPUs, without zero-dilation: a short convolution per phase, or depthwise.

Output position t = column * stride + phase - padding reads `ceil(kernel_size / stride)` inputs, so phases become rows
of a correlation. It does not know the model: sizes come from the caller, batch and length at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.metal_schedules.correlation import Correlation, Ending
from engine.compiler.metal_schedules.correlation_kernel import Tile, correlation_kernel, packing_kernel, tile_for
from engine.ops.threadgroup_tir import Threadgroup


def conv_transpose1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int,
    padding: int,
    has_bias: bool,
    group: Threadgroup,
) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any -> y [B, out, outputs]."""
    tile = _tile(in_channels, out_channels, kernel_size, stride, padding, group)
    return correlation_kernel(tile, Ending(has_bias))


def packed_shape(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, group: Threadgroup
) -> tuple[int, int, int]:
    """Shape of the packed weight, whose rows are channels and phases."""
    return _tile(in_channels, out_channels, kernel_size, stride, 0, group).packed_shape


def pack_weight(in_channels: int, out_channels: int, kernel_size: int, stride: int, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [in, out, kernel_size] -> packed weight, 0 where there is no tap."""
    taps = -(-kernel_size // stride)

    def value(weight: Any, channel: Any, tap: Any, row: Any) -> Any:
        position = T.truncmod(row, stride) + (taps - 1 - tap) * stride
        return T.if_then_else(position < kernel_size, weight[channel, T.truncdiv(row, stride), position], T.float32(0))

    tile = _tile(in_channels, out_channels, kernel_size, stride, 0, group)
    return packing_kernel(tile, group, (in_channels, out_channels, kernel_size), value)


@dataclass(frozen=True)
class _Depthwise:
    channels: int
    kernel_size: int
    stride: int
    padding: int
    threads: int


def depthwise(
    channels: int, kernel_size: int, stride: int, padding: int, has_bias: bool, group: Threadgroup
) -> PrimFunc:
    """One filter per channel: x [B, channels, L], w [channels, 1, kernel_size], bias [channels] if any -> y.

    y is [B, channels, outputs]; nothing is packed.
    """
    plan = _Depthwise(channels, kernel_size, stride, padding, group.threads)
    return _depthwise_with_bias(plan) if has_bias else _depthwise_without_bias(plan)


@T.inline
def _output(
    plan: Any, source: Any, weight: Any, bias: Any, target: Any, row: Any, place: Any, length: Any, outputs: Any
) -> None:
    member: T.int32 = T.truncdiv(row, plan.channels)
    channel: T.int32 = T.truncmod(row, plan.channels)
    if place < outputs:
        total: T.float32 = T.float32(0)
        if bias is not None:
            total = bias[channel]
        for tap in T.serial(plan.kernel_size):
            reach: T.int32 = place + plan.padding - tap
            if T.And(T.truncmod(reach, plan.stride) == 0, T.And(reach >= 0, reach < length * plan.stride)):
                total = total + weight[channel, 0, tap] * source[member, channel, T.truncdiv(reach, plan.stride)]
        target[member, channel, place] = total


def _depthwise_with_bias(plan: _Depthwise) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def depthwise_conv_transpose1d(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        length = T.int32()
        outputs = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, (plan.channels, 1, plan.kernel_size), "float32")
        bias = T.match_buffer(b, (plan.channels,), "float32")
        target = T.match_buffer(y, (batch, plan.channels, outputs), "float32")
        for row in T.thread_binding(batch * plan.channels, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(outputs, plan.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(plan.threads, thread="threadIdx.x"):
                    _output(plan, source, weight, bias, target, row, part * plan.threads + thread, length, outputs)

    return depthwise_conv_transpose1d


def _depthwise_without_bias(plan: _Depthwise) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def depthwise_conv_transpose1d(x: T.handle, w: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        length = T.int32()
        outputs = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, (plan.channels, 1, plan.kernel_size), "float32")
        target = T.match_buffer(y, (batch, plan.channels, outputs), "float32")
        for row in T.thread_binding(batch * plan.channels, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(outputs, plan.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(plan.threads, thread="threadIdx.x"):
                    _output(plan, source, weight, None, target, row, part * plan.threads + thread, length, outputs)

    return depthwise_conv_transpose1d


def _tile(in_channels: int, out_channels: int, kernel_size: int, stride: int, padding: int, group: Threadgroup) -> Tile:
    taps = -(-kernel_size // stride)
    return tile_for(
        Correlation(in_channels, out_channels, taps, 1, 1, taps - 1, upsampling=stride, trim=padding), group
    )
