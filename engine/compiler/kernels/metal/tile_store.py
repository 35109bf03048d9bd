"""Storing the sums of a convolution's tile, of threads or of simdgroups."""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T


@T.inline
def store_sum(plan: Any, operands: Any, batch_index: Any, row: Any, column: Any, value: Any) -> None:
    """Store the sum of a row and column at its position in the output; those outside the output are dropped."""
    channel: T.int32 = T.truncdiv(row, plan.sizes.upsampling)
    # A row is a phase of an output channel; the phases of a column are neighbors in time.
    place: T.int32 = column * plan.sizes.upsampling + T.truncmod(row, plan.sizes.upsampling) - plan.sizes.trim
    if T.And(row < plan.sizes.row_count, T.And(place >= 0, place < operands.outputs)):
        operands.target[batch_index, channel, place] = operands.finished(
            operands.biased(value, channel), (batch_index, channel, place)
        )
