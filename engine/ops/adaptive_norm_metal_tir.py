"""Adaptive instance normalisation with its activation on Apple's GPUs: a threadgroup per channel, sums made together.

Mean, variance and the result are over the valid length only; the result beyond is 0. A channel is read twice: every
thread keeps the mean of its own values and their squares about it, then these are brought to the common mean. It does
not know where styles come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.activation_tir import Activation
from engine.ops.adaptive_norm import EPSILON
from engine.ops.operands_tir import without_operands
from engine.ops.threadgroup_tir import Threadgroup, sum_of_threads


@dataclass(frozen=True)
class _Normalisation:
    channels: int
    activation: Activation
    group: Threadgroup


def adaptive_norm(channels: int, activation: Activation, group: Threadgroup) -> PrimFunc:
    """The kernel: x [B, channels, L], lengths [B], styles [B, values], weight, bias [channels], offset -> y as x.

    `offset` is int32: where the channels' gamma and then their beta stand in the styles. The activation's parameter
    [channels], if it has one, comes last.
    """
    plan = _Normalisation(channels, activation, group)

    @T.prim_func(s_tir=True)
    def adaptive_norm(
        x: T.handle, n: T.handle, s: T.handle, w: T.handle, b: T.handle, offset: T.int32, p: T.handle, y: T.handle
    ) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        values = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, time), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        styles = T.match_buffer(s, (batch, values), "float32")
        weight = T.match_buffer(w, (plan.channels,), "float32")
        bias = T.match_buffer(b, (plan.channels,), "float32")
        parameter = T.match_buffer(p, (plan.channels,), "float32")
        target = T.match_buffer(y, (batch, plan.channels, time), "float32")
        for row in T.thread_binding(batch * plan.channels, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                _normalise(plan, source, lengths, styles, offset, weight, bias, parameter, target, time, row, thread)

    return adaptive_norm if activation.has_parameter else without_operands(adaptive_norm, "parameter")


@T.inline
def _measure(
    plan: Any, source: Any, partial: Any, moments: Any, member: Any, channel: Any, length: Any, thread: Any
) -> None:
    """Set moments[0] to the mean over the valid length, moments[1] to the variance; every thread must get here."""
    own = T.alloc_buffer((2,), "float32", scope="local")
    turns: T.int32 = T.truncdiv(length - thread + plan.group.threads - 1, plan.group.threads)
    count: T.float32 = T.Cast("float32", T.max(length, 1))
    own[0] = T.float32(0)
    own[1] = T.float32(0)
    for turn in T.serial(turns):
        value: T.float32 = source[member, channel, turn * plan.group.threads + thread]
        distance: T.float32 = value - own[0]
        own[0] = own[0] + distance / T.Cast("float32", turn + 1)
        own[1] = own[1] + distance * (value - own[0])
    partial[thread] = own[0] * T.Cast("float32", turns)
    sum_of_threads(plan.group, partial, thread)
    moments[0] = partial[0] / count
    T.tvm_storage_sync("shared")
    own[0] = own[0] - moments[0]
    partial[thread] = own[1] + own[0] * own[0] * T.Cast("float32", turns)
    sum_of_threads(plan.group, partial, thread)
    moments[1] = partial[0] / count


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
    row: Any,
    thread: Any,
) -> None:
    partial = T.alloc_buffer((plan.group.threads,), "float32", scope="shared")
    moments = T.alloc_buffer((2,), "float32", scope="local")
    line = T.alloc_buffer((3,), "float32", scope="local")
    member: T.int32 = T.truncdiv(row, plan.channels)
    channel: T.int32 = T.truncmod(row, plan.channels)
    length: T.int32 = T.max(T.min(lengths[member], time), 0)
    gain: T.float32 = T.float32(1) + styles[member, offset + channel]
    _measure(plan, source, partial, moments, member, channel, length, thread)
    line[0] = gain * weight[channel] / T.sqrt(moments[1] + T.float32(EPSILON))
    line[1] = gain * bias[channel] + styles[member, offset + plan.channels + channel]
    line[2] = T.float32(0)
    if plan.activation.has_parameter:
        line[2] = parameter[channel]
    for turn in T.serial(T.truncdiv(time - thread + plan.group.threads - 1, plan.group.threads)):
        place: T.int32 = turn * plan.group.threads + thread
        if place < length:
            target[member, channel, place] = plan.activation.apply(
                (source[member, channel, place] - moments[0]) * line[0] + line[1], line[2]
            )
        else:
            target[member, channel, place] = T.float32(0)
