import pytest

from engine.kernels.convolution import ConvWorkload
from engine.kernels.metal.conv_choice import tile_for
from engine.kernels.metal.simdgroup_tile import SimdgroupTile
from engine.kernels.metal.thread_tile import ThreadTile
from engine.kernels.metal.threadgroup import Threadgroup

KOKORO = [
    (512, 512, 5, 1),
    (1090, 1024, 3, 1),
    (256, 256, 11, 5),
    (128, 128, 11, 5),
    (128, 22, 7, 1),
    (512, 2560, 2, 1),
]
"""Channels, rows, taps, dilation of what costs in kokoro-82m."""


@pytest.mark.parametrize("shape", KOKORO, ids=str)
def test_the_models_convolutions_fill_tiles(shape):
    plan = SimdgroupTile(ConvWorkload(*shape, 1, 0))
    assert plan.suits
    assert plan.steps * 16 >= shape[0]
    assert 0 <= plan.blocks * plan.tile_rows - shape[1] < plan.tile_rows
    assert plan.slab_stride % 16 == 8
    assert plan.slab <= plan.slab_stride < plan.slab + 16


@pytest.mark.parametrize(
    "sizes",
    [
        ConvWorkload(22, 256, 12, 1, 6, 3),
        ConvWorkload(1, 512, 3, 1, 1, 1),
        ConvWorkload(512, 1, 1, 1, 1, 0),
        ConvWorkload(512, 512, 60, 5, 1, 150),
    ],
    ids=["stride", "channels", "rows", "reach"],
)
def test_what_matrices_do_not_suit_is_left_to_threads(sizes):
    assert isinstance(tile_for(sizes, Threadgroup()), ThreadTile)
