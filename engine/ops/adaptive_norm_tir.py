"""Adaptive instance normalisation as TIR, with the activation that follows it: a channel at a time, in three passes.

Mean, variance (both summed in float64) and the result, each over the valid length only; what stands beyond is never
read, the result there is 0. It does not know where styles come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.activation_tir import Activation
from engine.ops.adaptive_norm import EPSILON
from engine.ops.microkernel_tir import Microkernel
from engine.ops.operands_tir import without_operands

VECTORS = 2
"""Vectors of partial sums: enough to hide the latency of an addition."""


@dataclass(frozen=True)
class _Normalisation:
    channels: int
    activation: Activation
    microkernel: Microkernel

    @property
    def lanes(self) -> int:
        return self.microkernel.lanes

    @property
    def chunks(self) -> int:
        return self.microkernel.chunks


def adaptive_norm(channels: int, activation: Activation, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [B, channels, L], lengths [B], styles [B, values], weight, bias [channels], offset -> y as x.

    `offset` is int32: where the channels' gamma and then their beta stand in the styles. The activation's parameter
    [channels], if it has one, comes last.
    """
    plan = _Normalisation(channels, activation, microkernel)

    @T.prim_func(s_tir=True)
    def adaptive_norm(
        x: T.handle, n: T.handle, s: T.handle, w: T.handle, b: T.handle, offset: T.int32, p: T.handle, y: T.handle
    ) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        time = T.int64()
        values = T.int64()
        source = T.match_buffer(x, (batch, plan.channels, time), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        styles = T.match_buffer(s, (batch, values), "float32")
        weight = T.match_buffer(w, (plan.channels,), "float32")
        bias = T.match_buffer(b, (plan.channels,), "float32")
        parameter = T.match_buffer(p, (plan.channels,), "float32")
        target = T.match_buffer(y, (batch, plan.channels, time), "float32")
        _normalise_all(plan, source, lengths, styles, offset, weight, bias, parameter, target, batch, time)

    return adaptive_norm if activation.has_parameter else without_operands(adaptive_norm, "parameter")


def _to_the(power: int, value: Any) -> Any:
    return value if power == 1 else value * value


@T.inline
def _sum(plan: Any, source: Any, member: Any, channel: Any, length: Any, centre: Any, power: Any, total: Any) -> None:
    """Set total[0] to the sum of (source - centre)^power over the valid length."""
    sums = T.alloc_buffer((VECTORS, plan.lanes), "float64")
    spilled = T.alloc_buffer((VECTORS, plan.lanes), "float64")
    groups: T.int64 = length // (VECTORS * plan.lanes)
    for vector in T.unroll(VECTORS):
        for lane in T.vectorized(plan.lanes):
            sums[vector, lane] = T.float64(0)
    for group in T.serial(groups):
        for vector in T.unroll(VECTORS):
            for lane in T.vectorized(plan.lanes):
                sums[vector, lane] += _to_the(
                    power,
                    T.Cast("float64", source[member, channel, (group * VECTORS + vector) * plan.lanes + lane]) - centre,
                )
    for vector in T.unroll(VECTORS):
        for lane in T.vectorized(plan.lanes):
            spilled[vector, lane] = sums[vector, lane]
    total[0] = T.float64(0)
    for vector, lane in T.grid(VECTORS, plan.lanes):
        total[0] += spilled[vector, lane]
    for position in T.serial(groups * VECTORS * plan.lanes, length):
        total[0] += _to_the(power, T.Cast("float64", source[member, channel, position]) - centre)


@T.inline
def _apply(plan: Any, source: Any, target: Any, member: Any, channel: Any, length: Any, line: Any) -> None:
    """`line` holds mean, factor, shift and the activation's parameter; the last vector goes through a padded copy."""
    last = T.alloc_buffer((plan.lanes,), "float32")
    whole: T.int64 = length // plan.lanes * plan.lanes
    for vector in T.serial(length // plan.lanes):
        for lane in T.vectorized(plan.lanes):
            target[member, channel, vector * plan.lanes + lane] = plan.activation.apply(
                (source[member, channel, vector * plan.lanes + lane] - line[0]) * line[1] + line[2], line[3]
            )
    for lane in T.vectorized(plan.lanes):
        last[lane] = line[0]
    for lane in T.serial(length - whole):
        last[lane] = source[member, channel, whole + lane]
    for lane in T.vectorized(plan.lanes):
        last[lane] = plan.activation.apply((last[lane] - line[0]) * line[1] + line[2], line[3])
    for lane in T.serial(length - whole):
        target[member, channel, whole + lane] = last[lane]


@T.inline
def _normalise(
    plan: Any,
    source: Any,
    lengths: Any,
    styles: Any,
    offset: Any,
    weight: Any,
    bias: Any,
    parameter: Any,
    target: Any,
    time: Any,
    index: Any,
) -> None:
    """One channel of one member of the batch."""
    member: T.int64 = index // plan.channels
    channel: T.int64 = index % plan.channels
    length: T.int64 = T.max(T.min(T.Cast("int64", lengths[member]), time), 0)
    count: T.float64 = T.Cast("float64", T.max(length, 1))
    gain: T.float32 = T.float32(1) + styles[member, offset + channel]
    shift: T.float32 = gain * bias[channel] + styles[member, offset + plan.channels + channel]
    total = T.alloc_buffer((1,), "float64")
    line = T.alloc_buffer((4,), "float32")
    _sum(plan, source, member, channel, length, T.float64(0), 1, total)
    mean: T.float64 = total[0] / count
    _sum(plan, source, member, channel, length, mean, 2, total)
    factor: T.float64 = T.Cast("float64", gain * weight[channel]) / T.sqrt(total[0] / count + T.float64(EPSILON))
    line[0] = T.Cast("float32", mean)
    line[1] = T.Cast("float32", factor)
    # What rounding takes from the mean matters where the signal hardly varies about it.
    line[2] = T.Cast("float32", T.Cast("float64", shift) - (mean - T.Cast("float64", line[0])) * factor)
    line[3] = T.float32(0)
    if plan.activation.has_parameter:
        line[3] = parameter[channel]
    _apply(plan, source, target, member, channel, length, line)
    for position in T.serial(length, time):
        target[member, channel, position] = T.float32(0)


@T.inline
def _normalise_all(
    plan: Any,
    source: Any,
    lengths: Any,
    styles: Any,
    offset: Any,
    weight: Any,
    bias: Any,
    parameter: Any,
    target: Any,
    batch: Any,
    time: Any,
) -> None:
    for chunk in T.parallel(plan.chunks):
        first: T.int64 = chunk * batch * plan.channels // plan.chunks
        last: T.int64 = (chunk + 1) * batch * plan.channels // plan.chunks
        for index in T.serial(first, last):
            _normalise(plan, source, lengths, styles, offset, weight, bias, parameter, target, time, index)
