"""What is packed fits its budget; loops over registers reach every sum."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.schedules.register_tile import PackedTile, clear, spill
from engine.ops.microkernel_tir import AVX2, AVX512, Microkernel
from tests.engine.kernels import built


@pytest.mark.parametrize("depth", [1, 22, 128, 256, 512, 1090])
@pytest.mark.parametrize("halo", [0, 10, 50])
def test_a_packed_tile_fits_its_budget(depth: int, halo: int) -> None:
    packed = PackedTile(AVX512, depth, halo)
    assert packed.pitch >= packed.width + halo
    assert packed.parts == 1 or 4 * depth * packed.pitch <= AVX512.tile_bytes + 4 * depth * AVX512.lanes


@pytest.mark.parametrize("depth", [22, 128, 256, 1090])
@pytest.mark.parametrize("halo", [0, 2, 6])
def test_panels_apart_have_a_halo_each_and_fit_their_budget(depth: int, halo: int) -> None:
    packed = PackedTile(AVX2, depth, halo, apart=True)
    assert packed.panels == packed.parts
    assert AVX2.columns + halo <= packed.pitch < AVX2.columns + halo + AVX2.lanes
    assert packed.parts == 1 or 4 * depth * packed.pitch * packed.panels <= AVX2.tile_bytes


def test_a_tile_never_vanishes() -> None:
    assert PackedTile(AVX512, 100_000, 2).parts == 1


def test_every_sum_is_reached() -> None:
    tile = Microkernel(lanes=4, rows=3, columns=8)

    @T.prim_func(s_tir=True)
    def cleared(x: T.handle, y: T.handle) -> None:
        source = T.match_buffer(x, (3, 8), "float32")
        target = T.match_buffer(y, (6, 8), "float32")
        sums = T.alloc_buffer((3, 8), "float32")
        clear(tile, sums)
        spill(tile, source, target)
        for row, column in T.grid(3, 8):
            target[3 + row, column] = sums[row, column]

    x = np.arange(1, 25, dtype=np.float32).reshape(3, 8)
    np.testing.assert_array_equal(built(cleared)((6, 8), x), [*x, *np.zeros_like(x)])
