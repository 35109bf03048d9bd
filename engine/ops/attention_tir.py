"""Softmax attention over the valid keys as one TIR kernel: a few rows at a time, scores never leaving the cache.

Both of its products sum up in registers. It does not know heads' projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.math_tir import exp
from engine.ops.microkernel_tir import Microkernel, ceil_div

ROWS = 8
"""Queries that share one reading of the keys and values: as many sums as keep the multipliers busy."""
LOWEST = -3.0e38


@dataclass(frozen=True)
class _Attention:
    """Sizes of the attention; `chunks` parts run in parallel, each with queries and scores of its own."""

    heads: int
    width: int
    lanes: int
    chunks: int

    @property
    def channels(self) -> int:
        return self.heads * self.width

    @property
    def vectors(self) -> int:
        """Of a head's channels."""
        return ceil_div(self.width, self.lanes)


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
        keys = T.alloc_buffer((batch * plan.heads, T.ceildiv(time, plan.lanes), plan.width, plan.lanes), "float32")
        values = T.alloc_buffer((batch * plan.heads, plan.vectors, time, plan.lanes), "float32")
        queries = T.alloc_buffer((plan.chunks, ROWS, plan.width), "float32")
        scores = T.alloc_buffer((plan.chunks, ROWS, T.ceildiv(time, plan.lanes) * plan.lanes), "float32")
        _arrange(plan, source, valid, keys, values, batch)
        for chunk in T.parallel(plan.chunks):
            blocks: T.int64 = T.ceildiv(time, ROWS)
            units: T.int64 = batch * plan.heads * blocks
            for unit in T.serial(chunk * units // plan.chunks, (chunk + 1) * units // plan.chunks):
                one: T.int64 = unit // blocks
                first: T.int64 = unit % blocks * ROWS
                length: T.int64 = T.Cast("int64", valid[one // plan.heads])
                if first < length:
                    _query(plan, source, queries, chunk, one, first, length)
                    _score(plan, queries, keys, scores, chunk, one, length)
                    _average(plan, scores, values, target, chunk, one, first, length)
                for row in T.serial(T.max(first, length), T.min(first + ROWS, time)):
                    for channel in T.serial(plan.width):
                        target[one // plan.heads, row, one % plan.heads * plan.width + channel] = T.float32(0)

    return attention


@T.inline
def _arrange(plan: Any, source: Any, valid: Any, keys: Any, values: Any, batch: Any) -> None:
    """For one head of one member after the other: keys by vectors of steps, values by vectors of channels.

    What fills the last vectors up is 0.
    """
    for one in T.parallel(batch * plan.heads):
        length: T.int64 = T.Cast("int64", valid[one // plan.heads])
        key: T.int64 = plan.channels + one % plan.heads * plan.width
        for span in T.serial(T.ceildiv(length, plan.lanes)):
            for channel, lane in T.grid(plan.width, plan.lanes):
                if span * plan.lanes + lane < length:
                    keys[one, span, channel, lane] = source[one // plan.heads, span * plan.lanes + lane, key + channel]
                else:
                    keys[one, span, channel, lane] = T.float32(0)
        for vector in T.serial(plan.vectors):
            for step in T.serial(length):
                for lane in T.serial(plan.lanes):
                    if vector * plan.lanes + lane < plan.width:
                        values[one, vector, step, lane] = source[
                            one // plan.heads, step, plan.channels + key + vector * plan.lanes + lane
                        ]
                    else:
                        values[one, vector, step, lane] = T.float32(0)


@T.inline
def _query(plan: Any, source: Any, queries: Any, chunk: Any, one: Any, first: Any, length: Any) -> None:
    """The scaled queries of the rows; rows beyond the last repeat it and are not stored."""
    for row, channel in T.grid(ROWS, plan.width):
        queries[chunk, row, channel] = source[
            one // plan.heads, T.min(first + row, length - 1), one % plan.heads * plan.width + channel
        ] * T.float32(plan.width**-0.5)


@T.inline
def _product(plan: Any, left: Any, chunk: Any, right: Any, one: Any, vector: Any, depth: Any, sums: Any) -> None:
    """A vector of sums over `depth` for each row."""
    for row in T.unroll(ROWS):
        for lane in T.vectorized(plan.lanes):
            sums[row, lane] = T.float32(0)
    for place in T.serial(depth):
        for row in T.unroll(ROWS):
            for lane in T.vectorized(plan.lanes):
                sums[row, lane] += left[chunk, row, place] * right[one, vector, place, lane]


@T.inline
def _score(plan: Any, queries: Any, keys: Any, scores: Any, chunk: Any, one: Any, length: Any) -> None:
    """Products of the rows with every valid key."""
    for span in T.serial(T.ceildiv(length, plan.lanes)):
        sums = T.alloc_buffer((ROWS, plan.lanes), "float32")
        _product(plan, queries, chunk, keys, one, span, plan.width, sums)
        for row in T.unroll(ROWS):
            for lane in T.vectorized(plan.lanes):
                scores[chunk, row, span * plan.lanes + lane] = sums[row, lane]


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
def _average(plan: Any, scores: Any, values: Any, target: Any, chunk: Any, one: Any, first: Any, length: Any) -> None:
    """The values averaged with the softmax of the scores as weights."""
    partial = T.alloc_buffer((plan.lanes,), "float32")
    total = T.alloc_buffer((1,), "float32", scope="local")
    totals = T.alloc_buffer((ROWS,), "float32")
    for row in T.serial(ROWS):
        _reduce(plan, scores, chunk, row, length, T.max, LOWEST, partial, total)
        for span in T.serial(T.ceildiv(length, plan.lanes)):
            for lane in T.vectorized(plan.lanes):
                scores[chunk, row, span * plan.lanes + lane] = exp(
                    scores[chunk, row, span * plan.lanes + lane] - total[0]
                )
        _reduce(plan, scores, chunk, row, length, _sum, 0, partial, total)
        totals[row] = total[0]
    for vector in T.serial(plan.vectors):
        sums = T.alloc_buffer((ROWS, plan.lanes), "float32")
        mixed = T.alloc_buffer((ROWS, plan.lanes), "float32")
        _product(plan, scores, chunk, values, one, vector, length, sums)
        for row in T.unroll(ROWS):
            for lane in T.vectorized(plan.lanes):
                mixed[row, lane] = sums[row, lane]
        begin: T.int64 = one % plan.heads * plan.width + vector * plan.lanes
        for row in T.serial(T.min(ROWS, length - first)):
            for lane in T.serial(T.min(plan.lanes, plan.width - vector * plan.lanes)):
                target[one // plan.heads, first + row, begin + lane] = mixed[row, lane] / totals[row]
