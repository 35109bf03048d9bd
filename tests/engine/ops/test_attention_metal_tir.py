import numpy as np
import pytest

from engine.ops.attention import attention
from engine.ops.attention_metal_tir import attention as kernel_for
from tests.engine.metal_kernels import GROUP, TOLERANCE, built, normal


@pytest.mark.parametrize("width", [12, 70])
def test_only_valid_keys_count(width):
    kernel = built(kernel_for(2, width, GROUP))
    for lengths in ([1], [3, 130]):
        shape = (len(lengths), 2, max(lengths), width)
        query, key, value = (2 * normal(*shape, seed=seed) for seed in range(3))
        counts = np.array(lengths, np.int32)
        expected = attention(query, key, value, counts)
        for member, length in enumerate(lengths):
            for array in (query, key, value):
                array[member, :, length:] = np.nan
        np.testing.assert_allclose(kernel(shape, query, key, value, counts), expected, **TOLERANCE)
