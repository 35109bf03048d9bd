"""The elementary functions against numpy in float64; activations, tables of an STFT and Winograd's matrices."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import tvm
from tvm.script import tirx as T

from engine.compiler.kernels import mathematics
from engine.compiler.kernels.activations import Activation, LeakyReLU, Snake
from engine.compiler.kernels.cpu.conv_choice import LIGHT_WINOGRADS, WINOGRADS
from engine.compiler.kernels.stft import Stft, cosine64, fill_circle, hann64, sine64
from engine.compiler.kernels.winograd import Matrix, Winograd, combination, shared_and_opposite
from engine.network.ops.harmonic_source import hann_window
from tests.engine.compiler.kernels.cpu import running
from tests.engine.compiler.kernels.cpu.running import built, host
from tests.engine.compiler.kernels.metal import running as metal_running

LANES = 16


def evaluate(function: Callable[..., Any], *values: np.ndarray, dtype: str = "float32") -> np.ndarray:
    second = values[-1]

    @T.prim_func(s_tir=True)
    def apply(a: T.handle, b: T.handle, y: T.handle) -> None:
        rows = T.int64()
        first_values = T.match_buffer(a, (rows, LANES), dtype)
        second_values = T.match_buffer(b, (rows, LANES), dtype)
        results = T.match_buffer(y, (rows, LANES), dtype)
        for row in T.serial(rows):
            for lane in T.vectorized(LANES):
                if len(values) == 2:
                    results[row, lane] = function(first_values[row, lane], second_values[row, lane])
                else:
                    results[row, lane] = function(first_values[row, lane])

    run = tvm.compile(tvm.IRModule({"main": apply}), target=host())["main"]
    inputs = [tvm.runtime.tensor(value.astype(dtype).reshape(-1, LANES)) for value in (values[0], second)]
    output = tvm.runtime.tensor(np.empty((len(values[0]) // LANES, LANES), dtype))
    run(*inputs, output)
    return output.numpy().reshape(-1).astype(np.float64)


def spread(low: float, high: float, dtype: type = np.float32) -> np.ndarray:
    values = np.random.default_rng(0).uniform(low, high, 64 * 1024)
    values[:4] = low, high, 0, (low + high) / 2
    return values.astype(dtype).astype(np.float64)


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@pytest.mark.parametrize(
    ("function", "truth", "low", "high"),
    [
        (mathematics.exp, np.exp, -87, 88.7),
        (mathematics.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -80, 80),
        (mathematics.tanh, np.tanh, -5, 5),
        (mathematics.tanh, np.tanh, -1e-3, 1e-3),
        (mathematics.tanh, np.tanh, -200, 200),
    ],
)
def test_relative_error(function, truth, low, high):
    x = spread(low, high)
    expected = truth(x)
    assert np.abs(evaluate(function, x) / np.where(expected == 0, 1, expected) - (expected != 0)).max() < 3e-7


@pytest.mark.parametrize("reach", [3, 100, 20_000])
@pytest.mark.parametrize(
    ("function", "truth"),
    [(mathematics.sin, np.sin), (mathematics.cos, np.cos), (mathematics.sin_squared, lambda x: np.sin(x) ** 2)],
)
def test_periodic_functions_stay_exact_far_from_zero(function, truth, reach):
    x = spread(-reach, reach)
    assert np.abs(evaluate(function, x) - truth(x)).max() < 3e-7


def test_gelu():
    x = spread(-10, 10)
    error = np.abs(evaluate(mathematics.gelu_tanh, x) - gelu(x))
    assert error.max() < 6e-7
    assert (error < 3e-6 * np.abs(gelu(x)) + 1e-9).all()  # values below -3 are small and must not cancel out


def test_a_constant_that_float32_lacks_moves_no_value_on_average():
    x, factor = 1 + spread(-0.5, 0.5), math.sqrt(0.5)
    exact = factor * x.astype(np.float32).astype(np.float64)
    errors = evaluate(lambda value: mathematics.times(value, factor), x) / exact - 1
    assert np.abs(errors).max() < 6.1e-8
    assert abs(errors.mean()) < 1e-9  # with the nearest float32 it is 1.2e-8


def test_exp_beyond_the_range_of_float32():
    x = np.resize([-1e30, -200, -104, 88.7, 200, 1e30], LANES)
    most = math.exp(np.float32(88.7))
    np.testing.assert_allclose(evaluate(mathematics.exp, x), np.resize([0, 0, 0, most, most, most], LANES), rtol=1e-6)


def test_atan2():
    random = np.random.default_rng(1)
    y, x = random.standard_normal((2, 64 * 1024)).astype(np.float32).astype(np.float64)
    assert np.abs(evaluate(mathematics.atan2, y, x) - np.arctan2(y, x)).max() < 4e-7


def test_atan2_on_the_axes():
    y = np.resize([0.0, 0, 0, 1, -1, 1e-30, -1e-30, 0], LANES)
    x = np.resize([0.0, 1, -1, 0, 0, -1, -1, -1e-30], LANES)
    expected = np.resize([0, 0, math.pi, math.pi / 2, -math.pi / 2, math.pi, -math.pi, math.pi], LANES)
    assert np.abs(evaluate(mathematics.atan2, y, x) - expected).max() < 4e-7


def test_float64_sine_of_cycles():
    x = spread(0, 1 - 1e-12, np.float64)
    assert np.abs(evaluate(mathematics.sin_of_cycles64, x, dtype="float64") - np.sin(2 * np.pi * x)).max() < 2e-15


def test_float64_tanh():
    for most in (1, 20, 1000):
        x = spread(-most, most, np.float64)
        assert np.abs(evaluate(mathematics.tanh64, x, dtype="float64") - np.tanh(x)).max() < 2e-15


def test_float64_sigmoid():
    x = spread(-300, 300, np.float64)
    assert np.abs(evaluate(mathematics.sigmoid64, x, dtype="float64") - 1 / (1 + np.exp(-x))).max() < 2e-15


VALUES = np.linspace(-9, 9, 37, dtype=np.float32)
ALPHA = np.float32(1.5)
CASES = [
    (Activation(), VALUES),
    (LeakyReLU(0.2), np.where(VALUES > 0, VALUES, np.float32(0.2) * VALUES)),
    (Snake(), VALUES + np.sin(ALPHA * VALUES) ** 2 / ALPHA),
]


@pytest.mark.parametrize(("activation", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_the_expression_gives_the_activation(activation, expected):
    @T.prim_func(s_tir=True)
    def each(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        source = T.match_buffer(x, (37,), "float32")
        target = T.match_buffer(y, (37,), "float32")
        for place in T.serial(37):
            target[place] = activation.apply(source[place], T.float32(ALPHA))

    np.testing.assert_allclose(built(each)((37,), VALUES), expected, rtol=1e-6, atol=1e-6)


def test_equal_activations_serve_as_one_key():
    assert len({Activation(), Activation(), LeakyReLU(0.1), LeakyReLU(0.1), LeakyReLU(0.2), Snake(), Snake()}) == 4


N_FFT = 300
"""More steps than a threadgroup has threads."""
STEPS = 2 * np.pi * np.arange(N_FFT) / N_FFT


def test_sizes_are_those_of_a_spectrum():
    sizes = Stft(20, 5, 600)
    assert (sizes.bins, sizes.columns) == (11, 120)


def test_tables_are_exact():
    @T.prim_func(s_tir=True)
    def tables(y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        target = T.match_buffer(y, (3, N_FFT), "float32")
        for tap in T.serial(N_FFT):
            target[0, tap] = T.Cast("float32", cosine64(tap + N_FFT, N_FFT))
            target[1, tap] = T.Cast("float32", sine64(tap + N_FFT, N_FFT))
            target[2, tap] = T.Cast("float32", hann64(tap, N_FFT))

    expected = np.stack([np.cos(STEPS), np.sin(STEPS), hann_window(N_FFT)])
    np.testing.assert_allclose(running.built(tables)((3, N_FFT)), expected, rtol=1e-7, atol=1e-15)


def test_threads_fill_a_circle_together():
    group = metal_running.GROUP

    @T.prim_func(s_tir=True)
    def circle(y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        target = T.match_buffer(y, (rows, 2, N_FFT), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                cosines = T.alloc_buffer((N_FFT,), "float32", scope="shared")
                sines = T.alloc_buffer((N_FFT,), "float32", scope="shared")
                fill_circle(group, N_FFT, cosines, sines, thread)
                if thread == 0:
                    for tap in T.serial(N_FFT):
                        target[row, 0, tap] = cosines[tap]
                        target[row, 1, tap] = sines[tap]

    found = metal_running.built(circle)((2, 2, N_FFT))
    for row in found:
        np.testing.assert_allclose(row, np.stack([np.cos(STEPS), np.sin(STEPS)]), atol=4e-7)


ALL = sorted({*WINOGRADS, *LIGHT_WINOGRADS}, key=lambda winograd: (winograd.taps, winograd.outputs))


def applied(matrix: Matrix, vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


@pytest.mark.parametrize("winograd", [*ALL, Winograd(2, 3), Winograd(4, 4), Winograd(1, 2)])
def test_outputs_are_exactly_the_sums(winograd):
    weight = [Fraction(7 * tap + 3, 5) for tap in range(winograd.taps)]
    sample = [Fraction(index * index - 11, 3) for index in range(winograd.samples)]
    pairs = zip(applied(winograd.weight_matrix, weight), applied(winograd.input_matrix, sample), strict=True)
    found = applied(winograd.output_matrix, [a * b for a, b in pairs])
    expected = [sum(weight[tap] * sample[i + tap] for tap in range(winograd.taps)) for i in range(winograd.outputs)]
    assert found == expected


@pytest.mark.parametrize("winograd", ALL)
def test_coefficients_are_float32(winograd):
    for matrix in (winograd.input_matrix, winograd.output_matrix):
        assert all(Fraction(float(np.float32(float(value)))) == value for row in matrix for value in row)


def test_opposite_points_share_half_of_their_coefficients():
    one, other = Winograd(6, 11).input_matrix[3:5]
    halves = shared_and_opposite(one, other)
    shared, opposite = halves
    assert not any(a and b for a, b in zip(shared, opposite, strict=True))
    assert tuple(a + b for a, b in zip(shared, opposite, strict=True)) == one
    assert tuple(a - b for a, b in zip(shared, opposite, strict=True)) == other


def test_other_points_share_nothing():
    matrix = Winograd(6, 11).input_matrix
    assert shared_and_opposite(matrix[0], matrix[1]) is None
    assert shared_and_opposite(matrix[2], matrix[3]) is None


def test_a_combination_skips_terms_with_zero_coefficients():
    one, two = T.float32(3), T.float32(5)
    assert float(combination([Fraction(0), Fraction(1), Fraction(1, 2)], [None, one, two])) == 5.5


@pytest.mark.parametrize("winograd", ALL)
def test_rounding_loses_little(winograd):
    random = np.random.default_rng(0)
    weights = random.standard_normal((128, winograd.taps))
    samples = random.standard_normal((128, winograd.samples, 200))
    transformed = (weights @ floats(winograd.weight_matrix).T).astype(np.float32)
    points = np.einsum("ps,cst->cpt", floats(winograd.input_matrix).astype(np.float32), samples.astype(np.float32))
    products = np.einsum("cp,cpt->pt", transformed, points)
    found = floats(winograd.output_matrix).astype(np.float32) @ products
    windows = [np.einsum("ck,ckt->t", weights, samples[:, i : i + winograd.taps]) for i in range(winograd.outputs)]
    expected = np.stack(windows)
    assert np.sqrt(np.square(found - expected).mean() / np.square(expected).mean()) < 5e-5


def floats(matrix: Matrix) -> np.ndarray:
    return np.array([[float(value) for value in row] for row in matrix])
