"""Adaptive instance normalisation with its activation on Apple's GPUs: a threadgroup per channel, sums made together.

Mean, variance and the result are over the valid length only; the result beyond is 0. It does not know where scale and
shift come from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.adaptive_norm import EPSILON
from engine.ops.math_tir import sin_squared
from engine.ops.threadgroup_tir import Threadgroup, sum_of_threads

Activation = Callable[[Any, Any], Any]
"""From a normalised value and the channel's parameter to an expression of the output."""


@dataclass(frozen=True)
class _Normalisation:
    channels: int
    group: Threadgroup
    activation: Activation


def adaptive_norm(channels: int, group: Threadgroup) -> PrimFunc:
    """The kernel: x [B, channels, L], lengths [B], scale [B, channels], shift [B, channels] -> y [B, channels, L]."""
    return _kernel(_Normalisation(channels, group, lambda value, _: value))


def adaptive_norm_leaky_relu(channels: int, slope: float, group: Threadgroup) -> PrimFunc:
    """As `adaptive_norm`, then a leaky ReLU."""
    return _kernel(
        _Normalisation(channels, group, lambda value, _: T.Select(value > 0, value, value * T.float32(slope)))
    )


def adaptive_norm_snake(channels: int, group: Threadgroup) -> PrimFunc:
    """As `adaptive_norm` with alpha [channels] as the last input, then y + sin(alpha y)^2 / alpha."""
    return _kernel_with_parameter(
        _Normalisation(channels, group, lambda value, alpha: value + sin_squared(alpha * value) / alpha)
    )


@T.inline
def _normalise(
    plan: Any,
    source: Any,
    lengths: Any,
    scale: Any,
    shift: Any,
    parameter: Any,
    target: Any,
    time: Any,
    row: Any,
    thread: Any,
) -> None:
    partial = T.alloc_buffer((plan.group.threads,), "float32", scope="shared")
    line = T.alloc_buffer((4,), "float32", scope="local")
    member: T.int32 = T.truncdiv(row, plan.channels)
    channel: T.int32 = T.truncmod(row, plan.channels)
    length: T.int32 = T.max(T.min(lengths[member], time), 0)
    turns: T.int32 = T.truncdiv(length - thread + plan.group.threads - 1, plan.group.threads)
    count: T.float32 = T.Cast("float32", T.max(length, 1))
    partial[thread] = T.float32(0)
    for turn in T.serial(turns):
        partial[thread] += source[member, channel, turn * plan.group.threads + thread]
    sum_of_threads(plan.group, partial, thread)
    line[0] = partial[0] / count
    T.tvm_storage_sync("shared")
    partial[thread] = T.float32(0)
    for turn in T.serial(turns):
        centred: T.float32 = source[member, channel, turn * plan.group.threads + thread] - line[0]
        partial[thread] += centred * centred
    sum_of_threads(plan.group, partial, thread)
    line[1] = scale[member, channel] / T.sqrt(partial[0] / count + T.float32(EPSILON))
    line[2] = shift[member, channel]
    line[3] = T.float32(0)
    if parameter is not None:
        line[3] = parameter[channel]
    for turn in T.serial(T.truncdiv(time - thread + plan.group.threads - 1, plan.group.threads)):
        place: T.int32 = turn * plan.group.threads + thread
        if place < length:
            target[member, channel, place] = plan.activation(
                (source[member, channel, place] - line[0]) * line[1] + line[2], line[3]
            )
        else:
            target[member, channel, place] = T.float32(0)


def _kernel(plan: _Normalisation) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def adaptive_norm(x: T.handle, n: T.handle, a: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, time), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        scale = T.match_buffer(a, (batch, plan.channels), "float32")
        shift = T.match_buffer(b, (batch, plan.channels), "float32")
        target = T.match_buffer(y, (batch, plan.channels, time), "float32")
        for row in T.thread_binding(batch * plan.channels, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                _normalise(plan, source, lengths, scale, shift, None, target, time, row, thread)

    return adaptive_norm


def _kernel_with_parameter(plan: _Normalisation) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def adaptive_norm(x: T.handle, n: T.handle, a: T.handle, b: T.handle, p: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, time), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        scale = T.match_buffer(a, (batch, plan.channels), "float32")
        shift = T.match_buffer(b, (batch, plan.channels), "float32")
        parameter = T.match_buffer(p, (plan.channels,), "float32")
        target = T.match_buffer(y, (batch, plan.channels, time), "float32")
        for row in T.thread_binding(batch * plan.channels, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                _normalise(plan, source, lengths, scale, shift, parameter, target, time, row, thread)

    return adaptive_norm
