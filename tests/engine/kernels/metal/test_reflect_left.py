import numpy as np
import pytest

from engine.kernels.metal.reflect_left import reflect_left as kernel_for
from engine.ops.reflect_left import reflect_left
from tests.engine.kernels.metal.running import GROUP, built, normal


@pytest.mark.parametrize("length", [2, 300])
def test_any_length_equals_numpy(length):
    x = normal(2, 3, length)
    result = built(kernel_for(3, GROUP))((2, 3, length + 1), x)
    np.testing.assert_array_equal(result, reflect_left(x))
