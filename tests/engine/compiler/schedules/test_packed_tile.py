"""What is packed fits its budget."""

import pytest

from engine.compiler.schedules.packed_tile import PackedTile
from engine.ops.microkernel_tir import AVX2, AVX512


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
