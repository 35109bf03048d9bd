"""The sizes of a convolution decide whether it is computed by Winograd, by matrices directly, or by threads."""

import pytest

from engine.kernels.convolution import ConvWorkload, transposed
from engine.kernels.metal.conv_choice import tile_for
from engine.kernels.metal.simdgroup_tile import SimdgroupTile
from engine.kernels.metal.threadgroup import Threadgroup
from engine.kernels.metal.winograd_plan import WinogradTile
from engine.kernels.precision import Precision
from engine.kernels.winograd import Winograd


@pytest.mark.parametrize(
    ("sizes", "winograd"),
    [
        (ConvWorkload(128, 128, 3), Winograd(6, 3)),
        (ConvWorkload(1090, 1024, 3), Winograd(4, 3)),
        (ConvWorkload(512, 512, 5), Winograd(4, 5)),
        (ConvWorkload(256, 256, 7, 3), Winograd(8, 7)),
        (ConvWorkload(128, 128, 11, 5), Winograd(6, 11)),
        (transposed(512, 256, 20, 10, 5), Winograd(4, 2)),
    ],
    ids=str,
)
def test_the_models_convolutions_are_computed_by_winograd(sizes, winograd):
    plan = tile_for(sizes, Threadgroup())
    assert isinstance(plan, WinogradTile)
    assert plan.winograd == winograd


@pytest.mark.parametrize("sizes", [ConvWorkload(512, 512, 1), ConvWorkload(64, 64, 6)], ids=str)
def test_other_numbers_of_taps_are_computed_directly(sizes):
    assert isinstance(tile_for(sizes, Threadgroup()), SimdgroupTile)


def test_factors_of_half_precision_are_multiplied_directly():
    plan = tile_for(ConvWorkload(128, 128, 3), Threadgroup(), Precision.FLOAT16)
    assert isinstance(plan, SimdgroupTile)
    assert plan.factors is Precision.FLOAT16


def test_padding_changes_nothing_in_the_choice():
    """Weights are packed without knowing it."""
    sizes = ConvWorkload(128, 128, 11, 5, padding=25)
    assert tile_for(sizes, Threadgroup()).packed_shape == tile_for(sizes.unplaced, Threadgroup()).packed_shape
