"""The sizes of a tile: what is packed fits its budget, what is computed covers the output."""

import pytest

from engine.compiler.schedules.correlation import Correlation
from engine.ops.microkernel_tir import AVX2, AVX512, Microkernel


def plan(channels: int, out_channels: int, taps: int = 3, dilation: int = 1, stride: int = 1) -> Correlation:
    return Correlation(channels, out_channels, taps, dilation, stride, 0, AVX512)


@pytest.mark.parametrize("channels", [1, 22, 128, 256, 512, 1090])
@pytest.mark.parametrize("taps", [1, 3, 11])
def test_packed_tile_fits_its_budget(channels: int, taps: int) -> None:
    tile = plan(channels, 64, taps, dilation=5)
    assert tile.pitch >= tile.width + tile.halo
    assert tile.parts == 1 or 4 * channels * tile.pitch <= AVX512.tile_bytes + 4 * channels * AVX512.lanes


def test_a_tile_never_vanishes() -> None:
    assert plan(100_000, 8).parts == 1


@pytest.mark.parametrize(
    ("out_channels", "blocks", "rows"), [(1, 1, 1), (8, 1, 8), (9, 2, 5), (22, 3, 8), (256, 32, 8)]
)
def test_rows_are_shared_out_evenly(out_channels: int, blocks: int, rows: int) -> None:
    assert plan(4, out_channels).packed_weight_shape == (blocks, 4, 3, rows)


@pytest.mark.parametrize("microkernel", [AVX512, AVX2])
def test_strided_taps_read_their_phase(microkernel: Microkernel) -> None:
    tile = Correlation(22, 256, 12, 1, 6, 3, microkernel)
    assert tile.phases == 6
    assert [tile.phase(tap) + tile.shift(tap) * 6 for tap in range(12)] == list(range(12))
    assert tile.halo == 1


def test_a_transposed_convolution_has_a_row_per_phase() -> None:
    tile = Correlation(8, 5, 2, 1, 1, 1, AVX512, upsampling=10, trim=5)
    assert tile.row_count == 50
