import numpy as np
import pytest

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.conv1d import conv1d, pack_weight, packed_dtype, packed_shape
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.precision import Precision
from tests.engine.compiler.kernels.convolutions import convolved
from tests.engine.compiler.kernels.metal.running import GROUP, TOLERANCE, built, normal

SHAPES = [
    (6, 40, 5, 1, 1, 2, True),
    (35, 3, 7, 5, 1, 15, False),
    (22, 20, 12, 1, 6, 3, True),
    (7, 70, 1, 1, 1, 0, True),
    (4, 1, 3, 1, 2, 1, True),
    (16, 16, 1, 1, 1, 0, True),
    (35, 40, 4, 5, 1, 5, True),
    (33, 130, 4, 1, 1, 1, False),
]


def packed(shape, weight, group=GROUP):
    sizes = ConvWorkload(*shape[:6])
    return built(pack_weight(sizes, group), packed_dtype(sizes, group))(packed_shape(sizes, group), weight)


def parameters(shape):
    in_channels, out_channels, kernel_size, *_, has_bias = shape
    return normal(out_channels, in_channels, kernel_size), [normal(out_channels, seed=1)] if has_bias else []


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_length_equals_torch(shape):
    weight, biases = parameters(shape)
    kernel = built(conv1d(ConvWorkload(*shape[:6]), Epilogue(shape[6]), GROUP))
    for length in (12, 131):
        x = normal(2, shape[0], length, seed=2)
        wanted = convolved(ConvWorkload(*shape[:6]), x, weight, *biases)
        result = kernel(wanted.shape, x, packed(shape, weight), *biases)
        np.testing.assert_allclose(result, wanted, **TOLERANCE)


@pytest.mark.parametrize(
    "shape", [(6, 40, 5, 1, 1, 2, True), (7, 20, 3, 2, 1, 2, False), (20, 24, 3, 1, 1, 1, True)], ids=str
)
def test_a_residual_is_added_before_the_factor(shape):
    weight, biases = parameters(shape)
    kernel = built(conv1d(ConvWorkload(*shape[:6]), Epilogue(shape[6], has_residual=True, factor=0.3), GROUP))
    x = normal(2, shape[0], 70, seed=2)
    plain = convolved(ConvWorkload(*shape[:6]), x, weight, *biases)
    residual = normal(*plain.shape, seed=3)
    result = kernel(plain.shape, x, packed(shape, weight), *biases, residual)
    np.testing.assert_allclose(result, (plain + residual) * np.float32(0.3), **TOLERANCE)


def rounded(array):
    return array.astype(np.float16).astype(np.float32)


@pytest.mark.parametrize("shape", [(64, 64, 3, 1, 1, 1, True), (70, 80, 2, 3, 1, 1, False)], ids=str)
def test_float16_factors_have_exact_sums(shape):
    weight, biases = parameters(shape)
    group = Threadgroup(factors=Precision.FLOAT16)
    kernel = built(conv1d(ConvWorkload(*shape[:6]), Epilogue(shape[6]), group))
    x = normal(2, shape[0], 70, seed=2)
    wanted = convolved(ConvWorkload(*shape[:6]), rounded(x), rounded(weight), *biases)
    result = kernel(wanted.shape, x, packed(shape, weight, group), *biases)
    np.testing.assert_allclose(result, wanted, **TOLERANCE)
    assert np.abs(convolved(ConvWorkload(*shape[:6]), x, weight, *biases) - wanted).max() > 10 * TOLERANCE["atol"]


def test_small_convolutions_keep_float32_factors():
    group = Threadgroup(factors=Precision.FLOAT16)
    assert packed_dtype(ConvWorkload(128, 22, 7), group) == packed_dtype(ConvWorkload(22, 128, 1), group) == "float32"
