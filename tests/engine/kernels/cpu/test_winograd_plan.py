"""The pieces and tiles of a Winograd convolution; combinations leave out coefficients of 0."""

from fractions import Fraction

import pytest
from tvm.script import tirx as T

from engine.kernels.convolution import ConvWorkload
from engine.kernels.cpu.register_tile import AVX512
from engine.kernels.cpu.winograd import Winograd
from engine.kernels.cpu.winograd_plan import WinogradPlan, combination


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


def test_a_tile_has_the_outputs_of_all_interleaved_sequences() -> None:
    plan = WinogradPlan(ConvWorkload(8, 8, 3, dilation=5), Winograd(6, 3), AVX512)
    assert plan.span == plan.packed.width * 6 * 5


def test_a_combination_leaves_out_what_is_nothing() -> None:
    one, two = T.float32(3), T.float32(5)
    assert float(combination([Fraction(0), Fraction(1), Fraction(1, 2)], [None, one, two])) == 5.5
