"""Softmax attention over the valid keys on Apple's GPUs: a threadgroup per query, keys in chunks of one per thread.

The softmax is rescaled from chunk to chunk, so any number of keys fits. It does not know heads' projections.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.math_tir import exp
from engine.ops.threadgroup_tir import Threadgroup, largest_of_threads, sum_of_threads

THREADS = 64
"""As many as a head of the model is wide."""
LOWEST = -3.0e38


@dataclass(frozen=True)
class _Attention:
    heads: int
    width: int
    group: Threadgroup

    @property
    def turns(self) -> int:
        """Channels per thread."""
        return -(-self.width // self.group.threads)


def attention(heads: int, width: int, group: Threadgroup) -> PrimFunc:
    """The kernel: query, key, value [batch, heads, time, width], lengths [batch] (int32) -> y of the same shape."""
    plan = _Attention(heads, width, replace(group, threads=THREADS))

    @T.prim_func(s_tir=True)
    def attention(q: T.handle, k: T.handle, v: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        query = T.match_buffer(q, (batch, plan.heads, time, plan.width), "float32")
        key = T.match_buffer(k, (batch, plan.heads, time, plan.width), "float32")
        value = T.match_buffer(v, (batch, plan.heads, time, plan.width), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, plan.heads, time, plan.width), "float32")
        for place in T.thread_binding(batch * plan.heads, thread="blockIdx.y"):
            for row in T.thread_binding(time, thread="blockIdx.x"):
                for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                    state = T.alloc_buffer((2,), "float32", scope="local")
                    mixed = T.alloc_buffer((plan.turns,), "float32", scope="local")
                    member: T.int32 = T.truncdiv(place, plan.heads)
                    head: T.int32 = T.truncmod(place, plan.heads)
                    length: T.int32 = T.max(T.min(lengths[member], time), 0)
                    state[0] = T.float32(LOWEST)
                    state[1] = T.float32(0)
                    for turn in T.unroll(plan.turns):
                        mixed[turn] = T.float32(0)
                    if row < length:
                        _mix(plan, query, key, value, state, mixed, member, head, row, length, thread)
                    for turn in T.unroll(plan.turns):
                        if turn * plan.group.threads + thread < plan.width:
                            target[member, head, row, turn * plan.group.threads + thread] = mixed[turn] / T.max(
                                state[1], T.float32(1e-30)
                            )

    return attention


@T.inline
def _mix(
    plan: Any,
    query: Any,
    key: Any,
    value: Any,
    state: Any,
    mixed: Any,
    member: Any,
    head: Any,
    row: Any,
    length: Any,
    thread: Any,
) -> None:
    """`state` holds the largest score so far and the sum of weights relative to it, `mixed` the values so weighted."""
    partial = T.alloc_buffer((plan.group.threads,), "float32", scope="shared")
    weights = T.alloc_buffer((plan.group.threads,), "float32", scope="shared")
    local = T.alloc_buffer((3,), "float32", scope="local")
    for chunk in T.serial(T.truncdiv(length + plan.group.threads - 1, plan.group.threads)):
        step: T.int32 = chunk * plan.group.threads + thread
        local[0] = T.float32(0)
        for channel in T.serial(plan.width):
            local[0] += query[member, head, row, channel] * key[member, head, T.min(step, length - 1), channel]
        local[0] = T.Select(step < length, local[0] * T.float32(plan.width**-0.5), T.float32(LOWEST))
        partial[thread] = local[0]
        largest_of_threads(plan.group, partial, thread)
        local[1] = T.max(state[0], partial[0])
        T.tvm_storage_sync("shared")
        local[2] = exp(state[0] - local[1])
        weights[thread] = T.Select(step < length, exp(local[0] - local[1]), T.float32(0))
        partial[thread] = weights[thread]
        sum_of_threads(plan.group, partial, thread)
        state[0] = local[1]
        state[1] = state[1] * local[2] + partial[0]
        for turn in T.unroll(plan.turns):
            mixed[turn] = mixed[turn] * local[2]
            for other in T.serial(T.min(plan.group.threads, length - chunk * plan.group.threads)):
                mixed[turn] += (
                    weights[other]
                    * value[
                        member,
                        head,
                        chunk * plan.group.threads + other,
                        T.min(turn * plan.group.threads + thread, plan.width - 1),
                    ]
                )
        T.tvm_storage_sync("shared")
