import pytest

from engine.errors import CompileError
from engine.kernels.convolution import ConvWorkload
from engine.kernels.metal.thread_tile import ThreadTile
from engine.kernels.metal.threadgroup import Threadgroup

KOKORO = [
    (512, 512, 5, 1, 1),
    (1090, 1024, 3, 1, 1),
    (256, 256, 11, 5, 1),
    (128, 128, 11, 5, 1),
    (22, 256, 12, 1, 6),
    (128, 22, 7, 1, 1),
]


@pytest.mark.parametrize("shape", KOKORO, ids=str)
def test_tiles_of_the_models_convolutions_fit(shape):
    plan = ThreadTile(ConvWorkload(*shape, 0), Threadgroup())
    assert plan.depth * plan.bytes_per_channel <= plan.group.tile_bytes
    assert plan.depth * plan.steps >= shape[0]
    assert plan.blocks * plan.tile_rows >= shape[1]


def test_a_convolution_that_cannot_fit_is_an_error():
    with pytest.raises(CompileError, match="1000 taps"):
        ThreadTile(ConvWorkload(8, 64, 1000, 1, 1, 0), Threadgroup())
