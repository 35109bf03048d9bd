"""Winograd convolutions against PyTorch in float64, and how work and weights are divided among simdgroups."""

import functools

import numpy as np
import pytest

from engine.compiler.kernels.convolution import ConvWorkload, transposed, transposed_weight_at, weight_at
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.conv_choice import WINOGRADS
from engine.compiler.kernels.metal.tiled_conv import tiled_conv
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.kernels.metal.winograd_weight import pack_winograd_weight
from engine.compiler.kernels.winograd import Winograd
from engine.compiler.targets import DEFAULT_THREADS
from tests.engine.compiler.kernels.convolutions import (
    FEW_POINTS,
    FEW_POINTS_LOSS,
    MANY_POINTS_LOSS,
    convolved,
    convolved_transposed,
)
from tests.engine.compiler.kernels.metal.running import GROUP, built, normal

LENGTHS = [1, 2, 47, 130, 193]
WITH_BIAS = Epilogue(True)


def tile(taps, dilation, winograd, channels=(20, 40)):
    padding = taps // 2 * dilation
    made = WinogradTile(ConvWorkload(*channels, taps, dilation, padding=padding), Winograd(*winograd))
    assert made.suits
    return made


@functools.cache
def kernel(made, epilogue):
    return built(tiled_conv(made, epilogue))


@functools.cache
def packing(made):
    shape = made.sizes.out_channels, made.sizes.channels, made.sizes.taps
    return built(pack_winograd_weight(made, GROUP, shape, weight_at))


def loss(made):
    each = FEW_POINTS_LOSS if made.points <= FEW_POINTS else MANY_POINTS_LOSS
    return each * np.sqrt(made.sizes.channels * made.sizes.taps)


def compare(made, batch, length, epilogue=WITH_BIAS):
    sizes = made.sizes
    x, weight = normal(batch, sizes.channels, length), normal(sizes.out_channels, sizes.channels, sizes.taps, seed=1)
    bias = normal(sizes.out_channels, seed=2)
    biases = [bias] if epilogue.has_bias else []
    expected = convolved(sizes, x, weight, *biases)
    residual = normal(*expected.shape, seed=3)
    operands = [*biases, *([residual] if epilogue.has_residual else [])]
    found = kernel(made, epilogue)(expected.shape, x, packing(made)(made.packed_shape, weight), *operands)
    if epilogue.has_residual:
        expected = (expected + residual) * epilogue.factor
    assert np.abs(found - expected).max() < loss(made)


@pytest.mark.parametrize(
    ("taps", "dilation", "winograd"),
    [
        *((3, 1, (6, 3)), (3, 5, (6, 3)), (3, 3, (4, 3)), (5, 1, (4, 5)), (7, 1, (8, 7))),
        *((7, 5, (4, 7)), (11, 1, (6, 11)), (11, 5, (6, 11)), (2, 1, (4, 2)), (4, 2, (4, 4))),
    ],
    ids=str,
)
def test_every_kind_of_length(taps, dilation, winograd):
    made = tile(taps, dilation, winograd)
    for batch, length in enumerate(LENGTHS):
        compare(made, batch % 3 + 1, length)


@pytest.mark.parametrize("channels", [(16, 16), (33, 22), (40, 70)], ids=str)
def test_channels_and_rows_need_not_fill_tiles(channels):
    compare(tile(3, 1, (6, 3), channels), 2, 100)


def test_many_points_need_no_whole_tiles_either():
    compare(tile(11, 3, (6, 11), (33, 22)), 2, 100)


@pytest.mark.parametrize("epilogue", [Epilogue(), Epilogue(True, has_residual=True, factor=0.3)], ids=str)
def test_a_residual_is_added_before_the_factor(epilogue):
    compare(tile(7, 3, (8, 7)), 2, 100, epilogue)


@pytest.mark.parametrize("padding", [0, 3, 5])
def test_transposed_convolutions_are_computed_phase_by_phase(padding):
    sizes = transposed(24, 8, 20, 10, padding)
    made = WinogradTile(sizes, Winograd(4, 2))
    assert made.suits
    weight, bias = normal(24, 8, 20, seed=1), normal(8, seed=2)
    pack = built(pack_winograd_weight(made, GROUP, weight.shape, transposed_weight_at(sizes, 20)))
    packed = pack(made.packed_shape, weight)
    for length in (1, 2, 70):
        x = normal(2, 24, length)
        expected = convolved_transposed(x, weight, bias, stride=10, padding=padding)
        found = kernel(made, WITH_BIAS)(expected.shape, x, packed, bias)
        assert np.abs(found - expected).max() < loss(made)


def test_positions_beyond_the_input_count_as_zero():
    """The last samples of the channel before are not."""
    made = tile(11, 5, (6, 11), (16, 16))
    x, weight = np.zeros((1, 16, 60), np.float32), np.zeros((16, 16, 11), np.float32)
    x[0, 0, -25:] = 1e6
    weight[:, 1, 0] = 1
    found = kernel(made, Epilogue())(x.shape, x, packing(made)(made.packed_shape, weight))
    np.testing.assert_array_equal(found, 0)


@pytest.mark.parametrize("sizes", [(20, 40, 3), (33, 16, 3)], ids=str)
def test_weights_are_matrices_at_each_point(sizes):
    channels, rows, taps = sizes
    plan = WinogradTile(ConvWorkload(channels, rows, taps), Winograd(6, taps))
    weight = normal(rows, channels, taps)
    found = built(pack_winograd_weight(plan, GROUP, weight.shape, weight_at))(plan.packed_shape, weight)
    matrix = np.array([[float(value) for value in row] for row in plan.winograd.weight_matrix])
    whole = np.zeros((plan.blocks * plan.tile_rows, plan.steps * 16, plan.points))
    whole[:rows, :channels] = weight @ matrix.T
    # Block, row / slab, half, channel of eight / point -> block, slab, point, half, row, channel of eight.
    expected = whole.reshape(plan.blocks, plan.tile_rows, plan.steps, 2, 8, plan.points).transpose(0, 2, 5, 3, 1, 4)
    np.testing.assert_allclose(found, expected.reshape(plan.packed_shape), atol=2e-6)


@pytest.mark.parametrize("winograd", WINOGRADS, ids=str)
def test_tiles_fit_every_gpu(winograd):
    plan = WinogradTile(ConvWorkload(128, 128, winograd.taps, 5), winograd)
    assert plan.suits
    assert plan.thread_count <= DEFAULT_THREADS
    assert plan.simdgroups * plan.points_each == plan.points
    assert plan.accumulators == 16
    assert plan.pitch % 16 == 8


@pytest.mark.parametrize(
    ("sizes", "winograd"),
    [
        (ConvWorkload(128, 128, 5), (6, 3)),
        (ConvWorkload(128, 128, 3, stride=2), (6, 3)),
        (ConvWorkload(8, 128, 3), (6, 3)),
        (ConvWorkload(128, 8, 3), (6, 3)),
        (ConvWorkload(128, 128, 7), (3, 7)),
        (ConvWorkload(128, 128, 11), (8, 11)),
    ],
    ids=["taps", "stride", "channels", "rows", "odd number of points", "points"],
)
def test_the_winograd_tile_rejects_unsuitable_sizes(sizes, winograd):
    assert not WinogradTile(sizes, Winograd(*winograd)).suits


@pytest.mark.parametrize("dilation", [1, 3, 5])
def test_sets_have_every_position_once(dilation):
    plan = WinogradTile(ConvWorkload(16, 16, 3, dilation), Winograd(6, 3))
    positions = {}
    for number in range(int(plan.units(100))):
        first = int(plan.position(number))
        for output in range(6):
            position = first + output * dilation
            assert (int(plan.set_at(position)), int(plan.output_at(position))) == (number, output)
            assert positions.setdefault(position, number) == number
    assert set(range(100)) <= set(positions)


@pytest.mark.parametrize("dilation", [1, 3, 5])
@pytest.mark.parametrize("tile", [0, 1, 4])
def test_all_outputs_of_a_tile_are_in_its_span(dilation, tile):
    plan = WinogradTile(ConvWorkload(16, 16, 3, dilation), Winograd(6, 3))
    first = tile * plan.tile_columns
    begin = first // dilation * plan.stretch
    last = int(plan.position(first + plan.tile_columns - 1)) + 5 * dilation
    assert begin <= int(plan.position(first))
    assert last < begin + plan.span
