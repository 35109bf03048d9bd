"""The weight of a convolution that is computed directly, in blocks of rows.

It does not know what the weight is multiplied with.
"""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.correlation import WeightAt
from engine.compiler.schedules.correlation_plan import CorrelationPlan


def correlation_weight(plan: CorrelationPlan, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight, 0 where there is no row."""

    @T.prim_func(s_tir=True)
    def pack_correlation_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, tap, row in T.grid(plan.sizes.channels, plan.sizes.taps, plan.tile.rows):
                if block * plan.tile.rows + row < plan.sizes.row_count:
                    packed[block, channel, tap, row] = value_at(weight, channel, tap, block * plan.tile.rows + row)
                else:
                    packed[block, channel, tap, row] = T.float32(0)

    return pack_correlation_weight
