"""Adaptive instance normalisation as TIR, with the activation that follows it: a channel at a time, in three passes.

Mean, variance (both summed in float64) and the result, each over the valid length only; what stands beyond is never
read, the result there is 0. It does not know where styles come from.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.activation_tir import Activation
from engine.ops.adaptive_norm import EPSILON
from engine.ops.adaptive_norm_function_tir import adaptive_norm_function
from engine.ops.microkernel_tir import Microkernel

VECTORS = 2
"""Vectors of partial sums: enough to hide the latency of an addition."""


def adaptive_norm(channels: int, activation: Activation, microkernel: Microkernel) -> PrimFunc:
    """The kernel; its operands are those of `adaptive_norm_function`."""

    @T.inline
    def body(operands: Any) -> None:
        for chunk in T.parallel(microkernel.chunks):
            first: T.int64 = chunk * operands.batch * channels // microkernel.chunks
            last: T.int64 = (chunk + 1) * operands.batch * channels // microkernel.chunks
            for index in T.serial(first, last):
                _normalise(microkernel.lanes, operands, index)

    return adaptive_norm_function(channels, activation, body, T.int64)


def _to_the(power: int, value: Any) -> Any:
    return value if power == 1 else value * value


@T.inline
def _sum(lanes: Any, source: Any, member: Any, channel: Any, length: Any, centre: Any, power: Any, total: Any) -> None:
    """Set total[0] to the sum of (source - centre)^power over the valid length."""
    sums = T.alloc_buffer((VECTORS, lanes), "float64")
    spilled = T.alloc_buffer((VECTORS, lanes), "float64")
    groups: T.int64 = length // (VECTORS * lanes)
    for vector in T.unroll(VECTORS):
        for lane in T.vectorized(lanes):
            sums[vector, lane] = T.float64(0)
    for group in T.serial(groups):
        for vector in T.unroll(VECTORS):
            for lane in T.vectorized(lanes):
                sums[vector, lane] += _to_the(
                    power,
                    T.Cast("float64", source[member, channel, (group * VECTORS + vector) * lanes + lane]) - centre,
                )
    for vector in T.unroll(VECTORS):
        for lane in T.vectorized(lanes):
            spilled[vector, lane] = sums[vector, lane]
    total[0] = T.float64(0)
    for vector, lane in T.grid(VECTORS, lanes):
        total[0] += spilled[vector, lane]
    for position in T.serial(groups * VECTORS * lanes, length):
        total[0] += _to_the(power, T.Cast("float64", source[member, channel, position]) - centre)


@T.inline
def _apply(lanes: Any, operands: Any, member: Any, channel: Any, length: Any, line: Any) -> None:
    """`line` holds mean, factor, shift and the activation's parameter; the last vector goes through a padded copy."""
    last = T.alloc_buffer((lanes,), "float32")
    whole: T.int64 = length // lanes * lanes
    for vector in T.serial(length // lanes):
        for lane in T.vectorized(lanes):
            operands.target[member, channel, vector * lanes + lane] = operands.activation.apply(
                (operands.source[member, channel, vector * lanes + lane] - line[0]) * line[1] + line[2], line[3]
            )
    for lane in T.vectorized(lanes):
        last[lane] = line[0]
    for lane in T.serial(length - whole):
        last[lane] = operands.source[member, channel, whole + lane]
    for lane in T.vectorized(lanes):
        last[lane] = operands.activation.apply((last[lane] - line[0]) * line[1] + line[2], line[3])
    for lane in T.serial(length - whole):
        operands.target[member, channel, whole + lane] = last[lane]


@T.inline
def _normalise(lanes: Any, operands: Any, index: Any) -> None:
    """One channel of one member of the batch."""
    member: T.int64 = index // operands.channels
    channel: T.int64 = index % operands.channels
    length: T.int64 = T.max(T.min(T.Cast("int64", operands.lengths[member]), operands.time), 0)
    count: T.float64 = T.Cast("float64", T.max(length, 1))
    gain: T.float32 = operands.gain(member, channel)
    shift: T.float32 = gain * operands.bias[channel] + operands.beta(member, channel)
    total = T.alloc_buffer((1,), "float64")
    line = T.alloc_buffer((4,), "float32")
    _sum(lanes, operands.source, member, channel, length, T.float64(0), 1, total)
    mean: T.float64 = total[0] / count
    _sum(lanes, operands.source, member, channel, length, mean, 2, total)
    factor: T.float64 = T.Cast("float64", gain * operands.weight[channel]) / T.sqrt(
        total[0] / count + T.float64(EPSILON)
    )
    line[0] = T.Cast("float32", mean)
    line[1] = T.Cast("float32", factor)
    # What rounding takes from the mean matters where the signal hardly varies about it.
    line[2] = T.Cast("float32", T.Cast("float64", shift) - (mean - T.Cast("float64", line[0])) * factor)
    line[3] = operands.alpha(channel)
    _apply(lanes, operands, member, channel, length, line)
    for position in T.serial(length, operands.time):
        operands.target[member, channel, position] = T.float32(0)
