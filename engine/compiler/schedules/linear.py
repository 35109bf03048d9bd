"""Linear layers: rows times a packed weight, a block of outputs in registers, bias and activation at the end.

It does not know what the rows are: tokens, frames or members of a batch, their number is read at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.epilogue import Epilogue
from engine.compiler.kernel_functions import linear_function
from engine.compiler.schedules.register_tile import clear, spill
from engine.ops.microkernel_tir import Microkernel, ceil_div


@dataclass(frozen=True)
class _Product:
    """Sizes of a product; a panel is `columns` outputs wide."""

    in_features: int
    out_features: int
    epilogue: Epilogue
    tile: Microkernel

    @property
    def panels(self) -> int:
        return ceil_div(self.out_features, self.tile.columns)

    @property
    def least_rows(self) -> int:
        """Of a tile there is code for: rows that need several tiles, divided evenly, are one fewer at most."""
        return self.tile.rows // 2 + 1

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """[panel, in, column in panel]."""
        return self.panels, self.in_features, self.tile.columns


def linear(
    in_features: int, out_features: int, has_bias: bool, epilogue: Epilogue, microkernel: Microkernel
) -> PrimFunc:
    """The kernel: x [rows, in], packed weight, bias [out] if any -> y [rows, out]."""
    plan = _Product(in_features, out_features, epilogue, microkernel)
    return linear_function(plan, has_bias, _multiply, T.int64)


def packed_shape(out_features: int, in_features: int, microkernel: Microkernel) -> tuple[int, int, int]:
    """Shape of the packed weight: [panel, in, column in panel]."""
    return _Product(in_features, out_features, Epilogue.NONE, microkernel).packed_shape


def pack_weight(out_features: int, in_features: int, microkernel: Microkernel) -> PrimFunc:
    """The function that packs: w [out, in] -> packed weight, columns beyond the last output being 0."""
    columns = microkernel.columns
    shape = packed_shape(out_features, in_features, microkernel)

    @T.prim_func(s_tir=True)
    def pack_linear_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (out_features, in_features), "float32")
        packed = T.match_buffer(p, shape, "float32")
        for panel in T.parallel(shape[0]):
            for feature, column in T.grid(in_features, columns):
                if panel * columns + column < out_features:
                    packed[panel, feature, column] = weight[panel * columns + column, feature]
                else:
                    packed[panel, feature, column] = T.float32(0)

    return pack_linear_weight


@T.inline
def _accumulate(plan: Any, rows: Any, source: Any, weight: Any, panel: Any, first: Any, last: Any, sums: Any) -> None:
    for feature in T.serial(plan.in_features):
        for row in T.unroll(rows):
            for vector in T.unroll(plan.tile.vectors):
                for lane in T.vectorized(plan.tile.lanes):
                    # Rows beyond the last repeat it; they are not stored.
                    sums[row, vector * plan.tile.lanes + lane] += (
                        source[T.min(first + row, last), feature]
                        * weight[panel, feature, vector * plan.tile.lanes + lane]
                    )


@T.inline
def _accumulate_rows(
    itself: Any, plan: Any, rows: Any, source: Any, weight: Any, panel: Any, first: Any, last: Any, sums: Any
) -> None:
    """A loop for each height up to `rows`, for registers cannot be counted at run time; `itself` is this function."""
    if rows == plan.least_rows:
        _accumulate(plan, rows, source, weight, panel, first, last, sums)
    else:
        if last - first == rows - 1:
            _accumulate(plan, rows, source, weight, panel, first, last, sums)
        else:
            itself(itself, plan, rows - 1, source, weight, panel, first, last, sums)


@T.inline
def _store(plan: Any, has_bias: Any, sums: Any, bias: Any, target: Any, first: Any, last: Any, panel: Any) -> None:
    spilled = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
    spill(plan.tile, sums, spilled)
    for row in T.serial(last - first + 1):
        width: T.int64 = T.min(plan.tile.columns, plan.out_features - panel * plan.tile.columns)
        if has_bias:
            for column in T.serial(width):
                spilled[row, column] += bias[panel * plan.tile.columns + column]
        for column in T.serial(width):
            target[first + row, panel * plan.tile.columns + column] = spilled[row, column]


@T.inline
def _finish(plan: Any, target: Any, row_count: Any) -> None:
    """The epilogue runs in a loop of its own: its constants would push the sums out of their registers."""
    for row in T.parallel(row_count):
        for vector in T.serial(plan.out_features // plan.tile.lanes):
            for lane in T.vectorized(plan.tile.lanes):
                target[row, vector * plan.tile.lanes + lane] = plan.epilogue.apply(
                    target[row, vector * plan.tile.lanes + lane]
                )
        for column in T.serial(plan.out_features // plan.tile.lanes * plan.tile.lanes, plan.out_features):
            target[row, column] = plan.epilogue.apply(target[row, column])


@T.inline
def _multiply(plan: Any, has_bias: Any, source: Any, weight: Any, bias: Any, target: Any, row_count: Any) -> None:
    """Blocks of rows differ by one row at most, so that none is nearly empty; a panel serves all of them in turn."""
    for chunk in T.parallel(plan.tile.chunks):
        blocks: T.int64 = T.ceildiv(row_count, plan.tile.rows)
        begin: T.int64 = chunk * blocks * plan.panels // plan.tile.chunks
        end: T.int64 = (chunk + 1) * blocks * plan.panels // plan.tile.chunks
        for unit in T.serial(begin, end):
            panel: T.int64 = unit // blocks
            first: T.int64 = unit % blocks * row_count // blocks
            last: T.int64 = (unit % blocks + 1) * row_count // blocks - 1
            sums = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
            clear(plan.tile, sums)
            _accumulate_rows(_accumulate_rows, plan, plan.tile.rows, source, weight, panel, first, last, sums)
            _store(plan, has_bias, sums, bias, target, first, last, panel)
    if plan.epilogue is not Epilogue.NONE:
        _finish(plan, target, row_count)
