"""Packed samples are those of the exact matrix, whatever lies beyond the input."""

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.compiler.correlation import Correlation, Ending
from engine.compiler.kernel_functions import convolution_function
from engine.compiler.schedules.filtering_input import pack
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.minimal_filter import MinimalFilter
from engine.ops.microkernel_tir import AVX2
from tests.engine.kernels import built

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
def test_every_column_at_every_point(dilation: int, start: int) -> None:
    form = MinimalFilter(4, 3)
    plan = Filtering(Correlation(CHANNELS, form.samples, 3, dilation), form, AVX2)
    kernel = built(convolution_function(plan, Ending(True), packed_only, T.int64))
    x = np.random.default_rng(0).standard_normal((1, CHANNELS, 333), np.float32)
    shape = (1, form.samples, CHANNELS * COLUMNS)
    found = kernel(shape, x, np.zeros(plan.packed_shape, np.float32), np.full(form.samples, start, np.float32))
    places = start + dilation * (np.arange(COLUMNS)[:, None] * form.outputs + np.arange(form.samples))
    inside = (places >= 0) & (places < 333)
    samples = np.where(inside, x[0][:, np.where(inside, places, 0)], 0)
    expected = np.einsum("cks,ps->pck", samples, np.array(form.input_matrix, float))
    np.testing.assert_allclose(found[0].reshape(form.samples, CHANNELS, COLUMNS), expected, atol=1e-5)
