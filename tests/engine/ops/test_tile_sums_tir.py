"""Loops over registers reach every sum; totals in two parts lose next to nothing."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.ops.microkernel_tir import Microkernel
from engine.ops.tile_sums_tir import Totals, add, clear, join, spill
from tests.engine.kernels import built, lost_to_rounding

TILE = Microkernel(lanes=4, rows=3, columns=8)
COUNT = 500


def test_every_sum_is_reached() -> None:
    @T.prim_func(s_tir=True)
    def cleared(x: T.handle, y: T.handle) -> None:
        source = T.match_buffer(x, (3, 8), "float32")
        target = T.match_buffer(y, (6, 8), "float32")
        sums = T.alloc_buffer((3, 8), "float32")
        clear(TILE, sums)
        spill(TILE, source, target)
        for row, column in T.grid(3, 8):
            target[3 + row, column] = sums[row, column]

    x = np.arange(1, 25, dtype=np.float32).reshape(3, 8)
    np.testing.assert_array_equal(built(cleared)((6, 8), x), [*x, *np.zeros_like(x)])


@pytest.mark.parametrize(("has_exact_totals", "least", "most"), [(True, 0, 0.5), (False, 2, 20)])
def test_totals_in_two_parts_are_as_if_rounded_once(has_exact_totals: bool, least: float, most: float) -> None:
    @T.prim_func(s_tir=True)
    def summed(x: T.handle, y: T.handle) -> None:
        source = T.match_buffer(x, (COUNT, 3, 8), "float32")
        target = T.match_buffer(y, (3, 8), "float32")
        first = T.alloc_buffer((3, 8), "float32")
        rest = T.alloc_buffer((3, 8), "float32")
        sums = T.alloc_buffer((3, 8), "float32")
        totals = T.meta_var(Totals(first, rest))
        clear(TILE, first)
        clear(TILE, rest)
        for number in T.serial(COUNT):
            for row, column in T.grid(3, 8):
                sums[row, column] = source[number, row, column]
            if has_exact_totals:
                join(TILE, sums, totals)
            else:
                add(TILE, sums, totals.most)
        for row, column in T.grid(3, 8):
            target[row, column] = totals.at(row, column)

    x = np.random.default_rng(0).standard_normal((COUNT, 3, 8), np.float32)
    assert least <= lost_to_rounding(built(summed)((3, 8), x), x.astype(np.float64).sum(0)) < most
