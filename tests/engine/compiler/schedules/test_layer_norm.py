"""Compiled layer normalisation against numpy in float64."""

import numpy as np
import pytest

from engine.compiler.schedules.layer_norm import layer_norm
from tests.engine.kernels import built, host_microkernel

EPSILON = 1e-5


@pytest.mark.parametrize("has_affine", [True, False])
@pytest.mark.parametrize("channels", [1, 5, 16, 37, 192])
def test_rows_are_normalised(channels: int, has_affine: bool) -> None:
    random = np.random.default_rng(channels)
    x = random.standard_normal((7, channels), np.float32) * 3 + 1
    scale, shift = random.standard_normal((2, channels), np.float32)
    exact = x.astype(np.float64)
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
    arguments = (scale, shift) if has_affine else ()
    result = built(layer_norm(channels, has_affine, EPSILON, host_microkernel()))(x.shape, x, *arguments)
    assert np.abs(result - (expected * scale + shift if has_affine else expected)).max() < 3e-6
