"""Compiled layer normalisation against numpy in float64."""

import numpy as np
import pytest

from engine.kernels.cpu.layer_norm import adaptive_layer_norm, layer_norm
from engine.ops import adaptive_layer_norm as meaning
from tests.engine.kernels.cpu.running import built, error_half_ulps, host_microkernel

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
    result = built(layer_norm(channels, False, has_affine, EPSILON, host_microkernel()))(x.shape, x, *arguments)
    assert np.abs(result - (expected * scale + shift if has_affine else expected)).max() < 3e-6


def test_a_mean_far_from_zero_takes_nothing_away() -> None:
    x = 1000 + np.random.default_rng(0).standard_normal((3, 768), np.float32)
    exact = x.astype(np.float64)
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
    result = built(layer_norm(768, False, False, EPSILON, host_microkernel()))(x.shape, x)
    assert error_half_ulps(result, expected) < 1


def test_rows_of_a_sum_are_normalised() -> None:
    random = np.random.default_rng(0)
    x, addend = random.standard_normal((2, 7, 37), np.float32)
    scale, shift = random.standard_normal((2, 37), np.float32)
    exact = x.astype(np.float64) + addend
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
    result = built(layer_norm(37, True, True, EPSILON, host_microkernel()))(x.shape, x, addend, scale, shift)
    assert error_half_ulps(result, expected * scale + shift) < 0.5


@pytest.mark.parametrize("channels", [1, 37])
def test_a_styled_row_ends_with_the_constant_input(channels: int) -> None:
    random = np.random.default_rng(channels)
    shapes = (2, 7, channels), (2, 2 * channels + 9)
    x, styles = (random.standard_normal(shape, np.float32) for shape in shapes)
    constant_input = random.standard_normal((2, 3), np.float32)
    kernel = built(adaptive_layer_norm(channels, 3, EPSILON, host_microkernel()))
    result = kernel((2, 7, channels + 3), x, styles, constant_input, 7)
    exact = meaning.adaptive_layer_norm(
        *(values.astype(np.float64) for values in (x, styles, constant_input)), 7, EPSILON
    )
    assert error_half_ulps(result, exact) < 0.5
