"""The register tile follows the processor's vector registers."""

from dataclasses import replace

import pytest
from tvm.target import Target

from engine.ops import microkernel_tir
from engine.ops.microkernel_tir import (
    AVX2,
    AVX512,
    NEON,
    SSE,
    Microkernel,
    ceil_div,
    microkernel_for,
)


@pytest.mark.parametrize(
    ("processor", "expected"),
    [("rocketlake", AVX512), ("znver4", AVX512), ("haswell", AVX2), ("nehalem", SSE)],
)
def test_tile_of_a_processor(processor: str, expected: Microkernel) -> None:
    assert microkernel_for(Target({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": processor})) == expected


def test_tile_of_an_apple_processor() -> None:
    assert microkernel_for(Target({"kind": "llvm", "mtriple": "arm64-apple-macos", "mcpu": "apple-m1"})) == NEON


def test_a_feature_that_is_switched_off_does_not_count() -> None:
    target = {"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "rocketlake", "mattr": ["-avx512f"]}
    assert microkernel_for(Target(target)) == AVX2


@pytest.mark.parametrize(
    ("cache_kilobytes", "tile_kilobytes"), [(None, 512), (256, 64), (512, 128), (1024, 512), (16 * 1024, 512)]
)
def test_packed_input_leaves_room_in_this_machines_cache(
    monkeypatch: pytest.MonkeyPatch, cache_kilobytes: int | None, tile_kilobytes: int
) -> None:
    monkeypatch.setattr(microkernel_tir, "second_level_cache_bytes", lambda: cache_kilobytes and cache_kilobytes * 1024)
    here = {"kind": "llvm", "mcpu": "haswell"}
    assert microkernel_for(Target(here)) == replace(AVX2, tile_bytes=tile_kilobytes * 1024)
    assert microkernel_for(Target({**here, "mtriple": "x86_64-linux-gnu"})) == AVX2


@pytest.mark.parametrize(("microkernel", "registers"), [(AVX512, 32), (AVX2, 16), (NEON, 32), (SSE, 16)])
def test_tile_fits_the_registers(microkernel: Microkernel, registers: int) -> None:
    vectors = microkernel.columns // microkernel.lanes
    assert microkernel.columns % microkernel.lanes == 0
    assert microkernel.rows * vectors + vectors + 1 <= registers


def test_extents_are_padded_to_whole_vectors() -> None:
    assert [AVX512.padded(extent) for extent in (0, 1, 16, 17)] == [0, 16, 16, 32]


def test_quotients_are_rounded_up() -> None:
    assert [ceil_div(extent, 8) for extent in (0, 1, 8, 9)] == [0, 1, 1, 2]


@pytest.mark.parametrize(("row_count", "rows"), [(1, 1), (8, 8), (9, 5), (22, 8), (256, 8)])
def test_rows_are_shared_out_evenly(row_count: int, rows: int) -> None:
    assert AVX512.shared_by(row_count).rows == rows


@pytest.mark.parametrize(
    ("microkernel", "vectors"),
    [(AVX512, 1), (AVX2, 3), (NEON, 3), (replace(AVX512, rows=5), 3), (replace(AVX2, rows=8, careful=True), 1)],
)
def test_sums_are_kept_from_the_heap(microkernel: Microkernel, vectors: int) -> None:
    assert microkernel.on_stack() == replace(microkernel, columns=vectors * microkernel.lanes)
