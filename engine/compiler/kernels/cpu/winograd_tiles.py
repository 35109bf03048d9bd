"""The transforms of Winograd convolutions: of weights once, of samples when a tile is packed, of sums when stored.

Stream i holds sample i of the set of every column, so that transforming neighboring sets is arithmetic on vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import WeightAt
from engine.compiler.kernels.cpu.cache import LINE, prefetch
from engine.compiler.kernels.cpu.phases import prefetch_phases, store_phase
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.winograd import Matrix, Row, combination, with_opposites


def pack_winograd_weight(plan: WinogradPlan, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that transforms: w of this shape -> transformed weight; rows beyond the last repeat it."""

    @T.prim_func(s_tir=True)
    def pack_winograd_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, row in T.grid(plan.sizes.channels, plan.tile.rows):
                _transform_weight(plan, weight, value_at, packed, block, channel, row)

    return pack_winograd_weight


def _transform_weight(
    plan: WinogradPlan, weight: Any, value_at: WeightAt, packed: Any, block: Any, channel: Any, row: Any
) -> None:
    """Transform all pieces of one row and channel: G g, the taps beyond the kernel being 0."""
    place = T.min(block * plan.tile.rows + row, plan.sizes.row_count - 1)
    for piece in range(plan.pieces):
        first = piece * plan.winograd.taps
        taps = [
            T.Cast("float64", value_at(weight, channel, tap, place)) if tap < plan.sizes.taps else T.float64(0)
            for tap in range(first, first + plan.winograd.taps)
        ]
        for point, value in enumerate(_at_points(plan.winograd.weight_matrix, taps)):
            T.buffer_store(packed, T.Cast("float32", value), [block, point, channel, piece, row])


def _at_points(rows: Matrix, taps: Sequence[Any]) -> list[Any]:
    """A piece of the kernel at every point, G g in float64."""
    weights = []
    for row in rows:
        total: Any = T.float64(0)
        for coefficient, tap in zip(row, taps, strict=True):
            total = total + T.float64(float(coefficient)) * tap
        weights.append(total)
    return weights


def _transform(plan: WinogradPlan, streams: Any, halves: Any, packed: Any, channel: Any, first: Any) -> None:
    """Transform one vector of columns from `first` on: B^T d; `halves` holds what two points compute together."""
    outputs, dilation = plan.winograd.outputs, plan.sizes.dilation

    def combined(coefficients: Row, lane: Any) -> Any:
        # Sample i of a set is sample i % m of the set i // m stretches further on.
        samples = [
            streams[sample % outputs, first + sample // outputs * dilation + lane] for sample in range(plan.points)
        ]
        return combination(coefficients, samples)

    for points, rows in with_opposites(plan.winograd.input_matrix):
        if len(points) == 1:
            with T.vectorized(0, plan.tile.lanes) as lane:
                T.buffer_store(packed, combined(rows[0], lane), [points[0], channel, first + lane])
        else:
            for half, row in enumerate(rows):
                with T.vectorized(0, plan.tile.lanes) as lane:
                    T.buffer_store(halves, combined(row, lane), [half, lane])
            with T.vectorized(0, plan.tile.lanes) as lane:
                T.buffer_store(packed, halves[0, lane] + halves[1, lane], [points[0], channel, first + lane])
            with T.vectorized(0, plan.tile.lanes) as lane:
                T.buffer_store(packed, halves[0, lane] - halves[1, lane], [points[1], channel, first + lane])


def _split(plan: WinogradPlan, line: Any, streams: Any, first: Any) -> None:
    """Split columns from `first` on into streams: sample i of each column goes to stream i."""
    count, columns = plan.winograd.outputs, plan.at_once
    for stream in range(count):
        if plan.sizes.dilation > 1:
            chosen = line[T.Ramp(first * count + stream * columns, 1, columns)]
        else:
            wide = line[T.Ramp(first * count, 1, columns * count)]
            chosen = T.Shuffle([wide], [column * count + stream for column in range(columns)])
        T.buffer_store(streams, chosen, [stream, T.Ramp(first, 1, columns)])


@T.inline
def pack(plan: Any, operands: Any, packed: Any, batch_index: Any, start: Any, columns: Any) -> None:
    """Pack `columns` transformed columns of every channel, the first from position `start`, zeros beyond the input.

    `packed` is [points, channels + 1, pitch].
    """
    line = T.alloc_buffer((plan.line * plan.winograd.outputs,), "float32")
    streams = T.alloc_buffer((plan.winograd.outputs, plan.line), "float32")
    halves = T.alloc_buffer((2, plan.tile.lanes), "float32")
    vectors: T.int64 = T.ceildiv(columns, plan.tile.lanes)
    gathered: T.int64 = T.ceildiv(columns + plan.reach, plan.at_once)
    need: T.int64 = gathered * plan.at_once * plan.winograd.outputs
    # Samples from `low` to `high` lie inside the input; those before and after are zero padding.
    low: T.int64 = T.max(T.min(-start, need), 0)
    high: T.int64 = T.max(T.min(operands.length - start, need), low)
    for channel in T.serial(plan.sizes.channels):
        for ahead in T.serial(T.ceildiv(high - low, LINE)):
            prefetch(operands.source, [batch_index, channel + 1, start + low + ahead * LINE])
        for sample in T.serial(low):
            line[sample] = T.float32(0)
        for sample in T.serial(low, high):
            line[sample] = operands.source[batch_index, channel, start + sample]
        for sample in T.serial(high, need):
            line[sample] = T.float32(0)
        for turn in T.serial(gathered):
            _split(plan, line, streams, turn * plan.at_once)
        for vector in T.serial(vectors):
            _transform(plan, streams, halves, packed, channel, vector * plan.tile.lanes)


def _transform_back(plan: WinogradPlan, sums: Any, joined: Any, begin: Any, apart: Any, row: Any, first: Any) -> None:
    """Transform one vector of columns from `first` on back: y = bias + A^T sums; output i goes to row i of `apart`.

    `joined` holds the sum and the difference of the values at two opposite points, or the value at a point.
    """
    columns = tuple(zip(*plan.winograd.output_matrix, strict=True))
    matrix: list[Row] = []
    for points, rows in with_opposites(columns):
        matrix.extend(rows)
        for half, point in enumerate(points):
            with T.vectorized(0, plan.tile.lanes) as lane:
                value = sums[points[0], row, first + lane]
                if len(points) == 2:
                    other = sums[points[1], row, first + lane]
                    value = value - other if half else value + other
                T.buffer_store(joined, value, [point, lane])
    for output, coefficients in enumerate(zip(*matrix, strict=True)):
        with T.vectorized(0, plan.tile.lanes) as lane:
            values = [joined[point, lane] for point in range(plan.points)]
            T.buffer_store(apart, begin + combination(coefficients, values), [output, first + lane])


def _interleave(plan: WinogradPlan, apart: Any, line: Any, first: Any) -> None:
    """Put the outputs of columns from `first` on in the order of time; `line` has a single row."""
    count, columns = plan.winograd.outputs, plan.at_once
    outputs = [apart[output, T.Ramp(first, 1, columns)] for output in range(count)]
    if plan.sizes.dilation > 1:
        for output, values in enumerate(outputs):
            T.buffer_store(line, values, [0, T.Ramp(first * count + output * columns, 1, columns)])
    else:
        order = [output * columns + column for column in range(columns) for output in range(count)]
        T.buffer_store(line, T.Shuffle(outputs, order), [0, T.Ramp(first * count, 1, columns * count)])


@T.inline
def prefetch_rows(plan: Any, operands: Any, batch_index: Any, block: Any, point: Any, first: Any) -> None:
    """Prefetch a point's share of the rows that are stored after the last point; phases all at the first point."""
    if plan.sizes.is_scattered:
        if point == 0:
            prefetch_phases(plan, operands, batch_index, block * plan.tile.rows, first, plan.outputs_each)
    else:
        for turn in T.serial(T.ceildiv(plan.tile.rows - point, plan.points)):
            row: T.int64 = block * plan.tile.rows + point + turn * plan.points
            for line in T.serial(T.ceildiv(plan.outputs_each, LINE)):
                prefetch(operands.target, [batch_index, row, first + line * LINE], to_write=True)
                if operands.epilogue.has_residual:
                    prefetch(operands.residual, [batch_index, row, first + line * LINE])


@T.inline
def store(plan: Any, operands: Any, sums: Any, batch_index: Any, block: Any, first: Any, count: Any) -> None:
    """Store every row of a block from position `first` on, as many as there are of its next `count` outputs.

    `sums` is [points, rows, columns].
    """
    apart = T.alloc_buffer((plan.winograd.outputs, plan.tile.columns), "float32")
    joined = T.alloc_buffer((plan.points, plan.tile.lanes), "float32")
    line = T.alloc_buffer((1, plan.outputs_each), "float32")
    # Rows beyond the last are computed, since tiles are whole, but not stored.
    for held in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - block * plan.tile.rows)):
        row: T.int64 = block * plan.tile.rows + held
        begin: T.float32 = T.float32(0)
        if operands.epilogue.has_bias:
            begin = operands.bias[row // plan.sizes.upsampling]
        for vector in T.serial(plan.tile.vectors):
            _transform_back(plan, sums, joined, begin, apart, held, vector * plan.tile.lanes)
        for place in T.serial(plan.columns_each // plan.at_once):
            _interleave(plan, apart, line, place * plan.at_once)
        if plan.sizes.is_scattered:
            store_phase(plan, operands, line, 0, batch_index, row, first, plan.outputs_each)
        else:
            for output in T.serial(T.min(count, plan.outputs_each)):
                operands.target[batch_index, row, first + output] = operands.finished(
                    line[0, output], (batch_index, row, first + output)
                )
