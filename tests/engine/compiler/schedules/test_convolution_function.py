"""The functions have the operands they are asked for, in order."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.schedules.convolution_function import convolution_function
from engine.compiler.schedules.correlation import Correlation
from engine.ops.microkernel_tir import AVX512
from tests.engine.kernels import built


@T.inline
def mixed(plan, source, weight, bias, residual, target, batch, length, outputs):
    target[0, 0, 0] = source[0, 0, 0] + T.float32(10) * weight[0, 0, 0, 0]
    if bias is not None:
        target[0, 0, 0] += T.float32(100) * bias[0]
    if residual is not None:
        target[0, 0, 0] += T.float32(1000) * residual[0, 0, 0]


@pytest.mark.parametrize(
    ("has_bias", "has_residual", "expected"),
    [(False, False, 21), (True, False, 321), (False, True, 4021), (True, True, 4321)],
)
def test_operands_in_order(has_bias, has_residual, expected):
    plan = Correlation(1, 1, 1, 1, 1, 0, AVX512)
    kernel = built(convolution_function(plan, mixed, has_bias, has_residual))
    x, weight, bias, residual = (
        np.full(shape, value, np.float32)
        for value, shape in enumerate([(1, 1, 1), plan.packed_weight_shape, (1,), (1, 1, 1)], start=1)
    )
    operands = [x, weight, *([bias] if has_bias else []), *([residual] if has_residual else [])]
    assert kernel((1, 1, 1), *operands) == expected
