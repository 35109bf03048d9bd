"""Layer normalization of rows on Apple's GPUs: a threadgroup per row, whose values stay in registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.metal.threadgroup import Threadgroup, sum_of_threads
from engine.compiler.kernels.signatures import with_operands


@dataclass(frozen=True)
class _Rows:
    channels: int
    epsilon: float
    group: Threadgroup
    style: int = 0

    @property
    def turns(self) -> int:
        """Values of a row per thread, rounded up."""
        return -(-self.channels // self.group.threads)

    @property
    def style_turns(self) -> int:
        """Values of a style per thread, rounded up."""
        return -(-self.style // self.group.threads)


def layer_norm(channels: int, has_addend: bool, has_affine: bool, epsilon: float, group: Threadgroup) -> PrimFunc:
    """The kernel: x [rows, channels], an addend as x if any, scale and shift [channels] if any -> y as x."""
    plan = _Rows(channels, epsilon, group)

    @T.prim_func(s_tir=True)
    def layer_norm(x: T.handle, z: T.handle, a: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        source = T.match_buffer(x, (rows, plan.channels), "float32")
        addend = T.match_buffer(z, (rows, plan.channels), "float32")
        scale = T.match_buffer(a, (plan.channels,), "float32")
        shift = T.match_buffer(b, (plan.channels,), "float32")
        target = T.match_buffer(y, (rows, plan.channels), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                values = T.alloc_buffer((plan.turns,), "float32", scope="local")
                line = T.alloc_buffer((2,), "float32", scope="local")
                for turn in T.unroll(plan.turns):
                    values[turn] = T.float32(0)
                _load(plan, source, values, row, thread)
                if has_addend:
                    _load(plan, addend, values, row, thread)
                _measure(plan, values, line, thread)
                for turn in T.unroll(plan.turns):
                    channel: T.int32 = turn * plan.group.threads + thread
                    if channel < plan.channels:
                        normal: T.float32 = (values[turn] - line[0]) * line[1]
                        if has_affine:
                            normal = normal * scale[channel] + shift[channel]
                        target[row, channel] = normal

    return with_operands(layer_norm, addend=has_addend, scale=has_affine, shift=has_affine)


def adaptive_layer_norm(channels: int, style: int, epsilon: float, group: Threadgroup) -> PrimFunc:
    """The kernel: x [B, T, channels], styles [B, values], constant input [B, style], offset -> y.

    y is [B, T, channels + style]: every step ends with the constant input. `offset` (int32) is the index in the styles
    of the gammas, which the betas follow.
    """
    plan = _Rows(channels, epsilon, group, style)

    @T.prim_func(s_tir=True)
    def adaptive_layer_norm(x: T.handle, s: T.handle, b: T.handle, offset: T.int32, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        values = T.int32()
        source = T.match_buffer(x, (batch, time, plan.channels), "float32")
        styles = T.match_buffer(s, (batch, values), "float32")
        constant_input = T.match_buffer(b, (batch, plan.style), "float32")
        target = T.match_buffer(y, (batch, time, plan.channels + plan.style), "float32")
        for batch_index in T.thread_binding(batch, thread="blockIdx.y"):
            for step in T.thread_binding(time, thread="blockIdx.x"):
                for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                    _normalize_styled(plan, source, styles, offset, constant_input, target, batch_index, step, thread)

    return adaptive_layer_norm


@T.inline
def _load(plan: Any, source: Any, values: Any, row: Any, thread: Any) -> None:
    """Add the thread's values of a row to `values`."""
    for turn in T.unroll(plan.turns):
        if turn * plan.group.threads + thread < plan.channels:
            values[turn] = values[turn] + source[row, turn * plan.group.threads + thread]


@T.inline
def _measure(plan: Any, values: Any, line: Any, thread: Any) -> None:
    """Set line[0] to the mean of the row, line[1] to 1 / sqrt(variance + epsilon); every thread must call this."""
    partial = T.alloc_buffer((plan.group.threads,), "float32", scope="shared")
    partial[thread] = T.float32(0)
    for turn in T.unroll(plan.turns):
        partial[thread] += values[turn]
    sum_of_threads(plan.group, partial, thread)
    line[0] = partial[0] * T.float32(1 / plan.channels)
    # Every thread has read partial[0] before it is overwritten.
    T.tvm_storage_sync("shared")
    partial[thread] = T.float32(0)
    for turn in T.unroll(plan.turns):
        if turn * plan.group.threads + thread < plan.channels:
            # About the mean, not as mean(x^2) - mean(x)^2, which would cancel.
            partial[thread] += (values[turn] - line[0]) * (values[turn] - line[0])
    sum_of_threads(plan.group, partial, thread)
    line[1] = T.float32(1) / T.sqrt(partial[0] * T.float32(1 / plan.channels) + T.float32(plan.epsilon))


@T.inline
def _normalize_styled(
    plan: Any,
    source: Any,
    styles: Any,
    offset: Any,
    constant_input: Any,
    target: Any,
    batch_index: Any,
    step: Any,
    thread: Any,
) -> None:
    values = T.alloc_buffer((plan.turns,), "float32", scope="local")
    line = T.alloc_buffer((2,), "float32", scope="local")
    for turn in T.unroll(plan.turns):
        values[turn] = T.float32(0)
        if turn * plan.group.threads + thread < plan.channels:
            values[turn] = source[batch_index, step, turn * plan.group.threads + thread]
    _measure(plan, values, line, thread)
    for turn in T.unroll(plan.turns):
        channel: T.int32 = turn * plan.group.threads + thread
        if channel < plan.channels:
            normal: T.float32 = (values[turn] - line[0]) * line[1]
            # y = (1 + gamma) normal + beta
            target[batch_index, step, channel] = (
                T.float32(1) + styles[batch_index, offset + channel]
            ) * normal + styles[batch_index, offset + plan.channels + channel]
    for turn in T.unroll(plan.style_turns):
        place: T.int32 = turn * plan.group.threads + thread
        if place < plan.style:
            target[batch_index, step, plan.channels + place] = constant_input[batch_index, place]
