"""The functions have the operands they are asked for, in order, and sums end as asked."""

from types import SimpleNamespace

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.correlation import Correlation, Ending
from engine.compiler.kernel_functions import convolution_function, linear_function
from tests.engine.kernels import built

PLAN = SimpleNamespace(sizes=Correlation(1, 1, 1), packed_shape=(1, 1, 1, 1), factors="float32")


@T.inline
def mixed(plan, operands):
    operands.target[0, 0, 0] = operands.ended(
        operands.biased(operands.source[0, 0, 0] + T.float32(10) * operands.weight[0, 0, 0, 0], 0), (0, 0, 0)
    )


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending(False), 21),
        (Ending(True), 24),
        (Ending(False, has_residual=True), 25),
        (Ending(True, has_residual=True), 28),
        (Ending(True, has_residual=True, factor=0.5), 14),
    ],
)
@pytest.mark.parametrize("index", [T.int64, T.int32])
def test_operands_of_a_convolution(ending, expected, index):
    kernel = built(convolution_function(PLAN, ending, mixed, index))
    x, weight, bias, residual = (
        np.full(shape, value, np.float32)
        for value, shape in enumerate([(1, 1, 1), PLAN.packed_shape, (1,), (1, 1, 1)], start=1)
    )
    operands = [x, weight, *([bias] if ending.has_bias else []), *([residual] if ending.has_residual else [])]
    assert kernel((1, 1, 1), *operands) == expected


@T.inline
def row_by_row(plan, operands):
    for row in T.serial(operands.row_count):
        operands.target[row, 0] = operands.biased(operands.source[row, 0] * operands.weight[0], 0)


@pytest.mark.parametrize("rows_type", ["float32", "float64"])
@pytest.mark.parametrize("has_bias", [True, False])
def test_operands_of_a_linear_layer(has_bias, rows_type):
    plan = SimpleNamespace(in_features=1, out_features=1, packed_shape=(1,), rows_type=rows_type)
    kernel = built(linear_function(plan, has_bias, row_by_row, T.int64))
    x, weight, bias = np.array([[1], [2]], rows_type), np.array([3], np.float32), np.array([10], np.float32)
    found = kernel((2, 1), x, weight, *([bias] if has_bias else []), dtype=x.dtype)
    assert found.ravel().tolist() == ([13, 16] if has_bias else [3, 6])
