"""Layer normalisation of rows on Apple's GPUs: a threadgroup per row, sums made together.

It does not know what the rows are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.threadgroup_tir import Threadgroup, sum_of_threads


@dataclass(frozen=True)
class _Rows:
    channels: int
    epsilon: float
    group: Threadgroup

    @property
    def turns(self) -> int:
        """Values of a row per thread."""
        return -(-self.channels // self.group.threads)


def layer_norm(channels: int, has_affine: bool, epsilon: float, group: Threadgroup) -> PrimFunc:
    """The kernel: x [rows, channels], scale and shift [channels] if any -> y [rows, channels]."""
    plan = _Rows(channels, epsilon, group)
    return _affine(plan) if has_affine else _plain(plan)


@T.inline
def _normalise(plan: Any, source: Any, scale: Any, shift: Any, target: Any, row: Any, thread: Any) -> None:
    partial = T.alloc_buffer((plan.group.threads,), "float32", scope="shared")
    line = T.alloc_buffer((2,), "float32", scope="local")
    partial[thread] = T.float32(0)
    for turn in T.serial(plan.turns):
        if turn * plan.group.threads + thread < plan.channels:
            partial[thread] += source[row, turn * plan.group.threads + thread]
    sum_of_threads(plan.group, partial, thread)
    line[0] = partial[0] * T.float32(1 / plan.channels)
    T.tvm_storage_sync("shared")
    partial[thread] = T.float32(0)
    for turn in T.serial(plan.turns):
        if turn * plan.group.threads + thread < plan.channels:
            centred: T.float32 = source[row, turn * plan.group.threads + thread] - line[0]
            partial[thread] += centred * centred
    sum_of_threads(plan.group, partial, thread)
    line[1] = T.float32(1) / T.sqrt(partial[0] * T.float32(1 / plan.channels) + T.float32(plan.epsilon))
    for turn in T.serial(plan.turns):
        channel: T.int32 = turn * plan.group.threads + thread
        if channel < plan.channels:
            normal: T.float32 = (source[row, channel] - line[0]) * line[1]
            if scale is not None:
                normal = normal * scale[channel] + shift[channel]
            target[row, channel] = normal


def _affine(plan: _Rows) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def layer_norm(x: T.handle, a: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        source = T.match_buffer(x, (rows, plan.channels), "float32")
        scale = T.match_buffer(a, (plan.channels,), "float32")
        shift = T.match_buffer(b, (plan.channels,), "float32")
        target = T.match_buffer(y, (rows, plan.channels), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                _normalise(plan, source, scale, shift, target, row, thread)

    return layer_norm


def _plain(plan: _Rows) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def layer_norm(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        source = T.match_buffer(x, (rows, plan.channels), "float32")
        target = T.match_buffer(y, (rows, plan.channels), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                _normalise(plan, source, None, None, target, row, thread)

    return layer_norm
