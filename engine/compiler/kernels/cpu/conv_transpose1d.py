"""Transposed convolution over time on CPUs, in one group or depthwise, without zero-dilation.

In one group it is computed as a `ConvWorkload` with a row per phase, directly or by Winograd, as `conv_choice` decides.
Batch and length are read at run time.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import Depthwise, transposed, transposed_weight_at
from engine.compiler.kernels.cpu.conv_choice import conv_kernel, packing_kernel, plan_for
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.signatures import convolution_function


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
    sizes = transposed(in_channels, out_channels, kernel_size, stride, padding)
    return conv_kernel(plan_for(sizes, microkernel), Epilogue(has_bias))


def packed_shape(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, microkernel: Microkernel
) -> tuple[int, ...]:
    """Shape of the packed weight, whose rows are channels and phases."""
    return plan_for(transposed(in_channels, out_channels, kernel_size, stride, 0), microkernel).packed_shape


def pack_weight(
    in_channels: int, out_channels: int, kernel_size: int, stride: int, microkernel: Microkernel
) -> PrimFunc:
    """The function that packs: w [in, out, kernel_size] -> packed weight."""
    sizes = transposed(in_channels, out_channels, kernel_size, stride, 0)
    shape = in_channels, out_channels, kernel_size
    return packing_kernel(plan_for(sizes, microkernel), shape, transposed_weight_at(sizes, kernel_size))


def depthwise(
    channels: int, kernel_size: int, stride: int, padding: int, has_bias: bool, microkernel: Microkernel
) -> PrimFunc:
    """The depthwise kernel: x [B, channels, L], w [channels, 1, kernel_size], bias [channels] if any -> y.

    y is [B, channels, outputs]; the weight is not packed.
    """
    plan = Depthwise(channels, kernel_size, stride, padding, microkernel)
    return convolution_function(plan, Epilogue(has_bias), _depthwise, T.int64)


@T.inline
def _channel(plan: Any, operands: Any, padded: Any, batch_index: Any, channel: Any) -> None:
    for column in T.serial(T.ceildiv(operands.outputs + plan.padding, plan.stride)):
        for phase in T.unroll(plan.stride):
            place: T.int64 = column * plan.stride + phase - plan.padding
            if T.And(place >= 0, place < operands.outputs):
                total: T.float32 = T.float32(0)
                if operands.epilogue.has_bias:
                    total = operands.bias[channel]
                # y[s c + phase] = sum over tap of w[s tap + phase] x[c - tap]: other weights meet no input.
                for tap in T.serial(T.ceildiv(plan.kernel_size - phase, plan.stride)):
                    total += (
                        operands.weight[channel, 0, phase + tap * plan.stride]
                        * padded[column + plan.sizes.padding - tap]
                    )
                operands.target[batch_index, channel, place] = total


@T.inline
def _depthwise(plan: Any, operands: Any) -> None:
    for chunk in T.parallel(plan.target_traits.chunks):
        for index in T.serial(
            chunk * operands.batch * plan.channels // plan.target_traits.chunks,
            (chunk + 1) * operands.batch * plan.channels // plan.target_traits.chunks,
        ):
            batch_index: T.int64 = index // plan.channels
            channel: T.int64 = index % plan.channels
            # A copy with zeros at both ends, so that the sums need no bounds check.
            padded = T.alloc_buffer((operands.length + 2 * plan.sizes.padding + 1,), "float32")
            for position in T.serial(plan.sizes.padding):
                padded[position] = T.float32(0)
            for position in T.serial(plan.sizes.padding + 1):
                padded[plan.sizes.padding + operands.length + position] = T.float32(0)
            for position in T.serial(operands.length):
                padded[plan.sizes.padding + position] = operands.source[batch_index, channel, position]
            _channel(plan, operands, padded, batch_index, channel)
