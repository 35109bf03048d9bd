"""Linear layers: rows times a packed weight, a block of outputs in registers, bias and activation at the end.

It does not know what the rows are: tokens, frames or members of a batch, their number is read at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.epilogue import Epilogue
from engine.ops.microkernel_tir import Microkernel, ceil_div


@dataclass(frozen=True)
class _Product:
    """Sizes of a product; a panel is `columns` outputs wide."""

    in_features: int
    out_features: int
    epilogue: Epilogue
    microkernel: Microkernel

    @property
    def panels(self) -> int:
        return ceil_div(self.out_features, self.columns)

    @property
    def rows(self) -> int:
        return self.microkernel.rows

    @property
    def columns(self) -> int:
        return self.microkernel.columns

    @property
    def lanes(self) -> int:
        return self.microkernel.lanes

    @property
    def vectors(self) -> int:
        return self.columns // self.lanes

    @property
    def chunks(self) -> int:
        return self.microkernel.chunks


def linear(
    in_features: int, out_features: int, has_bias: bool, epilogue: Epilogue, microkernel: Microkernel
) -> PrimFunc:
    """The kernel: x [rows, in], packed weight, bias [out] if any -> y [rows, out]."""
    plan = _Product(in_features, out_features, epilogue, microkernel)
    return _with_bias(plan) if has_bias else _without_bias(plan)


def packed_shape(out_features: int, in_features: int, microkernel: Microkernel) -> tuple[int, int, int]:
    """Shape of the packed weight: [panel, in, column in panel]."""
    return ceil_div(out_features, microkernel.columns), in_features, microkernel.columns


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
def _accumulate(plan: Any, source: Any, weight: Any, panel: Any, first: Any, row_count: Any, sums: Any) -> None:
    for row in T.unroll(plan.rows):
        for vector in T.unroll(plan.vectors):
            for lane in T.vectorized(plan.lanes):
                sums[row, vector * plan.lanes + lane] = T.float32(0)
    for feature in T.serial(plan.in_features):
        for row in T.unroll(plan.rows):
            for vector in T.unroll(plan.vectors):
                for lane in T.vectorized(plan.lanes):
                    # Rows beyond the last repeat it; they are not stored.
                    sums[row, vector * plan.lanes + lane] += (
                        source[T.min(first + row, row_count - 1), feature]
                        * weight[panel, feature, vector * plan.lanes + lane]
                    )


@T.inline
def _store(plan: Any, sums: Any, bias: Any, target: Any, first: Any, row_count: Any, panel: Any) -> None:
    spilled = T.alloc_buffer((plan.rows, plan.columns), "float32")
    for row in T.unroll(plan.rows):
        for vector in T.unroll(plan.vectors):
            for lane in T.vectorized(plan.lanes):
                spilled[row, vector * plan.lanes + lane] = sums[row, vector * plan.lanes + lane]
    for row in T.serial(T.min(plan.rows, row_count - first)):
        width: T.int64 = T.min(plan.columns, plan.out_features - panel * plan.columns)
        if bias is not None:
            for column in T.serial(width):
                spilled[row, column] += bias[panel * plan.columns + column]
        for column in T.serial(width):
            target[first + row, panel * plan.columns + column] = spilled[row, column]


@T.inline
def _finish(plan: Any, target: Any, row_count: Any) -> None:
    """The epilogue runs in a loop of its own: its constants would push the sums out of their registers."""
    for row in T.parallel(row_count):
        for vector in T.serial(plan.out_features // plan.lanes):
            for lane in T.vectorized(plan.lanes):
                target[row, vector * plan.lanes + lane] = plan.epilogue.apply(target[row, vector * plan.lanes + lane])
        for column in T.serial(plan.out_features // plan.lanes * plan.lanes, plan.out_features):
            target[row, column] = plan.epilogue.apply(target[row, column])


@T.inline
def _multiply(plan: Any, source: Any, weight: Any, bias: Any, target: Any, row_count: Any) -> None:
    for chunk in T.parallel(plan.chunks):
        blocks: T.int64 = T.ceildiv(row_count, plan.rows)
        begin: T.int64 = chunk * blocks * plan.panels // plan.chunks
        end: T.int64 = (chunk + 1) * blocks * plan.panels // plan.chunks
        for unit in T.serial(begin, end):
            panel: T.int64 = unit // blocks
            first: T.int64 = unit % blocks * plan.rows
            sums = T.alloc_buffer((plan.rows, plan.columns), "float32")
            _accumulate(plan, source, weight, panel, first, row_count, sums)
            _store(plan, sums, bias, target, first, row_count, panel)
    if plan.epilogue is not Epilogue.NONE:
        _finish(plan, target, row_count)


def _with_bias(plan: _Product) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def linear(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        row_count = T.int64()
        source = T.match_buffer(x, (row_count, plan.in_features), "float32")
        weight = T.match_buffer(w, (plan.panels, plan.in_features, plan.columns), "float32")
        bias = T.match_buffer(b, (plan.out_features,), "float32")
        target = T.match_buffer(y, (row_count, plan.out_features), "float32")
        _multiply(plan, source, weight, bias, target, row_count)

    return linear


def _without_bias(plan: _Product) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def linear(x: T.handle, w: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        row_count = T.int64()
        source = T.match_buffer(x, (row_count, plan.in_features), "float32")
        weight = T.match_buffer(w, (plan.panels, plan.in_features, plan.columns), "float32")
        target = T.match_buffer(y, (row_count, plan.out_features), "float32")
        _multiply(plan, source, weight, None, target, row_count)

    return linear
