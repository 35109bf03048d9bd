"""Transposed convolution over time on Apple's GPUs, in one group or depthwise, without zero-dilation.

In one group it is computed as a `ConvWorkload` with a row per phase, directly or by Winograd, as `conv_choice` decides.
Batch and length are read at run time.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import Depthwise, transposed, transposed_weight_at
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.conv_choice import packing_kernel, tile_for
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.tiled_conv import tiled_conv
from engine.compiler.kernels.signatures import convolution_function


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
    sizes = transposed(in_channels, out_channels, kernel_size, stride, padding)
    return tiled_conv(tile_for(sizes, group), Epilogue(has_bias))


def packed_shape(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, group: Threadgroup
) -> tuple[int, int, int]:
    """Shape of the packed weight, whose rows are channels and phases."""
    return tile_for(transposed(in_channels, out_channels, kernel_size, stride, 0), group).packed_shape


def pack_weight(in_channels: int, out_channels: int, kernel_size: int, stride: int, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [in, out, kernel_size] -> packed weight, 0 beyond the kernel's last tap."""
    sizes = transposed(in_channels, out_channels, kernel_size, stride, 0)
    shape = in_channels, out_channels, kernel_size
    return packing_kernel(tile_for(sizes, group), group, shape, transposed_weight_at(sizes, kernel_size))


def depthwise(
    channels: int, kernel_size: int, stride: int, padding: int, has_bias: bool, group: Threadgroup
) -> PrimFunc:
    """The depthwise kernel: x [B, channels, L], w [channels, 1, kernel_size], bias [channels] if any -> y.

    y is [B, channels, outputs]; the weight is not packed.
    """
    plan = Depthwise(channels, kernel_size, stride, padding, group)
    return convolution_function(plan, Epilogue(has_bias), _depthwise, T.int32)


@T.inline
def _output(plan: Any, operands: Any, row: Any, place: Any) -> None:
    batch_index: T.int32 = T.truncdiv(row, plan.channels)
    channel: T.int32 = T.truncmod(row, plan.channels)
    if place < operands.outputs:
        total: T.float32 = T.float32(0)
        if operands.epilogue.has_bias:
            total = operands.bias[channel]
        for tap in T.serial(plan.kernel_size):
            # Input i adds w[tap] at output i stride - padding + tap: only multiples of the stride are inputs.
            reach: T.int32 = place + plan.padding - tap
            if T.And(T.truncmod(reach, plan.stride) == 0, T.And(reach >= 0, reach < operands.length * plan.stride)):
                total = (
                    total
                    + operands.weight[channel, 0, tap]
                    * operands.source[batch_index, channel, T.truncdiv(reach, plan.stride)]
                )
        operands.target[batch_index, channel, place] = total


@T.inline
def _depthwise(plan: Any, operands: Any) -> None:
    for row in T.thread_binding(operands.batch * plan.channels, thread="blockIdx.y"):
        for part in T.thread_binding(T.ceildiv(operands.outputs, plan.target_traits.threads), thread="blockIdx.x"):
            for thread in T.thread_binding(plan.target_traits.threads, thread="threadIdx.x"):
                _output(plan, operands, row, part * plan.target_traits.threads + thread)
