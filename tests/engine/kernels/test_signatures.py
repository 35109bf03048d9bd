"""Functions have the given operands, in order, and sums get the given epilogue."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.kernels.activations import Activation, Snake
from engine.kernels.convolution import ConvWorkload
from engine.kernels.epilogue import Epilogue
from engine.kernels.signatures import adaptive_norm_function, convolution_function, linear_function, with_operands
from tests.engine.kernels.cpu.running import built


def shifted(has_addend):
    @T.prim_func(s_tir=True)
    def shifted(x: T.handle, z: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        count = T.int64()
        source = T.match_buffer(x, (count,), "float32")
        addend = T.match_buffer(z, (count,), "float32")
        target = T.match_buffer(y, (count,), "float32")
        for place in T.serial(count):
            if has_addend:
                target[place] = source[place] + addend[place]
            else:
                target[place] = source[place] + T.float32(1)

    return with_operands(shifted, addend=has_addend)


def test_an_operand_that_is_missing_is_no_argument():
    x, z = np.arange(5, dtype=np.float32), np.full(5, 10, np.float32)
    np.testing.assert_array_equal(built(shifted(True))((5,), x, z), x + 10)
    np.testing.assert_array_equal(built(shifted(False))((5,), x), x + 1)


PLAN = SimpleNamespace(sizes=ConvWorkload(1, 1, 1), packed_shape=(1, 1, 1, 1), factors="float32")


@T.inline
def mixed(plan, operands):
    operands.target[0, 0, 0] = operands.finished(
        operands.biased(operands.source[0, 0, 0] + T.float32(10) * operands.weight[0, 0, 0, 0], 0), (0, 0, 0)
    )


@pytest.mark.parametrize(
    ("epilogue", "expected"),
    [
        (Epilogue(False), 21),
        (Epilogue(True), 24),
        (Epilogue(False, has_residual=True), 25),
        (Epilogue(True, has_residual=True), 28),
        (Epilogue(True, has_residual=True, factor=0.5), 14),
    ],
)
@pytest.mark.parametrize("index", [T.int64, T.int32])
def test_operands_of_a_convolution(epilogue, expected, index):
    kernel = built(convolution_function(PLAN, epilogue, mixed, index))
    x, weight, bias, residual = (
        np.full(shape, value, np.float32)
        for value, shape in enumerate([(1, 1, 1), PLAN.packed_shape, (1,), (1, 1, 1)], start=1)
    )
    operands = [x, weight, *([bias] if epilogue.has_bias else []), *([residual] if epilogue.has_residual else [])]
    assert kernel((1, 1, 1), *operands) == expected


@T.inline
def row_by_row(plan, operands):
    for row in T.serial(operands.row_count):
        operands.target[row, 0] = operands.biased(operands.source[row, 0] * operands.weight[0], 0)


@pytest.mark.parametrize("has_bias", [True, False])
def test_operands_of_a_linear_layer(has_bias):
    epilogue = Epilogue(has_bias)
    plan = SimpleNamespace(in_features=1, out_features=1, packed_shape=(1,), epilogue=epilogue)
    kernel = built(linear_function(plan, row_by_row, T.int64))
    x, weight, bias = np.array([[1], [2]], np.float32), np.array([3], np.float32), np.array([10], np.float32)
    found = kernel((2, 1), x, weight, *([bias] if has_bias else []))
    assert found.ravel().tolist() == ([13, 16] if has_bias else [3, 6])


CHANNELS, OFFSET = 3, 2
ALPHA = np.array([0.5, 1, 4], np.float32)


@T.inline
def styled(operands):
    for batch_index, channel, place in T.grid(operands.batch, CHANNELS, operands.time):
        operands.target[batch_index, channel, place] = (
            (T.float32(1) + operands.gamma(batch_index, channel)) * operands.source[batch_index, channel, place]
            + operands.beta(batch_index, channel)
            + operands.alpha(channel)
        )


@pytest.mark.parametrize(("activation", "last"), [(Activation(), ()), (Snake(), (ALPHA,))])
def test_operands_are_found_where_the_styles_hold_them(activation, last):
    random = np.random.default_rng(0)
    x, styles = random.standard_normal((2, CHANNELS, 4), np.float32), random.standard_normal((2, 9), np.float32)
    unused = np.ones(CHANNELS, np.float32)
    kernel = built(adaptive_norm_function(CHANNELS, activation, styled, T.int64))
    found = kernel(x.shape, x, np.array([4, 4], np.int32), styles, unused, unused, OFFSET, *last)
    gamma, beta = styles[:, 2:5, None], styles[:, 5:8, None]
    alpha = ALPHA[:, None] if last else 0
    np.testing.assert_allclose(found, (1 + gamma) * x + beta + alpha, rtol=1e-6, atol=1e-6)
