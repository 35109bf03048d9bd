"""The normalization kernels against the numpy reference, at every kind of length."""

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.kernels.activations import Activation, LeakyReLU, Snake
from engine.compiler.kernels.cpu.adaptive_norm import adaptive_norm
from engine.compiler.kernels.cpu.layer_norm import adaptive_layer_norm, layer_norm
from engine.compiler.kernels.cpu.register_tile import AVX512, Microkernel
from engine.network.ops import adaptive_layer_norm as layer_norm_meaning
from engine.network.ops import adaptive_norm as reference
from tests.engine.compiler.kernels.cpu.running import NARROW, Kernel, built, error_half_ulps, host_microkernel

CHANNELS = 5
SLOPE = 0.2
OFFSET = 2
VARIANTS = ("plain", "leaky_relu", "snake")


@functools.cache
def kernel(variant: str, microkernel: Microkernel) -> Kernel:
    activation = {"plain": Activation(), "leaky_relu": LeakyReLU(SLOPE), "snake": Snake()}[variant]
    return built(adaptive_norm(CHANNELS, activation, microkernel))


def truth(variant: str, *values: Any) -> np.ndarray:
    *operands, alpha = values
    return {
        "plain": lambda: reference.adaptive_norm(*operands),
        "leaky_relu": lambda: reference.adaptive_norm_leaky_relu(*operands, SLOPE),
        "snake": lambda: reference.adaptive_norm_snake(*operands, alpha),
    }[variant]()


def compare(
    variant: str, lengths: list[int], time: int, microkernel: Microkernel | None = None, mean: float = 0.5
) -> None:
    microkernel = microkernel or host_microkernel()
    random = np.random.default_rng(time)
    batch = len(lengths)
    x = random.standard_normal((batch, CHANNELS, time), np.float32) + np.float32(mean)
    styles = random.standard_normal((batch, 3 * CHANNELS), np.float32)
    weight, bias = random.standard_normal((2, CHANNELS), np.float32)
    alpha = random.uniform(0.3, 3, CHANNELS).astype(np.float32)
    counts = np.array(lengths, np.int32)
    expected = truth(variant, x, counts, styles, weight, bias, OFFSET, alpha)
    for batch_index, length in enumerate(lengths):
        x[batch_index, :, length:] = np.nan
    inputs = [x, counts, styles, weight, bias, OFFSET] + ([alpha] if variant == "snake" else [])
    found = kernel(variant, microkernel)(x.shape, *inputs)
    errors = np.abs(found - expected) / np.maximum(1, np.abs(expected))
    assert errors.max() < 3e-6 * (1 + abs(mean))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kind_of_length(variant):
    for length in (1, 2, 3, 15, 16, 17, 31, 32, 33, 47, 48, 49, 193, 1001):
        compare(variant, [length], length)
        compare(variant, [length, 1, (length + 1) // 2], length + 3)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("microkernel", [*NARROW, AVX512])
def test_other_vectors(variant, microkernel):
    compare(variant, [77, 5], 80, microkernel)


@given(lengths=st.lists(st.integers(1, 500), min_size=1, max_size=4), padding=st.integers(1, 20))
@settings(max_examples=30)
def test_any_lengths(lengths, padding):
    compare("snake", lengths, max(lengths) + padding)


def test_statistics_of_a_long_signal_far_from_zero():
    compare("plain", [150_001], 150_001, mean=30)


def test_statistics_where_the_first_value_lies_far_out():
    x = np.random.default_rng(0).standard_normal((1, CHANNELS, 2001), np.float32) * np.float32(1e-3)
    x[:, :, 0] = 1e4
    styles, ones, zeros = np.zeros((1, 2 * CHANNELS), np.float32), np.ones(CHANNELS, np.float32), np.zeros(CHANNELS)
    operands = (x, np.array([2001], np.int32), styles, ones, zeros.astype(np.float32), 0)
    found = kernel("plain", host_microkernel())(x.shape, *operands)
    np.testing.assert_allclose(found, reference.adaptive_norm(*operands), rtol=1e-6)


def test_a_constant_channel_becomes_its_shift():
    x = np.full((1, CHANNELS, 100), 7, np.float32)
    styles = np.arange(2 * CHANNELS, dtype=np.float32)[None]
    ones, zeros = np.ones(CHANNELS, np.float32), np.zeros(CHANNELS, np.float32)
    found = kernel("plain", host_microkernel())(x.shape, x, np.array([100], np.int32), styles, ones, zeros, 0)
    assert np.array_equal(found[0], np.repeat(styles[:, CHANNELS:].T, 100, axis=1))


EPSILON = 1e-5


@pytest.mark.parametrize("has_affine", [True, False])
@pytest.mark.parametrize("channels", [1, 5, 16, 37, 192])
def test_rows_are_normalized(channels, has_affine):
    random = np.random.default_rng(channels)
    x = random.standard_normal((7, channels), np.float32) * 3 + 1
    scale, shift = random.standard_normal((2, channels), np.float32)
    exact = x.astype(np.float64)
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
    arguments = (scale, shift) if has_affine else ()
    result = built(layer_norm(channels, False, has_affine, EPSILON, host_microkernel()))(x.shape, x, *arguments)
    assert np.abs(result - (expected * scale + shift if has_affine else expected)).max() < 3e-6


def test_a_mean_far_from_zero_takes_nothing_away():
    x = 1000 + np.random.default_rng(0).standard_normal((3, 768), np.float32)
    exact = x.astype(np.float64)
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
    result = built(layer_norm(768, False, False, EPSILON, host_microkernel()))(x.shape, x)
    assert error_half_ulps(result, expected) < 1


def test_rows_of_a_sum_are_normalized():
    random = np.random.default_rng(0)
    x, addend = random.standard_normal((2, 7, 37), np.float32)
    scale, shift = random.standard_normal((2, 37), np.float32)
    exact = x.astype(np.float64) + addend
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
    result = built(layer_norm(37, True, True, EPSILON, host_microkernel()))(x.shape, x, addend, scale, shift)
    assert error_half_ulps(result, expected * scale + shift) < 0.5


@pytest.mark.parametrize("channels", [1, 37])
def test_a_styled_row_ends_with_the_constant_input(channels):
    random = np.random.default_rng(channels)
    shapes = (2, 7, channels), (2, 2 * channels + 9)
    x, styles = (random.standard_normal(shape, np.float32) for shape in shapes)
    constant_input = random.standard_normal((2, 3), np.float32)
    kernel = built(adaptive_layer_norm(channels, 3, EPSILON, host_microkernel()))
    result = kernel((2, 7, channels + 3), x, styles, constant_input, 7)
    exact = layer_norm_meaning.adaptive_layer_norm(
        *(values.astype(np.float64) for values in (x, styles, constant_input)), 7, EPSILON
    )
    assert error_half_ulps(result, exact) < 0.5
