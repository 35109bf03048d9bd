"""Compiled attention against its meaning."""

import functools

import numpy as np
import pytest

from engine.compiler.kernels.cpu.attention import attention
from engine.network.ops.attention import attention as reference
from tests.engine.compiler.kernels.cpu.running import Kernel, built, error_half_ulps, host_microkernel


@functools.cache
def kernel(heads: int, width: int) -> Kernel:
    return built(attention(heads, width, host_microkernel()))


@pytest.mark.parametrize("width", [4, 33, 64])
@pytest.mark.parametrize("lengths", [[1], [2, 1], [17], [64, 63, 1, 30]])
def test_attention_equals_its_reference_regardless_of_padding_values(lengths, width):
    batch, time = len(lengths), max(lengths) + 2
    x = np.random.default_rng(width).standard_normal((batch, time, 3 * 3 * width), np.float32) * 3
    for batch_index, length in enumerate(lengths):
        x[batch_index, length:] = np.nan
    valid = np.array(lengths, np.int32)
    result = kernel(3, width)((batch, time, 3 * width), x, valid)
    assert np.abs(result - reference(x, valid, 3)).max() < 1e-4  # scores go to 100, where float32 steps by 1e-5


def test_long_averages_lose_little_to_rounding():
    x = np.random.default_rng(0).standard_normal((1, 400, 3 * 3 * 64), np.float32)
    valid = np.array([400], np.int32)
    exact = reference(x.astype(np.float64), valid, 3)
    assert error_half_ulps(kernel(3, 64)((1, 400, 3 * 64), x, valid), exact) < 5  # 8 in a single sum
