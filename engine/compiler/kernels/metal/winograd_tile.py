"""A tile of a convolution by Winograd's F(m, r), in which simdgroups multiply matrices of 8 by 8.

Threads transform a slab of the input into threadgroup memory, a set of samples each. Each simdgroup multiplies it with
the transformed weights of its points, which it alone reads, straight from device memory, and keeps the sums over all
channels in registers. At the end, rows pass through threadgroup memory: their sums are transformed back, and then
stored in the order of time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.metal.simdgroup_tile import DEPTH, LANES, PLACES, SIDE
from engine.compiler.kernels.metal.tile_store import store_sum
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.kernels.winograd import Row, combination, with_opposites


def _to_points(plan: WinogradTile, samples: Any, halves: Any, slab: Any, place: Any) -> None:
    """Transform a set of samples to all points, B^T d; `halves` holds what two points compute together."""
    values = [samples[index] for index in range(plan.points)]

    def store(point: int, value: Any) -> None:
        T.buffer_store(slab, value, [point * (DEPTH * plan.pitch) + place])

    for points, rows in with_opposites(plan.winograd.input_matrix):
        if len(points) == 1:
            store(points[0], combination(rows[0], values))
        else:
            for half, row in enumerate(rows):
                T.buffer_store(halves, combination(row, values), [half])
            store(points[0], halves[0] + halves[1])
            store(points[1], halves[0] - halves[1])


def _from_points(plan: WinogradTile, joined: Any, sums: Any, place: Any, outputs: Any, first: Any) -> None:
    """Transform the sums at all points back, A^T sums, to `outputs` from index `first` on.

    `joined` holds the sum and the difference of the values at two opposite points, or the value at a point.
    """
    columns = tuple(zip(*plan.winograd.output_matrix, strict=True))
    matrix: list[Row] = []
    for points, rows in with_opposites(columns):
        matrix.extend(rows)
        values = [sums[point * plan.round_sums + place] for point in points]
        for point, value in zip(points, _sum_and_difference(values), strict=True):
            T.buffer_store(joined, value, [point])
    for output, coefficients in enumerate(zip(*matrix, strict=True)):
        value = combination(coefficients, [joined[point] for point in range(plan.points)])
        T.buffer_store(outputs, value, [first + output])


def _sum_and_difference(values: Sequence[Any]) -> Sequence[Any]:
    """Of two values; a single one is left as it is."""
    return values if len(values) == 1 else (values[0] + values[1], values[0] - values[1])


@T.inline
def _load_slab(plan: Any, operands: Any, slab: Any, batch_index: Any, first: Any, channel: Any, thread: Any) -> None:
    samples = T.alloc_buffer((plan.points,), "float32", scope="local")
    halves = T.alloc_buffer((2,), "float32", scope="local")
    for turn in T.serial(plan.slab_turns):
        place: T.int32 = turn * plan.thread_count + thread
        if place < DEPTH * plan.tile_columns:
            row: T.int32 = T.truncdiv(place, plan.tile_columns)
            column: T.int32 = T.truncmod(place, plan.tile_columns)
            start: T.int32 = plan.position(first + column) - plan.sizes.padding
            for sample in T.unroll(plan.points):
                # Positions outside the input, and channels beyond the last, are 0: the products need no bounds check.
                samples[sample] = T.if_then_else(
                    T.And(
                        T.And(
                            start + sample * plan.sizes.dilation >= 0,
                            start + sample * plan.sizes.dilation < operands.length,
                        ),
                        channel + row < plan.sizes.channels,
                    ),
                    operands.source[batch_index, channel + row, start + sample * plan.sizes.dilation],
                    T.float32(0),
                )
            _to_points(plan, samples, halves, slab, row * plan.pitch + column)


@T.inline
def _multiply(
    plan: Any, weight: Any, slab: Any, lefts: Any, rights: Any, sums: Any, block: Any, step: Any, ty: Any
) -> None:
    for each in T.unroll(plan.points_each):
        point: T.int32 = ty * plan.points_each + each
        for depth in T.unroll(DEPTH // SIDE):
            for i in T.unroll(plan.rows_each):
                T.metal.simdgroup_load(
                    lefts.data,
                    i,
                    T.address_of(weight[block, step * plan.points + point, (depth * plan.tile_rows + i * SIDE) * SIDE]),
                    SIDE,
                )
            for j in T.unroll(plan.columns_each):
                T.metal.simdgroup_load(
                    rights.data,
                    j,
                    T.address_of(slab[(point * DEPTH + depth * SIDE) * plan.pitch + j * SIDE]),
                    plan.pitch,
                )
            for i in T.unroll(plan.rows_each):
                for j in T.unroll(plan.columns_each):
                    # Rows x channels times channels x columns, at one point: (G g) (B^T d) summed over channels.
                    T.metal.simdgroup_multiply_accumulate(
                        sums.data,
                        plan.accumulator(each, i, j),
                        lefts.data,
                        i,
                        rights.data,
                        j,
                        sums.data,
                        plan.accumulator(each, i, j),
                    )


@T.inline
def _store_rows(plan: Any, operands: Any, sums: Any, batch_index: Any, row: Any, first: Any, ty: Any, tx: Any) -> None:
    """Store what is in threadgroup memory, from row number `row` on, neighbors in time by neighboring threads."""
    # The first position of the tile's first set, or before it.
    begin: T.int32 = T.truncdiv(first, plan.sizes.dilation) * plan.stretch
    for turn in T.serial(-(-plan.round_rows // plan.simdgroups)):
        own: T.int32 = turn * plan.simdgroups + ty
        if own < plan.round_rows:
            for part in T.serial(-(-plan.span // LANES)):
                position: T.int32 = begin + part * LANES + tx
                column: T.int32 = plan.set_at(position) - first
                if T.And(column >= 0, column < plan.tile_columns):
                    store_sum(
                        plan,
                        operands,
                        batch_index,
                        row + own,
                        position,
                        sums[plan.output_at(position) * plan.round_sums + own * plan.tile_columns + column],
                    )


@T.inline
def _store(
    plan: Any, operands: Any, memory: Any, sums: Any, batch_index: Any, block: Any, first: Any, ty: Any, tx: Any
) -> None:
    joined = T.alloc_buffer((plan.points,), "float32", scope="local")
    outputs = T.alloc_buffer((plan.round_turns * plan.winograd.outputs,), "float32", scope="local")
    for part in T.unroll(plan.rows_each // plan.points_each):
        for each in T.unroll(plan.points_each):
            point: T.int32 = ty * plan.points_each + each
            for i in T.unroll(plan.points_each):
                for j in T.unroll(plan.columns_each):
                    T.metal.simdgroup_store(
                        sums.data,
                        plan.accumulator(each, part * plan.points_each + i, j),
                        T.address_of(memory[point * plan.round_sums + i * (SIDE * plan.tile_columns) + j * SIDE]),
                        plan.tile_columns,
                    )
        # The sums of all points are in threadgroup memory.
        T.tvm_storage_sync("shared")
        for turn in T.unroll(plan.round_turns):
            place: T.int32 = turn * plan.thread_count + ty * LANES + tx
            if place < plan.round_sums:
                _from_points(plan, joined, memory, place, outputs, turn * plan.winograd.outputs)
        # All threads have read the sums before outputs overwrite them.
        T.tvm_storage_sync("shared")
        for turn in T.unroll(plan.round_turns):
            if turn * plan.thread_count + ty * LANES + tx < plan.round_sums:
                for output in T.unroll(plan.winograd.outputs):
                    memory[output * plan.round_sums + turn * plan.thread_count + ty * LANES + tx] = outputs[
                        turn * plan.winograd.outputs + output
                    ]
        # Outputs of all sets are in place.
        T.tvm_storage_sync("shared")
        _store_rows(plan, operands, memory, batch_index, block * plan.tile_rows + part * plan.round_rows, first, ty, tx)
        # All threads are done with them before those of other rows overwrite them.
        T.tvm_storage_sync("shared")


@T.inline
def winograd_tile(plan: Any, operands: Any, batch_index: Any, block: Any, first: Any, ty: Any, tx: Any) -> None:
    """Compute and store the tile of this block of rows from set number `first` on, as one of its threads."""
    memory = T.alloc_buffer((plan.memory,), "float32", scope="shared")
    lefts = T.alloc_buffer((plan.rows_each * PLACES,), "float32", scope="metal.simdgroup")
    rights = T.alloc_buffer((plan.columns_each * PLACES,), "float32", scope="metal.simdgroup")
    sums = T.alloc_buffer((plan.accumulators * PLACES,), "float32", scope="metal.simdgroup")
    for i in T.unroll(plan.accumulators):
        T.metal.make_filled_simdgroup_matrix(sums.data, i, T.float32(0))
    for step in T.serial(plan.steps):
        _load_slab(plan, operands, memory, batch_index, first, step * DEPTH, ty * LANES + tx)
        # All of the slab is transformed.
        T.tvm_storage_sync("shared")
        _multiply(plan, operands.weight, memory, lefts, rights, sums, block, step, ty)
        # All simdgroups are done with it before the next slab, or the sums, overwrite it.
        T.tvm_storage_sync("shared")
    _store(plan, operands, memory, sums, batch_index, block, first, ty, tx)
