"""Softmax attention over the valid keys on CPUs, as one kernel: a few queries at a time, scores stay in the cache.

Both of its matrix products use blocked summation in registers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import (
    PRODUCTS_PER_BLOCK,
    Microkernel,
    add,
    clear,
    fma,
)
from engine.compiler.kernels.mathematics import ceil_div, exp

VECTORS = 2
"""Vectors of sums in a row: with one, every multiplication would need a separate value from memory."""
MIN_SCORE = -3.0e38


@dataclass(frozen=True)
class _Attention:
    """Sizes of the attention; each parallel chunk has its own queries and scores."""

    heads: int
    width: int
    microkernel: Microkernel

    @property
    def lanes(self) -> int:
        """Values in a vector."""
        return self.microkernel.lanes

    @property
    def tile(self) -> Microkernel:
        """The register tile: a row per query, as many rows as there are registers for their sums."""
        vectors = min(self.microkernel.rows * self.microkernel.vectors, self.microkernel.vectors_on_stack)
        return replace(self.microkernel, rows=vectors // VECTORS, columns=VECTORS * self.lanes)

    @property
    def rows(self) -> int:
        """Queries that share each load of keys and values."""
        return self.tile.rows

    @property
    def columns(self) -> int:
        """Keys or channels whose sums are in registers at once."""
        return self.tile.columns

    @property
    def channels(self) -> int:
        return self.heads * self.width

    @property
    def panels(self) -> int:
        """Panels of `columns` channels that cover a head."""
        return ceil_div(self.width, self.columns)


def attention(heads: int, width: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [batch, time, 3 * heads * width], lengths [batch] (int32) -> y [batch, time, heads * width].

    Each step of x holds the queries of all heads, then their keys, then their values.
    """
    plan = _Attention(heads, width, microkernel)

    @T.prim_func(s_tir=True)
    def attention(x: T.handle, lengths: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        time = T.int64()
        source = T.match_buffer(x, (batch, time, 3 * plan.channels), "float32")
        valid = T.match_buffer(lengths, (batch,), "int32")
        target = T.match_buffer(y, (batch, time, plan.channels), "float32")
        keys = T.alloc_buffer((batch * plan.heads, T.ceildiv(time, plan.columns), plan.width, plan.columns), "float32")
        values = T.alloc_buffer((batch * plan.heads, plan.panels, time, plan.columns), "float32")
        queries = T.alloc_buffer((plan.microkernel.chunks, plan.rows, plan.width), "float32")
        scores = T.alloc_buffer(
            (plan.microkernel.chunks, plan.rows, T.ceildiv(time, plan.columns) * plan.columns), "float32"
        )
        _arrange(plan, source, valid, keys, values, batch)
        for chunk in T.parallel(plan.microkernel.chunks):
            blocks: T.int64 = T.ceildiv(time, plan.rows)
            units: T.int64 = batch * plan.heads * blocks
            for unit in T.serial(
                chunk * units // plan.microkernel.chunks, (chunk + 1) * units // plan.microkernel.chunks
            ):
                # `one` is a head of a sequence: sequence one // heads, head one % heads.
                one: T.int64 = unit // blocks
                first: T.int64 = unit % blocks * plan.rows
                length: T.int64 = T.Cast("int64", valid[one // plan.heads])
                if first < length:
                    _query(plan, source, queries, chunk, one, first, length)
                    _score(plan, queries, keys, scores, chunk, one, length)
                    _average(plan, scores, values, target, chunk, one, first, length)
                # Queries beyond the length are padding, whose result is 0.
                for row in T.serial(T.max(first, length), T.min(first + plan.rows, time)):
                    for channel in T.serial(plan.width):
                        target[one // plan.heads, row, one % plan.heads * plan.width + channel] = T.float32(0)

    return attention


@T.inline
def _arrange(plan: Any, source: Any, valid: Any, keys: Any, values: Any, batch: Any) -> None:
    """Pack keys in panels of steps and values in panels of channels, per head of a sequence; padding is 0."""
    for one in T.parallel(batch * plan.heads):
        length: T.int64 = T.Cast("int64", valid[one // plan.heads])
        key: T.int64 = plan.channels + one % plan.heads * plan.width
        for panel in T.serial(T.ceildiv(length, plan.columns)):
            # Transposed: neighboring columns are neighboring steps, so that a vector is one channel of several keys.
            for channel, column in T.grid(plan.width, plan.columns):
                step: T.int64 = panel * plan.columns + column
                if step < length:
                    keys[one, panel, channel, column] = source[one // plan.heads, step, key + channel]
                else:
                    keys[one, panel, channel, column] = T.float32(0)
        for panel in T.serial(plan.panels):
            for step in T.serial(length):
                for column in T.serial(plan.columns):
                    if panel * plan.columns + column < plan.width:
                        values[one, panel, step, column] = source[
                            one // plan.heads, step, plan.channels + key + panel * plan.columns + column
                        ]
                    else:
                        values[one, panel, step, column] = T.float32(0)


@T.inline
def _query(plan: Any, source: Any, queries: Any, chunk: Any, one: Any, first: Any, length: Any) -> None:
    """Copy the rows' queries, scaled by 1 / sqrt(width); rows beyond the last repeat it and are not stored."""
    for row, channel in T.grid(plan.rows, plan.width):
        queries[chunk, row, channel] = source[
            one // plan.heads, T.min(first + row, length - 1), one % plan.heads * plan.width + channel
        ] * T.float32(plan.width**-0.5)


@T.inline
def _product(plan: Any, left: Any, chunk: Any, right: Any, one: Any, panel: Any, depth: Any, totals: Any) -> None:
    """A panel of sums over `depth` for each row, by blocked summation."""
    clear(plan.tile, totals)
    for sum_block in T.serial(T.ceildiv(depth, PRODUCTS_PER_BLOCK)):
        sums = T.alloc_buffer((plan.rows, plan.columns), "float32")
        clear(plan.tile, sums)
        for place in T.serial(sum_block * PRODUCTS_PER_BLOCK, T.min(depth, (sum_block + 1) * PRODUCTS_PER_BLOCK)):
            fma(
                plan.tile,
                sums,
                lambda row: left[chunk, row, place],
                lambda column: right[one, panel, place, column],
            )
        add(plan.tile, sums, totals)


@T.inline
def _score(plan: Any, queries: Any, keys: Any, scores: Any, chunk: Any, one: Any, length: Any) -> None:
    """The products of the rows with every valid key; those with the padding of the last panel are 0."""
    for panel in T.serial(T.ceildiv(length, plan.columns)):
        totals = T.alloc_buffer((plan.rows, plan.columns), "float32")
        _product(plan, queries, chunk, keys, one, panel, plan.width, totals)
        for row in T.serial(plan.rows):
            for vector in T.serial(VECTORS):
                for lane in T.vectorized(plan.lanes):
                    scores[chunk, row, panel * plan.columns + vector * plan.lanes + lane] = totals[
                        row, vector * plan.lanes + lane
                    ]


def _sum(first: Any, second: Any) -> Any:
    return first + second


@T.inline
def _reduce(
    plan: Any, scores: Any, chunk: Any, row: Any, length: Any, combine: Any, identity: Any, partial: Any, result: Any
) -> None:
    """Reduce a row's scores with `combine`, starting from `identity`; one partial result per lane gives vector code."""
    for lane in T.vectorized(plan.lanes):
        partial[lane] = T.float32(identity)
    for block in T.serial(length // plan.lanes):
        for lane in T.vectorized(plan.lanes):
            partial[lane] = combine(partial[lane], scores[chunk, row, block * plan.lanes + lane])
    for step in T.serial(length // plan.lanes * plan.lanes, length):
        partial[0] = combine(partial[0], scores[chunk, row, step])
    result[0] = T.float32(identity)
    for lane in T.serial(plan.lanes):
        result[0] = combine(result[0], partial[lane])


@T.inline
def _average(plan: Any, scores: Any, values: Any, target: Any, chunk: Any, one: Any, first: Any, length: Any) -> None:
    """Average the values, weighted with the softmax of the scores."""
    partial = T.alloc_buffer((plan.lanes,), "float32")
    total = T.alloc_buffer((1,), "float32", scope="local")
    totals = T.alloc_buffer((plan.rows,), "float32")
    for row in T.serial(plan.rows):
        # softmax(s)_i = exp(s_i - m) / sum of exp(s_j - m), with m the largest score: no exponential overflows.
        _reduce(plan, scores, chunk, row, length, T.max, MIN_SCORE, partial, total)
        # Whole vectors: what the last one holds beyond the length is never read.
        for span in T.serial(T.ceildiv(length, plan.lanes)):
            for lane in T.vectorized(plan.lanes):
                scores[chunk, row, span * plan.lanes + lane] = exp(
                    scores[chunk, row, span * plan.lanes + lane] - total[0]
                )
        _reduce(plan, scores, chunk, row, length, _sum, 0, partial, total)
        totals[row] = total[0]
    for panel in T.serial(plan.panels):
        mixed = T.alloc_buffer((plan.rows, plan.columns), "float32")
        _product(plan, scores, chunk, values, one, panel, length, mixed)
        begin: T.int64 = one % plan.heads * plan.width + panel * plan.columns
        for row in T.serial(T.min(plan.rows, length - first)):
            for column in T.serial(T.min(plan.columns, plan.width - panel * plan.columns)):
                # Divided after the sum: a division per channel of the result, not per key.
                target[one // plan.heads, first + row, begin + column] = mixed[row, column] / totals[row]
