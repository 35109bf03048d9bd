"""Softmax attention over the valid keys as one TIR kernel: a few rows at a time, scores never leaving the cache.

It does not know heads' projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.math_tir import exp
from engine.ops.microkernel_tir import Microkernel

ROWS = 4
"""Queries that share one reading of the keys and values."""
LOWEST = -3.0e38


@dataclass(frozen=True)
class _Attention:
    """Sizes of the attention; `chunks` parts run in parallel, each with scores of its own."""

    heads: int
    width: int
    lanes: int
    chunks: int

    @property
    def channels(self) -> int:
        return self.heads * self.width


def attention(heads: int, width: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [batch, time, 3 * heads * width], lengths [batch] (int32) -> y [batch, time, heads * width].

    A step of x holds the queries of all heads, then their keys, then their values.
    """
    plan = _Attention(heads, width, microkernel.lanes, microkernel.chunks)

    @T.prim_func(s_tir=True)
    def attention(x: T.handle, lengths: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        time = T.int64()
        source = T.match_buffer(x, (batch, time, 3 * plan.channels), "float32")
        valid = T.match_buffer(lengths, (batch,), "int32")
        target = T.match_buffer(y, (batch, time, plan.channels), "float32")
        columns = T.alloc_buffer((batch, plan.heads, plan.width, time), "float32")
        scores = T.alloc_buffer((plan.chunks, ROWS, time), "float32")
        _transpose(plan, source, valid, columns, batch)
        for chunk in T.parallel(plan.chunks):
            blocks: T.int64 = T.ceildiv(time, ROWS)
            units: T.int64 = batch * plan.heads * blocks
            for unit in T.serial(chunk * units // plan.chunks, (chunk + 1) * units // plan.chunks):
                member: T.int64 = unit // (plan.heads * blocks)
                head: T.int64 = unit // blocks % plan.heads
                first: T.int64 = unit % blocks * ROWS
                length: T.int64 = T.Cast("int64", valid[member])
                if first < length:
                    _score(plan, source, columns, scores, chunk, member, head, first, length)
                    _average(plan, scores, source, target, chunk, member, head, first, length)
                for row in T.serial(T.max(first, length), T.min(first + ROWS, time)):
                    for channel in T.serial(plan.width):
                        target[member, row, head * plan.width + channel] = T.float32(0)

    return attention


@T.inline
def _transpose(plan: Any, source: Any, valid: Any, columns: Any, batch: Any) -> None:
    """The keys, time last."""
    for member_head in T.parallel(batch * plan.heads):
        member: T.int64 = member_head // plan.heads
        head: T.int64 = member_head % plan.heads
        for channel in T.serial(plan.width):
            for step in T.serial(T.Cast("int64", valid[member])):
                columns[member, head, channel, step] = source[member, step, plan.channels + head * plan.width + channel]


@T.inline
def _score(
    plan: Any, source: Any, columns: Any, scores: Any, chunk: Any, member: Any, head: Any, first: Any, length: Any
) -> None:
    """Scaled products of the rows with every valid key; rows beyond the last repeat it and are not stored."""
    for row in T.serial(ROWS):
        for step in T.serial(length):
            scores[chunk, row, step] = T.float32(0)
    for channel in T.serial(plan.width):
        for row in T.unroll(ROWS):
            factor: T.float32 = source[member, T.min(first + row, length - 1), head * plan.width + channel] * T.float32(
                plan.width**-0.5
            )
            for step in T.serial(length):
                scores[chunk, row, step] += factor * columns[member, head, channel, step]


def _sum(first: Any, second: Any) -> Any:
    return first + second


@T.inline
def _reduce(
    plan: Any, scores: Any, chunk: Any, row: Any, length: Any, combine: Any, least: Any, partial: Any, result: Any
) -> None:
    """One value of a row's scores, from `least` on; `partial` holds one per lane so that this becomes vector code."""
    for lane in T.vectorized(plan.lanes):
        partial[lane] = T.float32(least)
    for block in T.serial(length // plan.lanes):
        for lane in T.vectorized(plan.lanes):
            partial[lane] = combine(partial[lane], scores[chunk, row, block * plan.lanes + lane])
    for step in T.serial(length // plan.lanes * plan.lanes, length):
        partial[0] = combine(partial[0], scores[chunk, row, step])
    result[0] = T.float32(least)
    for lane in T.serial(plan.lanes):
        result[0] = combine(result[0], partial[lane])


@T.inline
def _average(
    plan: Any, scores: Any, source: Any, target: Any, chunk: Any, member: Any, head: Any, first: Any, length: Any
) -> None:
    """The values averaged with the softmax of the scores as weights."""
    partial = T.alloc_buffer((plan.lanes,), "float32")
    total = T.alloc_buffer((1,), "float32", scope="local")
    sums = T.alloc_buffer((ROWS,), "float32")
    mixed = T.alloc_buffer((ROWS, plan.width), "float32")
    for row in T.serial(ROWS):
        _reduce(plan, scores, chunk, row, length, T.max, LOWEST, partial, total)
        for step in T.serial(length):
            scores[chunk, row, step] = exp(scores[chunk, row, step] - total[0])
        _reduce(plan, scores, chunk, row, length, _sum, 0, partial, total)
        sums[row] = total[0]
        for channel in T.serial(plan.width):
            mixed[row, channel] = T.float32(0)
    for step in T.serial(length):
        for row in T.unroll(ROWS):
            for channel in T.serial(plan.width):
                mixed[row, channel] += (
                    scores[chunk, row, step] * source[member, step, 2 * plan.channels + head * plan.width + channel]
                )
    for row in T.serial(T.min(ROWS, length - first)):
        for channel in T.serial(plan.width):
            target[member, first + row, head * plan.width + channel] = mixed[row, channel] / sums[row]
