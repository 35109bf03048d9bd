import numpy as np
import pytest

from engine.kernels.metal.attention import attention as kernel_for
from engine.ops.attention import attention
from tests.engine.kernels.metal.running import GROUP, TOLERANCE, built, normal

HEADS = 2


@pytest.mark.parametrize("width", [12, 70])
def test_only_valid_keys_count(width):
    kernel = built(kernel_for(HEADS, width, GROUP))
    for lengths in ([1], [3, 130]):
        batch, time = len(lengths), max(lengths) + 2
        x = 2 * normal(batch, time, 3 * HEADS * width)
        counts = np.array(lengths, np.int32)
        expected = attention(x, counts, HEADS)
        for batch_index, length in enumerate(lengths):
            x[batch_index, length:] = np.nan
        np.testing.assert_allclose(kernel((batch, time, HEADS * width), x, counts), expected, **TOLERANCE)
