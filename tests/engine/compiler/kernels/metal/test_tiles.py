"""The choice of a convolution's algorithm, and tiles of matrices and of threads."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.kernels.convolution import ConvWorkload, transposed
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.conv_choice import tile_for
from engine.compiler.kernels.metal.simdgroup_tile import SimdgroupTile
from engine.compiler.kernels.metal.thread_tile import ThreadTile
from engine.compiler.kernels.metal.threadgroup import Threadgroup, largest_of_threads, sum_of_threads
from engine.compiler.kernels.metal.tile_store import store_sum
from engine.compiler.kernels.metal.tiled_conv import pack_direct_weight
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.kernels.precision import Precision
from engine.compiler.kernels.signatures import convolution_function
from engine.compiler.kernels.winograd import Winograd
from engine.errors import CompileError
from tests.engine.compiler.kernels.metal.running import GROUP, built


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
def test_convolutions_unsuited_to_matrices_use_thread_tiles(sizes):
    assert isinstance(tile_for(sizes, Threadgroup()), ThreadTile)


OF_THREADS = [
    (512, 512, 5, 1, 1),
    (1090, 1024, 3, 1, 1),
    (256, 256, 11, 5, 1),
    (128, 128, 11, 5, 1),
    (22, 256, 12, 1, 6),
    (128, 22, 7, 1, 1),
]


@pytest.mark.parametrize("shape", OF_THREADS, ids=str)
def test_tiles_of_the_models_convolutions_fit(shape):
    plan = ThreadTile(ConvWorkload(*shape, 0), Threadgroup())
    assert plan.depth * plan.bytes_per_channel <= plan.group.tile_bytes
    assert plan.depth * plan.steps >= shape[0]
    assert plan.blocks * plan.tile_rows >= shape[1]


def test_a_convolution_that_cannot_fit_is_an_error():
    with pytest.raises(CompileError, match="1000 taps"):
        ThreadTile(ConvWorkload(8, 64, 1000, 1, 1, 0), Threadgroup())


@pytest.mark.parametrize("channels", [3, 35])
def test_packing_keeps_every_weight_once_and_fills_with_zeros(channels):
    sizes = ConvWorkload(channels, 40, 2, 1, 1, 0)
    plan = SimdgroupTile(sizes) if channels > 16 else ThreadTile(sizes, GROUP)
    weight = 1 + np.arange(channels * 2 * 40, dtype=np.float32).reshape(channels, 2, 40)
    pack = pack_direct_weight(plan, GROUP, weight.shape, lambda w, channel, tap, row: w[channel, tap, row])
    packed = built(pack)(plan.packed_shape, weight)
    np.testing.assert_array_equal(np.sort(packed[packed != 0]), weight.ravel())


ROWS, COLUMNS = 8, 16


@T.inline
def every_sum(plan, operands):
    for row in T.thread_binding(ROWS, thread="blockIdx.x"):
        for column in T.thread_binding(COLUMNS, thread="threadIdx.x"):
            store_sum(plan, operands, 0, row, column, operands.source[0, 0, row * COLUMNS + column])


def test_phases_interleave_and_positions_beyond_the_output_are_dropped():
    plan = tile_for(transposed(1, 3, 4, 2, 1), GROUP)
    kernel = built(convolution_function(plan, Epilogue(True, has_residual=True, factor=0.5), every_sum, T.int32))
    sums = np.arange(ROWS * COLUMNS, dtype=np.float32)
    bias, residual = np.array([100, 200, 300], np.float32), np.ones((1, 3, 27), np.float32)
    found = kernel(residual.shape, sums.reshape(1, 1, -1), np.zeros(plan.packed_shape, np.float32), bias, residual)
    by_phase = sums.reshape(4, 2, COLUMNS)[:3].transpose(0, 2, 1).reshape(3, -1)
    np.testing.assert_array_equal(found[0], (by_phase[:, 1:28] + bias[:, None] + 1) / 2)


@pytest.mark.parametrize(("reduce", "expected"), [(sum_of_threads, np.sum), (largest_of_threads, np.max)])
@pytest.mark.parametrize("threads", [64, 256])
def test_threads_reduce_their_values_together(reduce, expected, threads):
    group = Threadgroup(threads)

    @T.prim_func(s_tir=True)
    def reduced(x: T.handle, y: T.handle):
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        source = T.match_buffer(x, (rows, threads), "float32")
        target = T.match_buffer(y, (rows, threads), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(threads, thread="threadIdx.x"):
                partial = T.alloc_buffer((threads,), "float32", scope="shared")
                partial[thread] = source[row, thread]
                reduce(group, partial, thread)
                target[row, thread] = partial[0]

    x = np.random.default_rng(0).standard_normal((3, threads), np.float32)
    result = built(reduced)(x.shape, x)
    np.testing.assert_allclose(result, np.broadcast_to(expected(x, axis=1)[:, None], x.shape), rtol=1e-5, atol=1e-5)
