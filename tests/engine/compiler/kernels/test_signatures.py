"""Functions have the given operands, in order, and sums get the given epilogue."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tvm import tirx
from tvm.script import tirx as T

from engine.compiler.kernels.activations import Activation, Snake
from engine.compiler.kernels.convolution import ConvWorkload, Depthwise, transposed
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.precision import Precision
from engine.compiler.kernels.signatures import (
    adaptive_norm_function,
    convolution_function,
    linear_function,
    with_operands,
)
from tests.engine.compiler.kernels.cpu.running import built


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


def test_an_empty_epilogue_changes_nothing():
    value = tirx.const(1.5, "float32")
    assert Epilogue().activated(Epilogue().scaled(value)) is value


def test_a_gelu_is_computed_from_the_value():
    value = tirx.Var("x", "float32")
    assert "x" in str(Epilogue(has_gelu=True).activated(value))
    assert not Epilogue(has_gelu=True).activated(value).same_as(value)


def test_missing_operands_go_by_their_names():
    assert Epilogue().missing == ("bias", "residual")
    assert Epilogue(has_bias=True).missing == ("residual",)
    assert Epilogue(has_residual=True).missing == ("bias",)
    assert Epilogue(has_bias=True, has_residual=True).missing == ()


def test_rows_are_channels_and_phases():
    assert ConvWorkload(8, 20, 2, padding=1, upsampling=10).row_count == 200


def test_a_slab_has_strides_and_halo():
    assert ConvWorkload(8, 20, 3, dilation=5, padding=5).slab(1) == 11
    assert ConvWorkload(8, 20, 3, stride=6, padding=1).slab(4) == 21


@pytest.mark.parametrize(
    ("kernel_size", "stride", "padding"), [(20, 10, 5), (7, 3, 0), (2, 3, 0), (3, 2, 1), (5, 1, 2)]
)
def test_a_transposed_convolution_is_a_convolution_per_phase(kernel_size, stride, padding):
    x, weight = np.arange(1, 8.0), np.arange(1.0, kernel_size + 1)
    expected = torch.nn.functional.conv_transpose1d(
        torch.from_numpy(x)[None, None], torch.from_numpy(weight)[None, None], stride=stride, padding=padding
    )[0, 0].numpy()
    sizes = transposed(1, 1, kernel_size, stride, padding)
    padded = np.pad(x, (sizes.padding, kernel_size))
    by_tap = np.pad(weight, (0, sizes.taps * stride - kernel_size)).reshape(sizes.taps, stride)[::-1]
    columns = -(-(expected.size + sizes.trim) // sizes.upsampling)
    found = np.stack([padded[column : column + sizes.taps] @ by_tap for column in range(columns)]).ravel()
    np.testing.assert_allclose(found[sizes.trim :][: expected.size], expected)


@pytest.mark.parametrize(("sizes", "expected"), [((3, 1, 0), False), ((3, 1, 1), True), ((20, 10, 0), True)])
def test_columns_that_are_left_out_or_apart_are_no_positions(sizes, expected):
    assert transposed(8, 8, *sizes).is_scattered == expected


def test_the_offset_of_a_convolution_does_not_change_its_weights():
    assert ConvWorkload(8, 8, 3, dilation=2, padding=2).unplaced == ConvWorkload(8, 8, 3, dilation=2)
    assert transposed(8, 8, 20, 10, 5).unplaced == transposed(8, 8, 20, 10, 3).unplaced


def test_a_depthwise_weight_is_not_packed():
    plan = Depthwise(6, 5, 2, 1, None)
    assert plan.packed_shape == (6, 1, 5)
    assert (plan.sizes.channels, plan.sizes.out_channels, plan.sizes.taps) == (6, 6, 3)


def test_precisions_are_named_as_types_are():
    assert [np.dtype(str(precision)).itemsize for precision in Precision] == [4, 2]
