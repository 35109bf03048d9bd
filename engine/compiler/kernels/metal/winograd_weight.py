"""The weights of a Winograd convolution on Apple's GPUs, transformed once: G g at every point."""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import WeightAt
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.kernels.winograd import combination


def pack_winograd_weight(
    plan: WinogradTile, group: Threadgroup, shape: tuple[int, int, int], value_at: WeightAt
) -> PrimFunc:
    """The function that transforms: w of this shape -> packed weight, 0 in channels and rows beyond the last.

    `value_at(w, channel, tap, row)` is the expression of one weight.
    """
    blocks, _, weights = plan.packed_shape
    count = blocks * plan.steps * weights

    @T.prim_func(s_tir=True)
    def pack_winograd_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for part in T.thread_binding(-(-count // group.threads), thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                taps = T.alloc_buffer((plan.sizes.taps,), "float32", scope="local")
                place: T.int32 = part * group.threads + thread
                if place < count:
                    channel: T.int32 = plan.channel_at(place)
                    row: T.int32 = plan.row_at(place)
                    for tap in T.unroll(plan.sizes.taps):
                        taps[tap] = T.if_then_else(
                            T.And(channel < plan.sizes.channels, row < plan.sizes.row_count),
                            value_at(weight, channel, tap, row),
                            T.float32(0),
                        )
                    _transform(plan, taps, packed, T.truncdiv(place, weights), T.truncmod(place, weights))

    return pack_winograd_weight


def _transform(plan: WinogradTile, taps: Any, packed: Any, slab: Any, place: Any) -> None:
    """Store the weights of one row and channel at all points; `slab` counts the slabs of all blocks."""
    values = [taps[tap] for tap in range(plan.sizes.taps)]
    block, step = T.truncdiv(slab, plan.steps), T.truncmod(slab, plan.steps)
    for point, coefficients in enumerate(plan.winograd.weight_matrix):
        T.buffer_store(packed, combination(coefficients, values), [block, step * plan.points + point, place])
