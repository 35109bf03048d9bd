"""Softmax attention over the valid keys on Apple's GPUs: a threadgroup for a few queries, a thread per key of a chunk.

The softmax is computed online: it is rescaled from chunk to chunk, so that any number of keys fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.mathematics import exp
from engine.compiler.kernels.metal.threadgroup import Threadgroup

THREADS = 64
"""Keys at a time; as many as a head of the model has channels, so that each thread averages one of the values'."""
ROWS = 4
"""Queries that share each load of keys and values."""
DEPTH = 16
"""Channels of the keys in threadgroup memory at a time."""
MIN_SCORE = -3.0e38


@dataclass(frozen=True)
class _Attention:
    heads: int
    width: int

    @property
    def channels(self) -> int:
        return self.heads * self.width

    @property
    def turns(self) -> int:
        """Channels per thread."""
        return -(-self.width // THREADS)

    @property
    def parts(self) -> int:
        """Loads of `DEPTH` channels that cover a key."""
        return -(-self.width // DEPTH)

    @property
    def padded(self) -> int:
        """Channels of a query in threadgroup memory."""
        return self.parts * DEPTH


def attention(heads: int, width: int, group: Threadgroup) -> PrimFunc:
    """The kernel: x [batch, time, 3 * heads * width], lengths [batch] (int32) -> y [batch, time, heads * width].

    Each step of x holds the queries of all heads, then their keys, then their values.
    """
    plan = _Attention(heads, width)

    @T.prim_func(s_tir=True)
    def attention(x: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        source = T.match_buffer(x, (batch, time, 3 * plan.channels), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, time, plan.channels), "float32")
        for place in T.thread_binding(batch * plan.heads, thread="blockIdx.y"):
            for block in T.thread_binding(T.ceildiv(time, ROWS), thread="blockIdx.x"):
                for thread in T.thread_binding(THREADS, thread="threadIdx.x"):
                    mixed = T.alloc_buffer((ROWS, plan.turns), "float32", scope="local")
                    batch_index: T.int32 = T.truncdiv(place, plan.heads)
                    head: T.int32 = T.truncmod(place, plan.heads)
                    length: T.int32 = T.max(T.min(lengths[batch_index], time), 0)
                    for row, turn in T.grid(ROWS, plan.turns):
                        mixed[row, turn] = T.float32(0)
                    if block * ROWS < length:
                        _mix(plan, source, mixed, batch_index, head, block * ROWS, length, thread)
                    for row, turn in T.grid(ROWS, plan.turns):
                        channel: T.int32 = turn * THREADS + thread
                        if T.And(block * ROWS + row < time, channel < plan.width):
                            target[batch_index, block * ROWS + row, head * plan.width + channel] = T.Select(
                                block * ROWS + row < length, mixed[row, turn], T.float32(0)
                            )

    return attention


@T.inline
def _load_queries(
    plan: Any, source: Any, queries: Any, batch_index: Any, head: Any, first: Any, length: Any, thread: Any
) -> None:
    """Load the queries, scaled by 1 / sqrt(width); rows beyond the last repeat it and are not stored."""
    for turn in T.serial(ROWS * plan.padded // THREADS):
        place: T.int32 = turn * THREADS + thread
        row: T.int32 = T.min(first + T.truncdiv(place, plan.padded), length - 1)
        # Padding repeats the last channel: it is multiplied by keys of 0.
        channel: T.int32 = T.min(T.truncmod(place, plan.padded), plan.width - 1)
        queries[place] = source[batch_index, row, head * plan.width + channel] * T.float32(plan.width**-0.5)


@T.inline
def _score(
    plan: Any,
    source: Any,
    queries: Any,
    scores: Any,
    batch_index: Any,
    head: Any,
    first: Any,
    length: Any,
    thread: Any,
) -> None:
    """Compute each thread's products of the queries with its key; keys beyond the last repeat it."""
    # The odd pitch spreads the threads' keys over the banks of threadgroup memory.
    keys = T.alloc_buffer((THREADS, DEPTH + 1), "float32", scope="shared")
    for row in T.unroll(ROWS):
        scores[row] = T.float32(0)
    for part in T.serial(plan.parts):
        for turn in T.serial(DEPTH):
            place: T.int32 = turn * THREADS + thread
            channel: T.int32 = part * DEPTH + T.truncmod(place, DEPTH)
            keys[T.truncdiv(place, DEPTH), T.truncmod(place, DEPTH)] = T.if_then_else(
                channel < plan.width,
                source[
                    batch_index,
                    T.min(first + T.truncdiv(place, DEPTH), length - 1),
                    plan.channels + head * plan.width + T.min(channel, plan.width - 1),
                ],
                T.float32(0),
            )
        # Threads loaded the keys together, each reads its own.
        T.tvm_storage_sync("shared")
        for channel in T.serial(DEPTH):
            for row in T.unroll(ROWS):
                scores[row] += queries[row * plan.padded + part * DEPTH + channel] * keys[thread, channel]
        # The next part overwrites the keys.
        T.tvm_storage_sync("shared")


@T.inline
def _add_values(
    plan: Any,
    source: Any,
    weights: Any,
    shrinking: Any,
    mixed: Any,
    batch_index: Any,
    head: Any,
    first: Any,
    length: Any,
    thread: Any,
) -> None:
    """Add the chunk's weighted values to each thread's channels, after rescaling the sums of earlier chunks."""
    for turn in T.unroll(plan.turns):
        channel: T.int32 = T.min(turn * THREADS + thread, plan.width - 1)
        for row in T.unroll(ROWS):
            mixed[row, turn] = mixed[row, turn] * shrinking[row]
        for other in T.serial(T.min(THREADS, length - first)):
            value: T.float32 = source[batch_index, first + other, 2 * plan.channels + head * plan.width + channel]
            for row in T.unroll(ROWS):
                mixed[row, turn] = mixed[row, turn] + weights[row, other] * value


@T.inline
def _mix(plan: Any, source: Any, mixed: Any, batch_index: Any, head: Any, first: Any, length: Any, thread: Any) -> None:
    """Average the values by online softmax: `own` holds a row's current largest score and the sum of its weights."""
    queries = T.alloc_buffer((ROWS * plan.padded,), "float32", scope="shared")
    weights = T.alloc_buffer((ROWS, THREADS), "float32", scope="shared")
    highest = T.alloc_buffer((ROWS,), "float32", scope="shared")
    shrinking = T.alloc_buffer((ROWS,), "float32", scope="shared")
    total = T.alloc_buffer((ROWS,), "float32", scope="shared")
    scores = T.alloc_buffer((ROWS,), "float32", scope="local")
    own = T.alloc_buffer((3,), "float32", scope="local")
    _load_queries(plan, source, queries, batch_index, head, first, length, thread)
    own[0] = T.float32(MIN_SCORE)
    own[1] = T.float32(0)
    # The queries are complete before any thread scores them.
    T.tvm_storage_sync("shared")
    for chunk in T.serial(T.truncdiv(length + THREADS - 1, THREADS)):
        _score(plan, source, queries, scores, batch_index, head, chunk * THREADS, length, thread)
        for row in T.unroll(ROWS):
            # Keys beyond the length get a weight of exp(LOWEST - m) = 0.
            scores[row] = T.Select(chunk * THREADS + thread < length, scores[row], T.float32(MIN_SCORE))
            weights[row, thread] = scores[row]
        T.tvm_storage_sync("shared")
        if thread < ROWS:
            # With the new largest score m', the earlier sums are multiplied by exp(m - m').
            own[2] = own[0]
            for other in T.serial(THREADS):
                own[0] = T.max(own[0], weights[thread, other])
            own[2] = exp(own[2] - own[0])
            highest[thread] = own[0]
            shrinking[thread] = own[2]
        T.tvm_storage_sync("shared")
        for row in T.unroll(ROWS):
            # `weights` held the scores until here; from now on, it holds exp(score - m').
            weights[row, thread] = exp(scores[row] - highest[row])
        T.tvm_storage_sync("shared")
        if thread < ROWS:
            own[1] = own[1] * own[2]
            for other in T.serial(THREADS):
                own[1] = own[1] + weights[thread, other]
            total[thread] = own[1]
        # mixed = mixed exp(m - m') + sum of exp(score - m') value
        _add_values(plan, source, weights, shrinking, mixed, batch_index, head, chunk * THREADS, length, thread)
        # All threads have read the weights before the next chunk overwrites them; `total` is visible to all.
        T.tvm_storage_sync("shared")
    for row, turn in T.grid(ROWS, plan.turns):
        mixed[row, turn] = mixed[row, turn] / total[row]
