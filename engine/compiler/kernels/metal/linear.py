"""Linear layers on Apple's GPUs: tiles of rows and outputs, both operands passing through threadgroup memory.

Rows are tokens, frames or sequences; their number is read at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.signatures import linear_function

SIDE = 16
"""Threads of a tile in each direction."""
EACH = 2
"""Rows, and outputs, per thread: with few tokens, larger tiles would be mostly empty."""
DEPTH = 16
"""Features in threadgroup memory at a time."""


@dataclass(frozen=True)
class _Product:
    in_features: int
    out_features: int
    epilogue: Epilogue

    @property
    def packed_shape(self) -> tuple[int, int]:
        return self.in_features, self.out_features

    @property
    def tile(self) -> int:
        return SIDE * EACH

    @property
    def steps(self) -> int:
        return -(-self.in_features // DEPTH)

    @property
    def panels(self) -> int:
        return -(-self.out_features // self.tile)


def linear(in_features: int, out_features: int, epilogue: Epilogue, group: Threadgroup) -> PrimFunc:
    """The kernel: x [rows, in], packed weight, bias [out] if any -> y [rows, out]."""
    plan = _Product(in_features, out_features, epilogue)
    return linear_function(plan, _tiles, T.int32)


def packed_shape(out_features: int, in_features: int, group: Threadgroup) -> tuple[int, int]:
    """Shape of the packed weight: [in, out], so that neighboring threads read neighboring outputs."""
    return _Product(in_features, out_features, Epilogue()).packed_shape


def pack_weight(out_features: int, in_features: int, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [out, in] -> packed weight."""
    count = in_features * out_features
    blocks = -(-count // group.threads)

    @T.prim_func(s_tir=True)
    def pack_linear_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (out_features, in_features), "float32")
        packed = T.match_buffer(p, (in_features, out_features), "float32")
        for block in T.thread_binding(blocks, thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                place: T.int32 = block * group.threads + thread
                if place < count:
                    packed[T.truncdiv(place, out_features), T.truncmod(place, out_features)] = weight[
                        T.truncmod(place, out_features), T.truncdiv(place, out_features)
                    ]

    return pack_linear_weight


@T.inline
def _store(plan: Any, operands: Any, sums: Any, first: Any, panel: Any, ty: Any, tx: Any) -> None:
    for i in T.unroll(EACH):
        for j in T.unroll(EACH):
            if T.And(first + i * SIDE + ty < operands.row_count, panel + j * SIDE + tx < plan.out_features):
                operands.target[first + i * SIDE + ty, panel + j * SIDE + tx] = plan.epilogue.activated(
                    operands.biased(sums[i, j], panel + j * SIDE + tx)
                )


@T.inline
def _multiply(plan: Any, operands: Any, first: Any, panel: Any, sums: Any, ty: Any, tx: Any) -> None:
    values = T.alloc_buffer((DEPTH, plan.tile), "float32", scope="shared")
    weights = T.alloc_buffer((DEPTH, plan.tile), "float32", scope="shared")
    for i, j in T.grid(EACH, EACH):
        sums[i, j] = T.float32(0)
    for step in T.serial(plan.steps):
        for turn in T.serial(EACH):
            # Neighboring threads read neighboring features of a row, and neighboring outputs of a weight.
            # Values beyond the operands are 0, so that the products need no bounds check.
            row: T.int32 = first + turn * SIDE + ty
            values[tx, turn * SIDE + ty] = T.if_then_else(
                T.And(row < operands.row_count, step * DEPTH + tx < plan.in_features),
                operands.source[T.min(row, operands.row_count - 1), step * DEPTH + tx],
                T.float32(0),
            )
            output: T.int32 = panel + turn * SIDE + tx
            weights[ty, turn * SIDE + tx] = T.if_then_else(
                T.And(output < plan.out_features, step * DEPTH + ty < plan.in_features),
                operands.weight[step * DEPTH + ty, output],
                T.float32(0),
            )
        # All of the tile is loaded.
        T.tvm_storage_sync("shared")
        for depth in T.serial(DEPTH):
            for i in T.unroll(EACH):
                for j in T.unroll(EACH):
                    sums[i, j] += values[depth, i * SIDE + ty] * weights[depth, j * SIDE + tx]
        # All threads are done with it before the next step overwrites it.
        T.tvm_storage_sync("shared")


@T.inline
def _tiles(plan: Any, operands: Any) -> None:
    for block in T.thread_binding(T.ceildiv(operands.row_count, plan.tile), thread="blockIdx.y"):
        for panel in T.thread_binding(plan.panels, thread="blockIdx.x"):
            for ty in T.thread_binding(SIDE, thread="threadIdx.y"):
                for tx in T.thread_binding(SIDE, thread="threadIdx.x"):
                    sums = T.alloc_buffer((EACH, EACH), "float32", scope="local")
                    _multiply(plan, operands, block * plan.tile, panel * plan.tile, sums, ty, tx)
                    _store(plan, operands, sums, block * plan.tile, panel * plan.tile, ty, tx)
