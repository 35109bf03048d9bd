"""Adaptive instance normalization with its activation on Apple's GPUs: a threadgroup per channel.

Mean, variance and the result are over the valid length only; beyond it, the result is 0. A channel is read twice: every
thread computes the mean of its values and the sum of squares about it, the threads combine these to mean and variance,
and then each value is normalized.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.activations import Activation
from engine.compiler.kernels.metal.threadgroup import Threadgroup, sum_of_threads
from engine.compiler.kernels.signatures import adaptive_norm_function
from engine.network.ops.adaptive_norm import EPSILON


def adaptive_norm(channels: int, activation: Activation, group: Threadgroup) -> PrimFunc:
    """The kernel; its operands are those of `adaptive_norm_function`."""

    @T.inline
    def body(operands: Any) -> None:
        for row in T.thread_binding(operands.batch * channels, thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                _normalize(group, operands, row, thread)

    return adaptive_norm_function(channels, activation, body, T.int32)


@T.inline
def _measure(
    group: Any, source: Any, partial: Any, moments: Any, batch_index: Any, channel: Any, length: Any, thread: Any
) -> None:
    """Set moments[0] to the mean over the valid length, moments[1] to the variance; every thread must call this."""
    own = T.alloc_buffer((2,), "float32", scope="local")
    turns: T.int32 = T.truncdiv(length - thread + group.threads - 1, group.threads)
    count: T.float32 = T.Cast("float32", T.max(length, 1))
    own[0] = T.float32(0)
    own[1] = T.float32(0)
    for turn in T.serial(turns):
        value: T.float32 = source[batch_index, channel, turn * group.threads + thread]
        # Welford: mean += d / n, squares += d (x - new mean), which is never negative: nothing cancels.
        distance: T.float32 = value - own[0]
        own[0] = own[0] + distance / T.Cast("float32", turn + 1)
        own[1] = own[1] + distance * (value - own[0])
    # The common mean is that of the threads' means, weighted with their counts.
    partial[thread] = own[0] * T.Cast("float32", turns)
    sum_of_threads(group, partial, thread)
    moments[0] = partial[0] / count
    # Every thread has read partial[0] before the next sum overwrites it.
    T.tvm_storage_sync("shared")
    # Squares about the common mean: sum (x - m)^2 = sum (x - own)^2 + n (own - m)^2.
    own[0] = own[0] - moments[0]
    partial[thread] = own[1] + own[0] * own[0] * T.Cast("float32", turns)
    sum_of_threads(group, partial, thread)
    moments[1] = partial[0] / count


@T.inline
def _normalize(group: Any, operands: Any, row: Any, thread: Any) -> None:
    partial = T.alloc_buffer((group.threads,), "float32", scope="shared")
    moments = T.alloc_buffer((2,), "float32", scope="local")
    line = T.alloc_buffer((3,), "float32", scope="local")
    batch_index: T.int32 = T.truncdiv(row, operands.channels)
    channel: T.int32 = T.truncmod(row, operands.channels)
    length: T.int32 = T.max(T.min(operands.lengths[batch_index], operands.time), 0)
    gain: T.float32 = T.float32(1) + operands.gamma(batch_index, channel)
    _measure(group, operands.source, partial, moments, batch_index, channel, length, thread)
    # y = (1 + gamma) (weight (x - mean) / sqrt(variance + epsilon) + bias) + beta, as (x - mean) scale + shift.
    line[0] = gain * operands.weight[channel] / T.sqrt(moments[1] + T.float32(EPSILON))
    line[1] = gain * operands.bias[channel] + operands.beta(batch_index, channel)
    line[2] = operands.alpha(channel)
    for turn in T.serial(T.truncdiv(operands.time - thread + group.threads - 1, group.threads)):
        place: T.int32 = turn * group.threads + thread
        if place < length:
            operands.target[batch_index, channel, place] = operands.activation.apply(
                (operands.source[batch_index, channel, place] - moments[0]) * line[0] + line[1], line[2]
            )
        else:
            operands.target[batch_index, channel, place] = T.float32(0)
