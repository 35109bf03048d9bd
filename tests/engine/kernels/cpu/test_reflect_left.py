"""The compiled reflection against numpy."""

import numpy as np
import pytest

from engine.kernels.cpu.reflect_left import reflect_left
from tests.engine.kernels.cpu.running import built, host_microkernel


@pytest.mark.parametrize("length", [2, 3, 40])
def test_the_second_value_comes_before_the_first(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((2, 5, length), np.float32)
    result = built(reflect_left(5, host_microkernel()))((2, 5, length + 1), x)
    assert np.array_equal(result, np.pad(x, ((0, 0), (0, 0), (1, 0)), mode="reflect"))
