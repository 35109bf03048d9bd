"""The register tile follows the CPU's vector registers; memory is prefetched."""

from dataclasses import replace

import numpy as np
import pytest
from tvm.script import tirx as T
from tvm.target import Target

from engine.compiler.kernels.cpu import register_tile
from engine.compiler.kernels.cpu.cache import LINE, prefetch
from engine.compiler.kernels.cpu.register_tile import (
    AVX2,
    AVX512,
    NEON,
    SSE,
    Microkernel,
    PackedTile,
    clear,
    fill,
    fma,
    microkernel_for,
)
from engine.compiler.kernels.mathematics import ceil_div
from tests.engine.compiler.kernels.cpu.assembly import HASWELL, assembly
from tests.engine.compiler.kernels.cpu.running import built

FAMILY_TILE_BYTES = 128 * 1024
"""For a second-level cache of 512 KB, which many CPUs of a family have."""
AVX512_TILE_BYTES = 512 * 1024
"""For one of 1 MB, which nearly all CPUs with AVX-512 have."""


@pytest.mark.parametrize(
    ("processor", "expected"), [("rocketlake", AVX512), ("znver4", AVX512), ("haswell", AVX2), ("nehalem", SSE)]
)
def test_each_x86_cpu_gets_the_expected_tile(processor, expected):
    target = Target({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": processor})
    tile_bytes = AVX512_TILE_BYTES if expected is AVX512 else FAMILY_TILE_BYTES
    assert microkernel_for(target) == replace(expected, tile_bytes=tile_bytes)


def test_an_apple_cpu_gets_the_neon_tile():
    assert microkernel_for(Target({"kind": "llvm", "mtriple": "arm64-apple-macos", "mcpu": "apple-m1"})) == NEON


def test_a_feature_that_is_switched_off_does_not_count():
    target = {"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "rocketlake", "mattr": ["-avx512f"]}
    assert microkernel_for(Target(target)) == replace(AVX2, tile_bytes=FAMILY_TILE_BYTES)


@pytest.mark.parametrize(
    ("cache_kilobytes", "tile_kilobytes"), [(None, 512), (256, 64), (512, 128), (1024, 512), (16 * 1024, 512)]
)
def test_packed_input_leaves_room_in_this_machines_cache(monkeypatch, cache_kilobytes, tile_kilobytes):
    monkeypatch.setattr(register_tile, "second_level_cache_bytes", lambda: cache_kilobytes and cache_kilobytes * 1024)
    here = {"kind": "llvm", "mcpu": "haswell"}
    assert microkernel_for(Target(here)) == replace(AVX2, tile_bytes=tile_kilobytes * 1024)
    family = microkernel_for(Target({**here, "mtriple": "x86_64-linux-gnu"}))
    assert family == replace(AVX2, tile_bytes=FAMILY_TILE_BYTES)


@pytest.mark.parametrize(("microkernel", "registers"), [(AVX512, 32), (AVX2, 16), (NEON, 32), (SSE, 16)])
def test_tile_fits_the_registers(microkernel, registers):
    vectors = microkernel.columns // microkernel.lanes
    assert microkernel.columns % microkernel.lanes == 0
    assert microkernel.rows * vectors + vectors + 1 <= registers


def test_extents_are_padded_to_whole_vectors():
    assert [AVX512.padded(extent) for extent in (0, 1, 16, 17)] == [0, 16, 16, 32]


def test_quotients_are_rounded_up():
    assert [ceil_div(extent, 8) for extent in (0, 1, 8, 9)] == [0, 1, 1, 2]


@pytest.mark.parametrize(("row_count", "rows"), [(1, 1), (8, 8), (9, 5), (22, 8), (256, 8)])
def test_rows_are_shared_out_evenly(row_count, rows):
    assert AVX512.shared_by(row_count).rows == rows


@pytest.mark.parametrize(("microkernel", "vectors"), [(AVX512, 1), (AVX2, 3), (NEON, 3), (replace(AVX512, rows=5), 3)])
def test_tiles_are_narrowed_until_their_sums_fit_on_the_stack(microkernel, vectors):
    assert microkernel.on_stack() == replace(microkernel, columns=vectors * microkernel.lanes)


TILE = Microkernel(lanes=4, rows=3, columns=8)
COUNT = 500


def test_every_sum_is_reached():
    @T.prim_func(s_tir=True)
    def cleared(x: T.handle, y: T.handle) -> None:
        source = T.match_buffer(x, (3, 8), "float32")
        target = T.match_buffer(y, (9, 8), "float32")
        sums = T.alloc_buffer((3, 8), "float32")
        clear(TILE, sums)
        fill(TILE, target, lambda row, column: source[row, column])
        for row, column in T.grid(3, 8):
            target[3 + row, column] = sums[row, column]
        fma(TILE, sums, lambda row: source[row, 0], lambda column: source[0, column])
        for row, column in T.grid(3, 8):
            target[6 + row, column] = sums[row, column]

    x = np.arange(1, 25, dtype=np.float32).reshape(3, 8)
    np.testing.assert_array_equal(built(cleared)((9, 8), x), [*x, *np.zeros_like(x), *np.outer(x[:, 0], x[0])])


@pytest.mark.parametrize("depth", [1, 22, 128, 256, 512, 1090])
@pytest.mark.parametrize("halo", [0, 10, 50])
def test_a_packed_tile_fits_its_budget(depth, halo):
    packed = PackedTile(AVX512, depth, halo)
    assert packed.pitch >= packed.width + halo
    assert packed.parts == 1 or 4 * depth * packed.pitch <= AVX512.tile_bytes + 4 * depth * AVX512.lanes


@pytest.mark.parametrize("depth", [22, 128, 256, 1090])
@pytest.mark.parametrize("halo", [0, 2, 6])
def test_panels_apart_have_a_halo_each_and_fit_their_budget(depth, halo):
    packed = PackedTile(AVX2, depth, halo, apart=True)
    assert packed.panels == packed.parts
    assert AVX2.columns + halo <= packed.pitch < AVX2.columns + halo + AVX2.lanes
    assert packed.parts == 1 or 4 * depth * packed.pitch * packed.panels <= AVX2.tile_bytes


def test_a_tile_never_vanishes():
    assert PackedTile(AVX512, 100_000, 2).parts == 1


FAR = 1 << 40
"""Values from the beginning of an array: nothing of the process is there."""


def copying(to_write, later):
    @T.prim_func(s_tir=True)
    def copying(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        source = T.match_buffer(x, (3 * LINE,), "float32")
        target = T.match_buffer(y, (3 * LINE,), "float32")
        for place in T.serial(3 * LINE):
            prefetch(source, [T.int64(FAR) + place], to_write, later)
            target[place] = source[place]

    return copying


@pytest.mark.parametrize(("to_write", "later"), [(False, False), (False, True), (True, False)])
def test_any_address_will_do(to_write, later):
    x = np.arange(3 * LINE, dtype=np.float32)
    np.testing.assert_array_equal(built(copying(to_write, later))(x.shape, x), x)


@pytest.mark.parametrize(("later", "instruction"), [(False, "prefetcht0"), (True, "prefetcht1")])
def test_data_used_later_is_prefetched_into_a_farther_cache(later, instruction):
    lines = assembly(copying(to_write=False, later=later), HASWELL)
    assert any(instruction in line for line in lines)
