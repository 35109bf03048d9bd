"""The weights of minimal filtering, transformed at every point once, when they are loaded.

It does not know what they are multiplied with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.correlation import WeightAt
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.minimal_filter import Matrix


def filtering_weight(plan: Filtering, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that transforms: w of this shape -> transformed weight; rows beyond the last repeat it."""

    @T.prim_func(s_tir=True)
    def filtering_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, row in T.grid(plan.sizes.channels, plan.tile.rows):
                _transform_weight(plan, weight, value_at, packed, block, channel, row)

    return filtering_weight


def _transform_weight(
    plan: Filtering, weight: Any, value_at: WeightAt, packed: Any, block: Any, channel: Any, row: Any
) -> None:
    """All pieces of one filter."""
    place = T.min(block * plan.tile.rows + row, plan.sizes.row_count - 1)
    for piece in range(plan.pieces):
        first = piece * plan.form.taps
        taps = [
            T.Cast("float64", value_at(weight, channel, tap, place)) if tap < plan.sizes.taps else T.float64(0)
            for tap in range(first, first + plan.form.taps)
        ]
        for point, value in enumerate(_at_points(plan.form.weight_matrix, taps)):
            T.buffer_store(packed, T.Cast("float32", value), [block, point, channel, piece, row])


def _at_points(rows: Matrix, taps: Sequence[Any]) -> list[Any]:
    """A piece of the kernel at every point, in float64."""
    weights = []
    for row in rows:
        total: Any = T.float64(0)
        for coefficient, tap in zip(row, taps, strict=True):
            total = total + T.float64(float(coefficient)) * tap
        weights.append(total)
    return weights
