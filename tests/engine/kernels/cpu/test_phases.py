"""Phases are stored at their positions, and nothing else is; every kind of size is tested with the operators."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.kernels.convolution import transposed
from engine.kernels.cpu.phases import prefetch_phases, store_phase
from engine.kernels.cpu.register_tile import AVX2
from engine.kernels.cpu.winograd_plan import WinogradPlan
from engine.kernels.epilogue import Epilogue
from engine.kernels.signatures import convolution_function
from engine.kernels.winograd import Winograd
from tests.engine.kernels.cpu.running import built

SIZES = transposed(2, 2, kernel_size=6, stride=3, padding=2)
COLUMNS = 20


@T.inline
def stored_only(plan, operands):
    """Columns from the one that the bias names on."""
    start: T.int64 = T.Cast("int64", operands.bias[0])
    sums = T.alloc_buffer((plan.sizes.row_count, COLUMNS), "float32")
    for row, column in T.grid(plan.sizes.row_count, COLUMNS):
        sums[row, column] = operands.source[0, 0, row * COLUMNS + column]
    for channel, place in T.grid(plan.sizes.out_channels, operands.outputs):
        operands.target[0, channel, place] = T.float32(0)
    prefetch_phases(plan, operands, 0, 0, start, COLUMNS)
    for row in T.serial(plan.sizes.row_count):
        store_phase(plan, operands, sums, row, 0, row, start, COLUMNS)


@pytest.mark.parametrize(("start", "outputs"), [(0, 80), (0, 40), (7, 100), (7, 70), (30, 70)])
def test_every_phase_is_in_its_place(start: int, outputs: int) -> None:
    plan = WinogradPlan(SIZES, Winograd(3, 2), AVX2)
    kernel = built(convolution_function(plan, Epilogue(True), stored_only, T.int64))
    sums = np.random.default_rng(0).standard_normal((2, 3, COLUMNS), np.float32)
    x = np.zeros((1, 2, sums.size), np.float32)
    x[0, 0] = sums.ravel()
    found = kernel((1, 2, outputs), x, np.zeros(plan.packed_shape, np.float32), np.full(2, start, np.float32))
    expected = np.zeros((2, start * 3 + COLUMNS * 3 + outputs), np.float32)
    expected[:, start * 3 : (start + COLUMNS) * 3] = sums.transpose(0, 2, 1).reshape(2, -1)
    np.testing.assert_array_equal(found[0], expected[:, SIZES.trim :][:, :outputs])
