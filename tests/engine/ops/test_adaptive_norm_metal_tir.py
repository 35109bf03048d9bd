import numpy as np
import pytest

from engine.ops import adaptive_norm as reference
from engine.ops import adaptive_norm_metal_tir as kernels
from tests.engine.metal_kernels import GROUP, TOLERANCE, built, normal

CHANNELS = 3
ALPHA = np.array([0.5, 1, 4], np.float32)
CASES = [
    (kernels.adaptive_norm, (), ()),
    (kernels.adaptive_norm_leaky_relu, (0.2,), ()),
    (kernels.adaptive_norm_snake, (), (ALPHA,)),
]


@pytest.mark.parametrize(("factory", "constants", "parameters"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_only_the_valid_length_counts(factory, constants, parameters):
    kernel = built(factory(CHANNELS, *constants, GROUP))
    for lengths in ([1], [2, 300, 7]):
        batch, time = len(lengths), max(lengths) + 3
        x = 5 + normal(batch, CHANNELS, time)
        counts = np.array(lengths, np.int32)
        scale, shift = normal(batch, CHANNELS, seed=1), normal(batch, CHANNELS, seed=2)
        expected = getattr(reference, factory.__name__)(x, counts, scale, shift, *constants, *parameters)
        for member, length in enumerate(lengths):
            x[member, :, length:] = np.nan
        result = kernel(x.shape, x, counts, scale, shift, *parameters)
        np.testing.assert_allclose(result, expected, **TOLERANCE)
