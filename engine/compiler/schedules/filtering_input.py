"""The input of minimal filtering: samples of a tile gathered, split into streams and transformed at every point.

A set of samples begins every `outputs` samples. Stream i has sample i of every set, so that transforming neighbouring
sets is arithmetic on vectors. It does not know what the packed samples are multiplied with.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T

from engine.compiler.schedules.filtering_plan import Filtering, combination
from engine.ops.cache_tir import LINE, prefetch


def _transform(plan: Filtering, streams: Any, packed: Any, channel: Any, first: Any) -> None:
    """One vector of columns from `first` on, at every point."""
    outputs = plan.form.outputs
    for point, coefficients in enumerate(plan.form.input_matrix):
        with T.vectorized(0, plan.tile.lanes) as lane:
            samples = [
                streams[sample % outputs, first + sample // outputs + lane] for sample in range(len(coefficients))
            ]
            T.buffer_store(packed, combination(coefficients, samples), [point, channel, first + lane])


def _split(plan: Filtering, line: Any, streams: Any, first: Any) -> None:
    """Columns from `first` on: sample i of each goes to stream i."""
    count, lanes = plan.form.outputs, plan.tile.lanes
    for stream in range(count):
        wide = line[T.Ramp(first * count, 1, lanes * count)]
        chosen = T.Shuffle([wide], [lane * count + stream for lane in range(lanes)])
        T.buffer_store(streams, chosen, [stream, T.Ramp(first, 1, lanes)])


def _gather_vector(plan: Filtering, source: Any, line: Any, member: Any, channel: Any, first: Any, sample: Any) -> None:
    """A vector of samples `dilation` apart, from a wide vector of neighbours: LLVM's own gathers are slower."""
    lanes, dilation = plan.tile.lanes, plan.sizes.dilation
    wide = source[member, channel, T.Ramp(first, 1, lanes * dilation)]
    chosen = T.Shuffle([wide], [lane * dilation for lane in range(lanes)])
    T.buffer_store(line, chosen, [T.Ramp(sample, 1, lanes)])


@T.inline
def _gather(plan: Any, operands: Any, line: Any, member: Any, channel: Any, start: Any, low: Any, high: Any) -> None:
    """Samples `low` to `high`, all of them inside the input."""
    whole: T.int64 = 0
    if plan.sizes.dilation > 1:
        whole = T.max(T.min(high - low, (operands.length - start) // plan.sizes.dilation - low), 0) // plan.tile.lanes
        for vector in T.serial(whole):
            sample: T.int64 = low + vector * plan.tile.lanes
            _gather_vector(plan, operands.source, line, member, channel, start + sample * plan.sizes.dilation, sample)
    for sample in T.serial(low + whole * plan.tile.lanes, high):
        line[sample] = operands.source[member, channel, start + sample * plan.sizes.dilation]


@T.inline
def pack(plan: Any, operands: Any, packed: Any, member: Any, start: Any, columns: Any) -> None:
    """`columns` columns of every channel, the first of which begins at position `start`, zeros beyond the input.

    `packed` is [points, channels + 1, pitch].
    """
    line = T.alloc_buffer((plan.line * plan.form.outputs,), "float32")
    streams = T.alloc_buffer((plan.form.outputs, plan.line), "float32")
    vectors: T.int64 = T.ceildiv(columns, plan.tile.lanes)
    gathered: T.int64 = T.ceildiv(columns + plan.reach, plan.tile.lanes)
    need: T.int64 = gathered * plan.tile.lanes * plan.form.outputs
    low: T.int64 = T.max(T.min(T.ceildiv(-start, plan.sizes.dilation), need), 0)
    high: T.int64 = T.max(T.min(T.ceildiv(operands.length - start, plan.sizes.dilation), need), low)
    for channel in T.serial(plan.sizes.channels):
        for ahead in T.serial(T.ceildiv((high - low) * plan.sizes.dilation, LINE)):
            prefetch(operands.source, [member, channel + 1, start + low * plan.sizes.dilation + ahead * LINE])
        for sample in T.serial(low):
            line[sample] = T.float32(0)
        _gather(plan, operands, line, member, channel, start, low, high)
        for sample in T.serial(high, need):
            line[sample] = T.float32(0)
        for vector in T.serial(gathered):
            _split(plan, line, streams, vector * plan.tile.lanes)
        for vector in T.serial(vectors):
            _transform(plan, streams, packed, channel, vector * plan.tile.lanes)
