"""Storing the sums of a transposed convolution, whose rows are phases of output channels, interleaved in time."""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.cpu.cache import LINE, prefetch
from engine.compiler.kernels.mathematics import ceil_div


@T.inline
def prefetch_phases(plan: Any, operands: Any, batch_index: Any, first: Any, start: Any, columns: Any) -> None:
    """Prefetch where a block of rows from `first` and columns from `start` on will be stored."""
    last: T.int64 = T.min(first + plan.tile.rows, plan.sizes.row_count) - 1
    place: T.int64 = start * plan.sizes.upsampling - plan.sizes.trim
    for channel in T.serial(first // plan.sizes.upsampling, last // plan.sizes.upsampling + 1):
        for line in T.unroll(ceil_div(columns * plan.sizes.upsampling, LINE)):
            prefetch(operands.target, [batch_index, channel, place + line * LINE], to_write=True)


@T.inline
def store_phase(
    plan: Any, operands: Any, sums: Any, held: Any, batch_index: Any, row: Any, start: Any, columns: Any
) -> None:
    """Store row `row`, which is row `held` of `sums`: the columns from `start` on that lie inside the output."""
    channel: T.int64 = row // plan.sizes.upsampling
    place: T.int64 = start * plan.sizes.upsampling + row % plan.sizes.upsampling - plan.sizes.trim
    # Columns from `low` to `high` lie inside the output: trimming cuts off the others.
    low: T.int64 = T.max(T.ceildiv(-place, plan.sizes.upsampling), 0)
    high: T.int64 = T.min(T.ceildiv(operands.outputs - place, plan.sizes.upsampling), columns)
    whole: T.int64 = low + T.max(high - low, 0) // plan.tile.lanes * plan.tile.lanes
    for vector in T.serial((whole - low) // plan.tile.lanes):
        # Scalar stores: LLVM's vector scatters are slower.
        for lane in T.unroll(plan.tile.lanes):
            column: T.int64 = low + vector * plan.tile.lanes + lane
            operands.target[batch_index, channel, place + column * plan.sizes.upsampling] = sums[held, column]
    for column in T.serial(whole, high):
        operands.target[batch_index, channel, place + column * plan.sizes.upsampling] = sums[held, column]
