"""Adaptive instance normalization on CPUs with the activation that follows it: a channel at a time, in two passes.

The first pass sums mean and variance in float64, the second computes the result. Both read the valid length only;
beyond it, the result is 0.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.activations import Activation
from engine.compiler.kernels.cpu.cache import prefetch
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.signatures import adaptive_norm_function
from engine.network.ops.adaptive_norm import EPSILON

VECTORS = 2
"""Vectors of partial sums, enough to hide the latency of an addition."""


def adaptive_norm(channels: int, activation: Activation, microkernel: Microkernel) -> PrimFunc:
    """The kernel; its operands are those of `adaptive_norm_function`."""

    @T.inline
    def body(operands: Any) -> None:
        for chunk in T.parallel(microkernel.chunks):
            first: T.int64 = chunk * operands.batch * channels // microkernel.chunks
            last: T.int64 = (chunk + 1) * operands.batch * channels // microkernel.chunks
            for index in T.serial(first, last):
                _normalize(microkernel.lanes, operands, index)

    return adaptive_norm_function(channels, activation, body, T.int64)


@T.inline
def _add(sums: Any, vector: Any, lane: Any, distance: Any) -> None:
    sums[0, vector, lane] += distance
    sums[1, vector, lane] += distance * distance


@T.inline
def _measure(lanes: Any, source: Any, batch_index: Any, channel: Any, length: Any, center: Any, totals: Any) -> None:
    """Set totals[0] to the sum of distances from `center` over the valid length, totals[1] to that of their squares."""
    # The vectors of `sums` stay in registers, which cannot be indexed at run time; the last values go to `spilled`.
    sums = T.alloc_buffer((2, VECTORS, lanes), "float64")
    spilled = T.alloc_buffer((2, VECTORS, lanes), "float64")
    groups: T.int64 = length // (VECTORS * lanes)
    for power, vector in T.grid(2, VECTORS):
        for lane in T.vectorized(lanes):
            sums[power, vector, lane] = T.float64(0)
    for group in T.serial(groups):
        for vector in T.unroll(VECTORS):
            for lane in T.vectorized(lanes):
                _add(
                    sums,
                    vector,
                    lane,
                    T.Cast("float64", source[batch_index, channel, (group * VECTORS + vector) * lanes + lane]) - center,
                )
    for power, vector in T.grid(2, VECTORS):
        for lane in T.vectorized(lanes):
            spilled[power, vector, lane] = sums[power, vector, lane]
    for position in T.serial(groups * VECTORS * lanes, length):
        _add(spilled, 0, 0, T.Cast("float64", source[batch_index, channel, position]) - center)
    totals[0] = T.float64(0)
    totals[1] = T.float64(0)
    for power, vector, lane in T.grid(2, VECTORS, lanes):
        totals[power] += spilled[power, vector, lane]


@T.inline
def _apply(lanes: Any, operands: Any, batch_index: Any, channel: Any, length: Any, line: Any) -> None:
    """Write a channel's result; `line` holds mean, factor, shift and the activation's parameter."""
    last = T.alloc_buffer((lanes,), "float32")
    whole: T.int64 = length // lanes * lanes
    for vector in T.serial(length // lanes):
        # There is time to load the next channel into the cache, which its first pass would otherwise wait for.
        prefetch(operands.source, [batch_index, channel + 1, vector * lanes], later=True)
        for lane in T.vectorized(lanes):
            operands.target[batch_index, channel, vector * lanes + lane] = operands.activation.apply(
                (operands.source[batch_index, channel, vector * lanes + lane] - line[0]) * line[1] + line[2], line[3]
            )
    # The last vector goes through a padded copy, so that the activation is vector code there too.
    for lane in T.vectorized(lanes):
        last[lane] = line[0]
    for lane in T.serial(length - whole):
        last[lane] = operands.source[batch_index, channel, whole + lane]
    for lane in T.vectorized(lanes):
        last[lane] = operands.activation.apply((last[lane] - line[0]) * line[1] + line[2], line[3])
    for lane in T.serial(length - whole):
        operands.target[batch_index, channel, whole + lane] = last[lane]


@T.inline
def _normalize(lanes: Any, operands: Any, index: Any) -> None:
    """Normalize one channel of one sequence of the batch."""
    batch_index: T.int64 = index // operands.channels
    channel: T.int64 = index % operands.channels
    length: T.int64 = T.max(T.min(T.Cast("int64", operands.lengths[batch_index]), operands.time), 0)
    count: T.float64 = T.Cast("float64", T.max(length, 1))
    # In float64, because a rounding error here would be the same at every step of the channel.
    gain: T.float64 = T.float64(1) + T.Cast("float64", operands.gamma(batch_index, channel))
    shift: T.float64 = gain * T.Cast("float64", operands.bias[channel]) + T.Cast(
        "float64", operands.beta(batch_index, channel)
    )
    totals = T.alloc_buffer((2,), "float64")
    line = T.alloc_buffer((4,), "float32")
    # No value is further from the mean than sqrt(count) standard deviations, so sums about the first value lose little.
    center: T.float64 = T.if_then_else(
        length > 0, T.Cast("float64", operands.source[batch_index, channel, 0]), T.float64(0)
    )
    _measure(lanes, operands.source, batch_index, channel, length, center, totals)
    distance: T.float64 = totals[0] / count
    mean: T.float64 = center + distance
    # var x = mean((x - c)^2) - mean(x - c)^2 for any centre c; rounding may take it below 0.
    variance: T.float64 = T.max(totals[1] / count - distance * distance, T.float64(0))
    factor: T.float64 = gain * T.Cast("float64", operands.weight[channel]) / T.sqrt(variance + T.float64(EPSILON))
    line[0] = T.Cast("float32", mean)
    line[1] = T.Cast("float32", factor)
    # Shift makes up for rounding the mean to float32, which matters where the signal hardly varies about it.
    line[2] = T.Cast("float32", shift - (mean - T.Cast("float64", line[0])) * factor)
    line[3] = operands.alpha(channel)
    _apply(lanes, operands, batch_index, channel, length, line)
    for position in T.serial(length, operands.time):
        operands.target[batch_index, channel, position] = T.float32(0)
