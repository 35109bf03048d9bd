import numpy as np
import pytest

from engine.compiler.kernels.metal.conv_transpose1d import conv_transpose1d, depthwise, pack_weight, packed_shape
from engine.compiler.kernels.metal.reflect_left import reflect_left as kernel_for
from engine.network.ops.reflect_left import reflect_left
from tests.engine.compiler.kernels.convolutions import convolved_transposed
from tests.engine.compiler.kernels.metal.running import GROUP, TOLERANCE, built, normal


@pytest.mark.parametrize(
    "shape",
    [(5, 4, 20, 10, 5, True), (9, 7, 12, 6, 3, False), (3, 20, 5, 2, 0, True), (24, 5, 20, 10, 5, True)],
    ids=str,
)
def test_any_length_equals_torch(shape):
    in_channels, out_channels, kernel_size, stride, padding, has_bias = shape
    weight, biases = normal(in_channels, out_channels, kernel_size), [normal(out_channels, seed=1)] if has_bias else []
    sizes = (in_channels, out_channels, kernel_size, stride, GROUP)
    packed = built(pack_weight(*sizes))(packed_shape(*sizes), weight)
    kernel = built(conv_transpose1d(*shape, GROUP))
    for length in (1, 70):
        x = normal(2, in_channels, length, seed=2)
        expected = convolved_transposed(x, weight, *biases, stride=stride, padding=padding)
        result = kernel(tuple(expected.shape), x, packed, *biases)
        np.testing.assert_allclose(result, expected, **TOLERANCE)


@pytest.mark.parametrize("has_bias", [True, False])
def test_depthwise_equals_torch(has_bias):
    weight, biases = normal(5, 1, 3), [normal(5, seed=1)] if has_bias else []
    kernel = built(depthwise(5, 3, 2, 1, has_bias, GROUP))
    for length in (1, 200):
        x = normal(2, 5, length, seed=2)
        expected = convolved_transposed(x, weight, *biases, stride=2, padding=1, output_padding=1, groups=5)
        result = kernel(tuple(expected.shape), x, weight, *biases)
        np.testing.assert_allclose(result, expected, **TOLERANCE)


@pytest.mark.parametrize("length", [2, 300])
def test_a_left_reflection_of_any_length_equals_numpy(length):
    x = normal(2, 3, length)
    result = built(kernel_for(3, GROUP))((2, 3, length + 1), x)
    np.testing.assert_array_equal(result, reflect_left(x))
