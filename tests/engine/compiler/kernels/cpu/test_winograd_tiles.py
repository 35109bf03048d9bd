"""Pieces and tiles of Winograd convolutions; stored outputs are those of the exact matrix."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.kernels.convolution import ConvWorkload, transposed, transposed_weight_at, weight_at
from engine.compiler.kernels.cpu.phases import prefetch_phases, store_phase
from engine.compiler.kernels.cpu.register_tile import AVX2, AVX512
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.cpu.winograd_tiles import pack, pack_winograd_weight, prefetch_rows, store
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.signatures import convolution_function
from engine.compiler.kernels.winograd import Winograd
from tests.engine.compiler.kernels.cpu.running import built


def test_every_piece_at_every_point():
    plan = WinogradPlan(ConvWorkload(3, 9, 5), Winograd(2, 4), AVX512)
    weight = np.random.default_rng(0).standard_normal((9, 3, 5), np.float32)
    found = built(pack_winograd_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    rows = [*range(9), 8]  # the last is there twice, to fill its block
    pieces = np.pad(weight, ((0, 0), (0, 0), (0, 3)))[rows].reshape(2, 5, 3, 2, 4)
    matrix = np.array(plan.winograd.weight_matrix, float)
    np.testing.assert_allclose(found, np.einsum("brcit,pt->bpcir", pieces, matrix), rtol=1e-6)


def test_phases_are_rows_and_taps_that_are_not_there_are_nothing():
    sizes = transposed(3, 2, kernel_size=5, stride=3, padding=1)
    plan = WinogradPlan(sizes, Winograd(3, 2), AVX512)
    weight = np.random.default_rng(0).standard_normal((3, 2, 5), np.float32)
    found = built(pack_winograd_weight(plan, weight.shape, transposed_weight_at(sizes, 5)))(plan.packed_shape, weight)
    by_phase = np.pad(weight, ((0, 0), (0, 0), (0, 1))).reshape(3, 2, 2, 3)[:, :, ::-1]  # the last tap comes first
    matrix = np.array(plan.winograd.weight_matrix, float)
    expected = np.einsum("cotp,xt->xcop", by_phase, matrix).reshape(1, 4, 3, 1, 6)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


COLUMNS = 24
CHANNELS = 2


@T.inline
def packed_only(plan, operands):
    packed = T.alloc_buffer((plan.points, CHANNELS + 1, plan.packed.pitch), "float32")
    pack(plan, operands, packed, 0, T.Cast("int64", operands.bias[0]), COLUMNS)
    for point, channel, column in T.grid(plan.points, CHANNELS, COLUMNS):
        operands.target[0, point, channel * COLUMNS + column] = packed[point, channel, column]


@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("start", [-5, 40, 1000])
def test_every_column_at_every_point(dilation, start):
    winograd = Winograd(4, 3)
    plan = WinogradPlan(ConvWorkload(CHANNELS, winograd.samples, 3, dilation), winograd, AVX2)
    kernel = built(convolution_function(plan, Epilogue(True), packed_only, T.int64))
    x = np.random.default_rng(0).standard_normal((1, CHANNELS, 333), np.float32)
    shape = (1, winograd.samples, CHANNELS * COLUMNS)
    found = kernel(shape, x, np.zeros(plan.packed_shape, np.float32), np.full(winograd.samples, start, np.float32))
    stretch, place = np.divmod(np.arange(COLUMNS), dilation)
    firsts = start + stretch * dilation * winograd.outputs + place
    places = firsts[:, None] + dilation * np.arange(winograd.samples)
    inside = (places >= 0) & (places < 333)
    samples = np.where(inside, x[0][:, np.where(inside, places, 0)], 0)
    expected = np.einsum("cks,ps->pck", samples, np.array(winograd.input_matrix, float))
    np.testing.assert_allclose(found[0].reshape(winograd.samples, CHANNELS, COLUMNS), expected, atol=1e-5)


FIRST = 7
ROWS = 3


@T.inline
def stored_only(plan, operands):
    sums = T.alloc_buffer((plan.points, plan.tile.rows, plan.tile.columns), "float32")
    for point, row, column in T.grid(plan.points, plan.tile.rows, plan.tile.columns):
        sums[point, row, column] = operands.source[0, row, point * plan.tile.columns + column]
    for row, place in T.grid(ROWS, operands.outputs):
        operands.target[0, row, place] = T.float32(0)
    prefetch_rows(plan, operands, 0, 0, 0, FIRST)
    store(plan, operands, sums, 0, 0, FIRST, operands.outputs - FIRST)


@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("count", [1, 50, 96])
def test_every_output_is_in_its_place(dilation, count):
    plan = WinogradPlan(ConvWorkload(ROWS, ROWS, 3, dilation), Winograd(4, 3), AVX2)
    kernel = built(convolution_function(plan, Epilogue(True, has_residual=True, factor=0.5), stored_only, T.int64))
    random = np.random.default_rng(0)
    sums = random.standard_normal((ROWS, plan.points, plan.tile.columns), np.float32)
    bias = random.standard_normal(ROWS, np.float32)
    residual = random.standard_normal((1, ROWS, FIRST + count), np.float32)
    weight = np.zeros(plan.packed_shape, np.float32)
    found = kernel(residual.shape, sums.reshape(1, ROWS, -1), weight, bias, residual)
    stretches = sums.reshape(ROWS, plan.points, -1, dilation)
    back = np.einsum("op,rpsd->rsod", np.array(plan.winograd.output_matrix, float), stretches).reshape(ROWS, -1)
    expected = np.zeros((ROWS, FIRST + count))
    expected[:, FIRST:] = (back[:, :count] + bias[:, None] + residual[0, :, FIRST:]) / 2
    np.testing.assert_allclose(found[0], expected, atol=1e-4)


@pytest.mark.parametrize("channels", [32, 128, 256, 512])
def test_the_packed_tile_fits_its_budget(channels):
    plan = WinogradPlan(ConvWorkload(channels, channels, 11), Winograd(6, 6), AVX512)
    packed = 4 * channels * plan.points * (plan.packed.width + plan.halo)
    assert plan.packed.parts == 1 or packed <= AVX512.tile_bytes


@pytest.mark.parametrize(
    ("taps", "winograd", "pieces", "halo"),
    [(3, (6, 3), 1, 0), (7, (4, 7), 1, 0), (11, (6, 6), 2, 1), (12, (2, 4), 3, 4)],
)
def test_pieces_cover_the_taps(taps, winograd, pieces, halo):
    plan = WinogradPlan(ConvWorkload(8, 13, taps), Winograd(*winograd), AVX512)
    assert (plan.pieces, plan.halo) == (pieces, halo)
    assert plan.packed_shape == (2, sum(winograd) - 1, 8, pieces, 7)


@pytest.mark.parametrize(("dilation", "columns"), [(1, 48), (3, 48), (5, 45), (48, 48)])
def test_a_register_tile_stores_whole_stretches(dilation, columns):
    plan = WinogradPlan(ConvWorkload(8, 8, 3, dilation=dilation), Winograd(6, 3), AVX512)
    assert (plan.columns_each, plan.outputs_each) == (columns, columns * 6)


SIZES = transposed(2, 2, kernel_size=6, stride=3, padding=2)
PHASE_COLUMNS = 20


@T.inline
def stored_phases(plan, operands):
    """Columns from the one that the bias names on."""
    start: T.int64 = T.Cast("int64", operands.bias[0])
    sums = T.alloc_buffer((plan.sizes.row_count, PHASE_COLUMNS), "float32")
    for row, column in T.grid(plan.sizes.row_count, PHASE_COLUMNS):
        sums[row, column] = operands.source[0, 0, row * PHASE_COLUMNS + column]
    for channel, place in T.grid(plan.sizes.out_channels, operands.outputs):
        operands.target[0, channel, place] = T.float32(0)
    prefetch_phases(plan, operands, 0, 0, start, PHASE_COLUMNS)
    for row in T.serial(plan.sizes.row_count):
        store_phase(plan, operands, sums, row, 0, row, start, PHASE_COLUMNS)


@pytest.mark.parametrize(("start", "outputs"), [(0, 80), (0, 40), (7, 100), (7, 70), (30, 70)])
def test_every_phase_is_in_its_place(start, outputs):
    plan = WinogradPlan(SIZES, Winograd(3, 2), AVX2)
    kernel = built(convolution_function(plan, Epilogue(True), stored_phases, T.int64))
    sums = np.random.default_rng(0).standard_normal((2, 3, PHASE_COLUMNS), np.float32)
    x = np.zeros((1, 2, sums.size), np.float32)
    x[0, 0] = sums.ravel()
    found = kernel((1, 2, outputs), x, np.zeros(plan.packed_shape, np.float32), np.full(2, start, np.float32))
    expected = np.zeros((2, start * 3 + PHASE_COLUMNS * 3 + outputs), np.float32)
    expected[:, start * 3 : (start + PHASE_COLUMNS) * 3] = sums.transpose(0, 2, 1).reshape(2, -1)
    np.testing.assert_array_equal(found[0], expected[:, SIZES.trim :][:, :outputs])
