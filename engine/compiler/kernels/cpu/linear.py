"""Linear layers on CPUs: rows times a packed weight, a block of outputs in registers, bias and activation at the end.

Rows are tokens, frames or sequences; their number is read at run time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.cache import LINE, prefetch
from engine.compiler.kernels.cpu.register_tile import (
    PRODUCTS_PER_BLOCK,
    Microkernel,
    add,
    clear,
    fma,
)
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.mathematics import ceil_div
from engine.compiler.kernels.signatures import linear_function

UNROLLED = 4
"""Features per iteration of the innermost loop: it then has so few iterations that its end is predicted."""


@dataclass(frozen=True)
class _Product:
    """Sizes of a matrix product; a panel is as many outputs wide as the tile has columns."""

    in_features: int
    out_features: int
    epilogue: Epilogue
    tile: Microkernel

    @property
    def panels(self) -> int:
        return ceil_div(self.out_features, self.tile.columns)

    @property
    def sum_blocks(self) -> int:
        """Blocks of the summation."""
        return ceil_div(self.in_features, PRODUCTS_PER_BLOCK)

    @property
    def unrolled(self) -> int:
        """Features per iteration of the innermost loop."""
        return UNROLLED if self.in_features % UNROLLED == 0 else 1

    @staticmethod
    def lower(tile: Microkernel) -> Microkernel:
        """The tile with one row fewer."""
        return replace(tile, rows=tile.rows - 1)

    @property
    def min_rows(self) -> int:
        """Rows of the lowest tile there is code for: rows divided evenly among several tiles are at most one fewer."""
        return self.tile.rows // 2 + 1

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """Shape of the packed weight: [panel, in, column in panel]."""
        return self.panels, self.in_features, self.tile.columns


def linear(in_features: int, out_features: int, epilogue: Epilogue, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [rows, in], packed weight, bias [out] if any -> y [rows, out]."""
    plan = _Product(in_features, out_features, epilogue, microkernel.on_stack())
    return linear_function(plan, _multiply, T.int64)


def packed_shape(out_features: int, in_features: int, microkernel: Microkernel) -> tuple[int, int, int]:
    """Shape of the packed weight: [panel, in, column in panel]."""
    return _Product(in_features, out_features, Epilogue(), microkernel.on_stack()).packed_shape


def pack_weight(out_features: int, in_features: int, microkernel: Microkernel) -> PrimFunc:
    """The function that packs: w [out, in] -> packed weight, 0 in columns beyond the last output."""
    shape = packed_shape(out_features, in_features, microkernel)
    *_, columns = shape

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


@dataclass(frozen=True)
class _Span:
    """One panel's outputs for the rows from `first` to `last`, block number `block` of `blocks`."""

    panel: Any
    block: Any
    blocks: Any
    first: Any
    last: Any


@T.inline
def _add_products(tile: Any, operands: Any, span: Any, feature: Any, sums: Any) -> None:
    """Add the products of one feature; rows beyond the last repeat it and are not stored."""
    fma(
        tile,
        sums,
        lambda row: operands.source[T.min(span.first + row, span.last), feature],
        lambda column: operands.weight[span.panel, feature, column],
    )


@T.inline
def _accumulate(plan: Any, tile: Any, operands: Any, span: Any, totals: Any) -> None:
    """Add the products block by block, prefetching this block's share of the next panel meanwhile."""
    share: T.int64 = T.ceildiv(plan.in_features, span.blocks * plan.sum_blocks)
    for sum_block in T.serial(plan.sum_blocks):
        # All blocks of rows read the panel in turn: together they prefetch the whole next panel, once.
        ahead: T.int64 = (span.block * plan.sum_blocks + sum_block) * share
        for feature in T.serial(ahead, T.min(ahead + share, plan.in_features)):
            for line in T.unroll(ceil_div(tile.columns, LINE)):
                prefetch(operands.weight, [span.panel + 1, feature, line * LINE], later=True)
        held = T.alloc_buffer((tile.rows, tile.columns), "float32")
        clear(tile, held)
        begin: T.int64 = sum_block * PRODUCTS_PER_BLOCK
        for turn in T.serial(T.min(PRODUCTS_PER_BLOCK, plan.in_features - begin) // plan.unrolled):
            for step in T.unroll(plan.unrolled):
                _add_products(tile, operands, span, begin + turn * plan.unrolled + step, held)
        add(tile, held, totals)


@T.inline
def _accumulate_rows(itself: Any, plan: Any, tile: Any, operands: Any, span: Any, totals: Any) -> None:
    """An unrolled loop per tile height, since registers cannot be indexed at run time; `itself` is this function."""
    if tile.rows == plan.min_rows:
        _accumulate(plan, tile, operands, span, totals)
    else:
        if span.last - span.first == tile.rows - 1:
            _accumulate(plan, tile, operands, span, totals)
        else:
            # Expanded while the script is parsed: recursion ends at the lowest tile.
            itself(itself, plan, plan.lower(tile), operands, span, totals)


@T.inline
def _store(plan: Any, operands: Any, totals: Any, span: Any) -> None:
    start: T.int64 = span.panel * plan.tile.columns
    for row in T.serial(span.last - span.first + 1):
        if start + plan.tile.columns <= plan.out_features:
            for vector in T.unroll(plan.tile.vectors):
                for lane in T.vectorized(plan.tile.lanes):
                    operands.target[span.first + row, start + vector * plan.tile.lanes + lane] = operands.biased(
                        totals[row, vector * plan.tile.lanes + lane], start + vector * plan.tile.lanes + lane
                    )
        else:
            # The last panel is padded: only its outputs are stored.
            for column in T.serial(plan.out_features - start):
                operands.target[span.first + row, start + column] = operands.biased(totals[row, column], start + column)


@T.inline
def _finish(plan: Any, target: Any, row_count: Any) -> None:
    """Apply the activation in a separate loop: its constants would push the sums out of their registers."""
    for row in T.parallel(row_count):
        for vector in T.serial(plan.out_features // plan.tile.lanes):
            for lane in T.vectorized(plan.tile.lanes):
                target[row, vector * plan.tile.lanes + lane] = plan.epilogue.activated(
                    target[row, vector * plan.tile.lanes + lane]
                )
        for column in T.serial(plan.out_features // plan.tile.lanes * plan.tile.lanes, plan.out_features):
            target[row, column] = plan.epilogue.activated(target[row, column])


@T.inline
def _multiply(plan: Any, operands: Any) -> None:
    """Multiply all rows; blocks of rows differ by at most one row, and a panel serves all of them in turn."""
    for chunk in T.parallel(plan.tile.chunks):
        blocks: T.int64 = T.ceildiv(operands.row_count, plan.tile.rows)
        begin: T.int64 = chunk * blocks * plan.panels // plan.tile.chunks
        end: T.int64 = (chunk + 1) * blocks * plan.panels // plan.tile.chunks
        for unit in T.serial(begin, end):
            # Blocks vary fastest: a panel of the weight stays in the cache for all of them.
            panel: T.int64 = unit // blocks
            block: T.int64 = unit % blocks
            first: T.int64 = block * operands.row_count // blocks
            last: T.int64 = (block + 1) * operands.row_count // blocks - 1
            totals = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
            clear(plan.tile, totals)
            span = T.meta_var(_Span(panel, block, blocks, first, last))
            _accumulate_rows(_accumulate_rows, plan, plan.tile, operands, span, totals)
            _store(plan, operands, totals, span)
    if plan.epilogue.has_gelu:
        _finish(plan, operands.target, operands.row_count)
