"""Convolution over time on Apple's GPUs: any kernel, dilation, stride, padding and channel counts, one group.

It does not know the model: sizes come from the caller, batch and length at run time.
"""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.metal_schedules.correlation import Correlation, correlation_kernel
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
    plan = Correlation(in_channels, out_channels, kernel_size, dilation, stride, padding, group)
    return correlation_kernel(plan, has_bias)


def packed_shape(out_channels: int, in_channels: int, kernel_size: int, group: Threadgroup) -> tuple[int, int, int]:
    """Shape of the packed weight: [in, tap, out]."""
    return in_channels, kernel_size, out_channels


def pack_weight(out_channels: int, in_channels: int, kernel_size: int, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [out, in, kernel_size] -> packed weight."""
    count = out_channels * in_channels * kernel_size
    blocks = -(-count // group.threads)

    @T.prim_func(s_tir=True)
    def pack_conv1d_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (out_channels, in_channels, kernel_size), "float32")
        packed = T.match_buffer(p, (in_channels, kernel_size, out_channels), "float32")
        for block in T.thread_binding(blocks, thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                place: T.int32 = block * group.threads + thread
                if place < count:
                    row: T.int32 = T.truncmod(place, out_channels)
                    tap: T.int32 = T.truncmod(T.truncdiv(place, out_channels), kernel_size)
                    channel: T.int32 = T.truncdiv(place, out_channels * kernel_size)
                    packed[channel, tap, row] = weight[row, channel, tap]

    return pack_conv1d_weight
