"""The transforms of Winograd convolutions: of weights once, of samples when a tile is packed, of sums when stored.

A set of samples begins every m samples. Stream i holds sample i of every set, so that transforming neighbouring sets is
arithmetic on vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.kernels.convolution import WeightAt
from engine.kernels.cpu.cache import LINE, prefetch
from engine.kernels.cpu.phases import prefetch_phases, store_phase
from engine.kernels.cpu.winograd_plan import WinogradPlan
from engine.kernels.winograd import Matrix, Row, combination, with_opposites


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
    outputs = plan.winograd.outputs

    def combined(coefficients: Row, lane: Any) -> Any:
        # Sample i of a set is sample i % m of the set i // m columns further on.
        samples = [streams[sample % outputs, first + sample // outputs + lane] for sample in range(plan.points)]
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
    count, lanes = plan.winograd.outputs, plan.tile.lanes
    for stream in range(count):
        wide = line[T.Ramp(first * count, 1, lanes * count)]
        chosen = T.Shuffle([wide], [lane * count + stream for lane in range(lanes)])
        T.buffer_store(streams, chosen, [stream, T.Ramp(first, 1, lanes)])


def _gather_vector(
    plan: WinogradPlan, source: Any, line: Any, batch_index: Any, channel: Any, first: Any, sample: Any
) -> None:
    """Gather a vector of samples `dilation` apart from a wide vector of neighbours; LLVM's own gathers are slower."""
    lanes, dilation = plan.tile.lanes, plan.sizes.dilation
    wide = source[batch_index, channel, T.Ramp(first, 1, lanes * dilation)]
    chosen = T.Shuffle([wide], [lane * dilation for lane in range(lanes)])
    T.buffer_store(line, chosen, [T.Ramp(sample, 1, lanes)])


@T.inline
def _gather(
    plan: Any, operands: Any, line: Any, batch_index: Any, channel: Any, start: Any, low: Any, high: Any
) -> None:
    """Gather the samples from `low` to `high`, all of them inside the input."""
    whole: T.int64 = 0
    if plan.sizes.dilation > 1:
        # Wide loads must not reach beyond the input; what is left goes sample by sample.
        whole = T.max(T.min(high - low, (operands.length - start) // plan.sizes.dilation - low), 0) // plan.tile.lanes
        for vector in T.serial(whole):
            sample: T.int64 = low + vector * plan.tile.lanes
            _gather_vector(
                plan, operands.source, line, batch_index, channel, start + sample * plan.sizes.dilation, sample
            )
    for sample in T.serial(low + whole * plan.tile.lanes, high):
        line[sample] = operands.source[batch_index, channel, start + sample * plan.sizes.dilation]


@T.inline
def pack(plan: Any, operands: Any, packed: Any, batch_index: Any, start: Any, columns: Any) -> None:
    """Pack `columns` transformed columns of every channel, the first from position `start`, zeros beyond the input.

    `packed` is [points, channels + 1, pitch].
    """
    line = T.alloc_buffer((plan.line * plan.winograd.outputs,), "float32")
    streams = T.alloc_buffer((plan.winograd.outputs, plan.line), "float32")
    halves = T.alloc_buffer((2, plan.tile.lanes), "float32")
    vectors: T.int64 = T.ceildiv(columns, plan.tile.lanes)
    gathered: T.int64 = T.ceildiv(columns + plan.reach, plan.tile.lanes)
    need: T.int64 = gathered * plan.tile.lanes * plan.winograd.outputs
    # Samples from `low` to `high` lie inside the input; those before and after are zero padding.
    low: T.int64 = T.max(T.min(T.ceildiv(-start, plan.sizes.dilation), need), 0)
    high: T.int64 = T.max(T.min(T.ceildiv(operands.length - start, plan.sizes.dilation), need), low)
    for channel in T.serial(plan.sizes.channels):
        for ahead in T.serial(T.ceildiv((high - low) * plan.sizes.dilation, LINE)):
            prefetch(operands.source, [batch_index, channel + 1, start + low * plan.sizes.dilation + ahead * LINE])
        for sample in T.serial(low):
            line[sample] = T.float32(0)
        _gather(plan, operands, line, batch_index, channel, start, low, high)
        for sample in T.serial(high, need):
            line[sample] = T.float32(0)
        for vector in T.serial(gathered):
            _split(plan, line, streams, vector * plan.tile.lanes)
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
            T.buffer_store(apart, begin + combination(coefficients, values), [output * plan.tile.lanes + lane])


def _interleave(plan: WinogradPlan, apart: Any, line: Any, first: Any) -> None:
    """Put the outputs of one vector of columns in the order of time; `line` has a single row."""
    count, lanes = plan.winograd.outputs, plan.tile.lanes
    wide = apart[T.Ramp(0, 1, lanes * count)]
    order = [output * lanes + lane for lane in range(lanes) for output in range(count)]
    T.buffer_store(line, T.Shuffle([wide], order), [0, T.Ramp(first * count, 1, lanes * count)])


@T.inline
def _scatter(plan: Any, operands: Any, line: Any, batch_index: Any, row: Any, first: Any, count: Any) -> None:
    """Store outputs; with dilation, as unrolled scalars, because LLVM's own scatters are slower."""
    whole: T.int64 = 0
    if plan.sizes.dilation > 1:
        whole = count // plan.tile.lanes
        for vector in T.serial(whole):
            for lane in T.unroll(plan.tile.lanes):
                operands.target[batch_index, row, first + (vector * plan.tile.lanes + lane) * plan.sizes.dilation] = (
                    operands.finished(
                        line[0, vector * plan.tile.lanes + lane],
                        (batch_index, row, first + (vector * plan.tile.lanes + lane) * plan.sizes.dilation),
                    )
                )
    for output in T.serial(whole * plan.tile.lanes, count):
        operands.target[batch_index, row, first + output * plan.sizes.dilation] = operands.finished(
            line[0, output], (batch_index, row, first + output * plan.sizes.dilation)
        )


@T.inline
def prefetch_rows(plan: Any, operands: Any, batch_index: Any, block: Any, point: Any, first: Any) -> None:
    """Prefetch a point's share of the rows that are stored after the last point; phases all at the first point."""
    if plan.sizes.is_scattered:
        if point == 0:
            prefetch_phases(plan, operands, batch_index, block * plan.tile.rows, first, plan.outputs_each)
    else:
        for turn in T.serial(T.ceildiv(plan.tile.rows - point, plan.points)):
            row: T.int64 = block * plan.tile.rows + point + turn * plan.points
            for line in T.serial(T.ceildiv(plan.outputs_each * plan.sizes.dilation, LINE)):
                prefetch(operands.target, [batch_index, row, first + line * LINE], to_write=True)
                if operands.epilogue.has_residual:
                    prefetch(operands.residual, [batch_index, row, first + line * LINE])


@T.inline
def store(plan: Any, operands: Any, sums: Any, batch_index: Any, block: Any, first: Any, count: Any) -> None:
    """Store `count` outputs of every row of a block from position `first` on, or as many as lie inside the output.

    `sums` is [points, rows, columns].
    """
    apart = T.alloc_buffer((plan.winograd.outputs * plan.tile.lanes,), "float32")
    joined = T.alloc_buffer((plan.points, plan.tile.lanes), "float32")
    line = T.alloc_buffer((1, plan.outputs_each), "float32")
    # Rows beyond the last are computed, since tiles are whole, but not stored.
    for row in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - block * plan.tile.rows)):
        begin: T.float32 = T.float32(0)
        if operands.epilogue.has_bias:
            begin = operands.bias[(block * plan.tile.rows + row) // plan.sizes.upsampling]
        for vector in T.serial(plan.tile.vectors):
            _transform_back(plan, sums, joined, begin, apart, row, vector * plan.tile.lanes)
            _interleave(plan, apart, line, vector * plan.tile.lanes)
        if plan.sizes.is_scattered:
            store_phase(plan, operands, line, 0, batch_index, block * plan.tile.rows + row, first, plan.outputs_each)
        else:
            _scatter(plan, operands, line, batch_index, block * plan.tile.rows + row, first, count)
