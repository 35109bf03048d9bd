import numpy as np
import pytest

from engine.kernels.activations import Activation, LeakyReLU, Snake
from engine.kernels.metal.adaptive_norm import adaptive_norm
from engine.ops import adaptive_norm as reference
from tests.engine.kernels.metal.running import GROUP, TOLERANCE, built, normal

CHANNELS = 3
OFFSET = 2
ALPHA = np.array([0.5, 1, 4], np.float32)
CASES = [
    (Activation(), reference.adaptive_norm, ()),
    (LeakyReLU(0.2), reference.adaptive_norm_leaky_relu, (0.2,)),
    (Snake(), reference.adaptive_norm_snake, (ALPHA,)),
]


@pytest.mark.parametrize(("activation", "meaning", "last"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_only_the_valid_length_counts(activation, meaning, last):
    kernel = built(adaptive_norm(CHANNELS, activation, GROUP))
    for lengths in ([1], [2, 300, 7]):
        batch, time = len(lengths), max(lengths) + 3
        x = 5 + normal(batch, CHANNELS, time)
        counts = np.array(lengths, np.int32)
        operands = (normal(batch, 3 * CHANNELS, seed=1), *normal(2, CHANNELS, seed=2), OFFSET)
        expected = meaning(x, counts, *operands, *last)
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
