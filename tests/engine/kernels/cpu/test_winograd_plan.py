"""The pieces and tiles of a Winograd convolution."""

import pytest

from engine.kernels.convolution import ConvWorkload
from engine.kernels.cpu.register_tile import AVX512
from engine.kernels.cpu.winograd_plan import WinogradPlan
from engine.kernels.winograd import Winograd


@pytest.mark.parametrize("channels", [32, 128, 256, 512])
def test_what_is_packed_fits_its_budget(channels: int) -> None:
    plan = WinogradPlan(ConvWorkload(channels, channels, 11), Winograd(6, 6), AVX512)
    packed = 4 * channels * plan.points * (plan.packed.width + plan.halo)
    assert plan.packed.parts == 1 or packed <= AVX512.tile_bytes


@pytest.mark.parametrize(
    ("taps", "winograd", "pieces", "halo"),
    [(3, (6, 3), 1, 0), (7, (4, 7), 1, 0), (11, (6, 6), 2, 1), (12, (2, 4), 3, 4)],
)
def test_pieces_cover_the_taps(taps: int, winograd: tuple[int, int], pieces: int, halo: int) -> None:
    plan = WinogradPlan(ConvWorkload(8, 13, taps), Winograd(*winograd), AVX512)
    assert (plan.pieces, plan.halo) == (pieces, halo)
    assert plan.packed_shape == (2, sum(winograd) - 1, 8, pieces, 7)


@pytest.mark.parametrize(("dilation", "columns"), [(1, 48), (3, 48), (5, 45), (48, 48)])
def test_a_register_tile_stores_whole_stretches(dilation: int, columns: int) -> None:
    plan = WinogradPlan(ConvWorkload(8, 8, 3, dilation=dilation), Winograd(6, 3), AVX512)
    assert (plan.columns_each, plan.outputs_each) == (columns, columns * 6)
