import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.compiler.kernels.activations import Activation, LeakyReLU, Snake
from engine.compiler.kernels.metal.adaptive_norm import adaptive_norm
from engine.compiler.kernels.metal.layer_norm import adaptive_layer_norm, layer_norm
from engine.network.ops import adaptive_layer_norm as layer_norm_reference
from engine.network.ops import adaptive_norm as reference
from tests.engine.compiler.kernels.metal.running import GROUP, TOLERANCE, built, normal

CHANNELS = 3
OFFSET = 2
ALPHA = np.array([0.5, 1, 4], np.float32)
CASES = [
    (Activation(), reference.adaptive_norm, ()),
    (LeakyReLU(0.2), reference.adaptive_norm_leaky_relu, (0.2,)),
    (Snake(), reference.adaptive_norm_snake, (ALPHA,)),
]


@pytest.mark.parametrize(("activation", "function", "last"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_only_the_valid_length_counts(activation, function, last):
    kernel = built(adaptive_norm(CHANNELS, activation, GROUP))
    for lengths in ([1], [2, 300, 7]):
        batch, time = len(lengths), max(lengths) + 3
        x = 5 + normal(batch, CHANNELS, time)
        counts = np.array(lengths, np.int32)
        operands = (normal(batch, 3 * CHANNELS, seed=1), *normal(2, CHANNELS, seed=2), OFFSET)
        expected = function(x, counts, *operands, *last)
        for batch_index, length in enumerate(lengths):
            x[batch_index, :, length:] = np.nan
        result = kernel(x.shape, x, counts, *operands, *(last if activation.has_parameter else ()))
        np.testing.assert_allclose(result, expected, **TOLERANCE)


def test_statistics_of_a_long_signal_far_from_zero():
    kernel = built(adaptive_norm(1, Activation(), GROUP))
    x = 30 + normal(1, 1, 20_001)
    counts, operands = np.array([20_001], np.int32), (normal(1, 2), *np.ones((2, 1), np.float32), 0)
    expected = reference.adaptive_norm(x, counts, *operands)
    np.testing.assert_allclose(kernel(x.shape, x, counts, *operands), expected, **TOLERANCE)


@pytest.mark.parametrize("channels", [5, 300])
@pytest.mark.parametrize("affine", [True, False])
def test_rows_equal_torch(channels, affine):
    x = 3 + normal(4, channels)
    parameters = [normal(channels, seed=1), normal(channels, seed=2)] if affine else []
    result = built(layer_norm(channels, False, affine, 1e-5, GROUP))(x.shape, x, *parameters)
    expected = functional.layer_norm(torch.from_numpy(x), (channels,), *map(torch.from_numpy, parameters))
    np.testing.assert_allclose(result, expected, **TOLERANCE)


def test_rows_of_a_sum_equal_torch():
    x, addend, scale, shift = 3 + normal(4, 300), normal(4, 300, seed=1), normal(300, seed=2), normal(300, seed=3)
    result = built(layer_norm(300, True, True, 1e-5, GROUP))(x.shape, x, addend, scale, shift)
    expected = functional.layer_norm(torch.from_numpy(x + addend), (300,), *map(torch.from_numpy, (scale, shift)))
    np.testing.assert_allclose(result, expected, **TOLERANCE)


@pytest.mark.parametrize(("channels", "style"), [(5, 3), (300, 260)])
def test_a_styled_row_ends_with_the_constant_input(channels, style):
    x, styles, constant_input = (
        3 + normal(2, 3, channels),
        normal(2, 2 * channels + 9, seed=1),
        normal(2, style, seed=2),
    )
    kernel = built(adaptive_layer_norm(channels, style, 1e-5, GROUP))
    result = kernel((2, 3, channels + style), x, styles, constant_input, 7)
    expected = layer_norm_reference.adaptive_layer_norm(x, styles, constant_input, 7, 1e-5)
    np.testing.assert_allclose(result, expected, **TOLERANCE)
