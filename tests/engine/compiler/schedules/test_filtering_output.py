"""Stored outputs are those of the exact matrix, and no place but theirs is written."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.correlation import Correlation, Ending
from engine.compiler.kernel_functions import convolution_function
from engine.compiler.schedules.filtering_output import prefetch_rows, store
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.minimal_filter import MinimalFilter
from engine.ops.microkernel_tir import AVX2
from tests.engine.kernels import built

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
    store(plan, operands, sums, 0, 0, FIRST, T.ceildiv(operands.outputs - FIRST, plan.sizes.dilation))


@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("count", [1, 50, 96])
def test_every_output_is_in_its_place(dilation: int, count: int) -> None:
    plan = Filtering(Correlation(ROWS, ROWS, 3, dilation), MinimalFilter(4, 3), AVX2)
    kernel = built(convolution_function(plan, Ending(True, has_residual=True, factor=0.5), stored_only, T.int64))
    random = np.random.default_rng(0)
    sums = random.standard_normal((ROWS, plan.points, plan.tile.columns), np.float32)
    bias = random.standard_normal(ROWS, np.float32)
    outputs = FIRST + (count - 1) * dilation + 1
    residual = random.standard_normal((1, ROWS, outputs), np.float32)
    weight = np.zeros(plan.packed_shape, np.float32)
    found = kernel(residual.shape, sums.reshape(1, ROWS, -1), weight, bias, residual)
    back = np.einsum("op,rpc->rco", np.array(plan.form.output_matrix, float), sums).reshape(ROWS, -1)[:, :count]
    expected = np.zeros((ROWS, outputs))
    expected[:, FIRST::dilation] = (back + bias[:, None] + residual[0, :, FIRST::dilation]) / 2
    np.testing.assert_allclose(found[0], expected, atol=1e-4)
