"""The kernels of all convolutions on Apple's GPUs but the depthwise: a grid of tiles, and the packing of weights."""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import WeightAt
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.simdgroup_tile import SimdgroupTile, simdgroup_tile
from engine.compiler.kernels.metal.thread_tile import ThreadTile, thread_tile
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.kernels.metal.winograd_tile import winograd_tile
from engine.compiler.kernels.signatures import convolution_function

Tile = SimdgroupTile | ThreadTile | WinogradTile


def tiled_conv(plan: Tile, epilogue: Epilogue) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias [out], residual as y -> y [B, out channels, outputs].

    Bias and residual are arguments only if the epilogue has them.
    """
    return convolution_function(plan, epilogue, _tiles, T.int32)


def _inside(plan: Tile) -> Any:
    if isinstance(plan, WinogradTile):
        return winograd_tile
    return simdgroup_tile if isinstance(plan, SimdgroupTile) else thread_tile


@T.inline
def _tiles(plan: Any, operands: Any) -> None:
    for batch_index in T.thread_binding(operands.batch, thread="blockIdx.z"):
        for block in T.thread_binding(plan.blocks, thread="blockIdx.y"):
            for part in T.thread_binding(
                # Columns that cover all outputs: each is stored at `upsampling` positions, of which `trim` are cut off.
                T.ceildiv(
                    plan.units(T.ceildiv(operands.outputs + plan.sizes.trim, plan.sizes.upsampling)), plan.tile_columns
                ),
                thread="blockIdx.x",
            ):
                for ty in T.thread_binding(plan.threads[0], thread="threadIdx.y"):
                    for tx in T.thread_binding(plan.threads[1], thread="threadIdx.x"):
                        _inside(plan)(plan, operands, batch_index, block, part * plan.tile_columns, ty, tx)


def pack_direct_weight(
    plan: SimdgroupTile | ThreadTile, group: Threadgroup, shape: tuple[int, int, int], value_at: WeightAt
) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight, 0 in channels and rows beyond the last.

    `value_at(w, channel, tap, row)` is the expression of one weight.
    """
    depth, taps, rows = plan.packed_shape
    count = depth * taps * rows

    @T.prim_func(s_tir=True)
    def pack_direct_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, (depth, taps, rows), plan.factors)
        for block in T.thread_binding(-(-count // group.threads), thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                place: T.int32 = block * group.threads + thread
                if place < count:
                    channel: T.int32 = plan.channel_at(place)
                    row: T.int32 = plan.row_at(place)
                    packed[
                        T.truncdiv(place, taps * rows),
                        T.truncmod(T.truncdiv(place, rows), taps),
                        T.truncmod(place, rows),
                    ] = T.cast(
                        T.if_then_else(
                            T.And(channel < plan.sizes.channels, row < plan.sizes.row_count),
                            value_at(weight, channel, plan.tap_at(place), row),
                            T.float32(0),
                        ),
                        plan.factors,
                    )

    return pack_direct_weight
