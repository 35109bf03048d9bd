"""The output of minimal filtering: the sums at every point transformed back, interleaved and stored.

It does not know how the sums were made.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T

from engine.compiler.schedules.filtering_plan import Filtering, combination
from engine.compiler.schedules.phases import ask_for_phases, store_phase
from engine.ops.cache_tir import LINE, prefetch


def _transform_back(plan: Filtering, sums: Any, begin: Any, apart: Any, row: Any, first: Any) -> None:
    """One vector of columns from `first` on: output i goes to row i of `apart`."""
    for output, coefficients in enumerate(plan.form.output_matrix):
        with T.vectorized(0, plan.tile.lanes) as lane:
            products = [sums[point, row, first + lane] for point in range(plan.points)]
            T.buffer_store(apart, begin + combination(coefficients, products), [output * plan.tile.lanes + lane])


def _interleave(plan: Filtering, apart: Any, line: Any, first: Any) -> None:
    """Outputs of one vector of columns in the order of time. `line` has a single row."""
    count, lanes = plan.form.outputs, plan.tile.lanes
    wide = apart[T.Ramp(0, 1, lanes * count)]
    order = [output * lanes + lane for lane in range(lanes) for output in range(count)]
    T.buffer_store(line, T.Shuffle([wide], order), [0, T.Ramp(first * count, 1, lanes * count)])


@T.inline
def _scatter(plan: Any, operands: Any, line: Any, member: Any, row: Any, first: Any, count: Any) -> None:
    """Outputs to their places; a vector at a time as scalars where these are apart: LLVM's own scatters are slower."""
    whole: T.int64 = 0
    if plan.sizes.dilation > 1:
        whole = count // plan.tile.lanes
        for vector in T.serial(whole):
            for lane in T.unroll(plan.tile.lanes):
                operands.target[member, row, first + (vector * plan.tile.lanes + lane) * plan.sizes.dilation] = (
                    operands.ended(
                        line[0, vector * plan.tile.lanes + lane],
                        (member, row, first + (vector * plan.tile.lanes + lane) * plan.sizes.dilation),
                    )
                )
    for output in T.serial(whole * plan.tile.lanes, count):
        operands.target[member, row, first + output * plan.sizes.dilation] = operands.ended(
            line[0, output], (member, row, first + output * plan.sizes.dilation)
        )


@T.inline
def prefetch_rows(plan: Any, operands: Any, member: Any, block: Any, point: Any, first: Any) -> None:
    """A share of the rows that are stored after the last point; all of them at the first, where they are phases."""
    if plan.sizes.is_scattered:
        if point == 0:
            ask_for_phases(plan, operands, member, block * plan.tile.rows, first, plan.outputs_each)
    else:
        for turn in T.serial(T.ceildiv(plan.tile.rows - point, plan.points)):
            row: T.int64 = block * plan.tile.rows + point + turn * plan.points
            for line in T.serial(T.ceildiv(plan.outputs_each * plan.sizes.dilation, LINE)):
                prefetch(operands.target, [member, row, first + line * LINE], to_write=True)
                if operands.ending.has_residual:
                    prefetch(operands.residual, [member, row, first + line * LINE])


@T.inline
def store(plan: Any, operands: Any, sums: Any, member: Any, block: Any, first: Any, count: Any) -> None:
    """`count` sums of every row of a block, from column `first` on, or as many as there are places for.

    `sums` is [points, rows, columns].
    """
    apart = T.alloc_buffer((plan.form.outputs * plan.tile.lanes,), "float32")
    line = T.alloc_buffer((1, plan.outputs_each), "float32")
    for row in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - block * plan.tile.rows)):
        begin: T.float32 = T.float32(0)
        if operands.ending.has_bias:
            begin = operands.bias[(block * plan.tile.rows + row) // plan.sizes.upsampling]
        for vector in T.serial(plan.tile.vectors):
            _transform_back(plan, sums, begin, apart, row, vector * plan.tile.lanes)
            _interleave(plan, apart, line, vector * plan.tile.lanes)
        if plan.sizes.is_scattered:
            store_phase(plan, operands, line, 0, member, block * plan.tile.rows + row, first, plan.outputs_each)
        else:
            _scatter(plan, operands, line, member, block * plan.tile.rows + row, first, count)
