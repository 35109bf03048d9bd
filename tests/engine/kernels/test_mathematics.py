"""The elementary functions against numpy in float64, as vector code and value by value."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tvm
from tvm.script import tirx as T

from engine.kernels import mathematics
from tests.engine.kernels.cpu.running import host

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
def test_relative_error(function: Any, truth: Any, low: float, high: float) -> None:
    x = spread(low, high)
    expected = truth(x)
    assert np.abs(evaluate(function, x) / np.where(expected == 0, 1, expected) - (expected != 0)).max() < 3e-7


@pytest.mark.parametrize("reach", [3, 100, 20_000])
@pytest.mark.parametrize(
    ("function", "truth"),
    [(mathematics.sin, np.sin), (mathematics.cos, np.cos), (mathematics.sin_squared, lambda x: np.sin(x) ** 2)],
)
def test_periodic_functions_stay_exact_far_from_zero(function: Any, truth: Any, reach: float) -> None:
    x = spread(-reach, reach)
    assert np.abs(evaluate(function, x) - truth(x)).max() < 3e-7


def test_gelu() -> None:
    x = spread(-10, 10)
    error = np.abs(evaluate(mathematics.gelu_tanh, x) - gelu(x))
    assert error.max() < 6e-7
    assert (error < 3e-6 * np.abs(gelu(x)) + 1e-9).all()  # values below -3 are small and must not cancel out


def test_a_constant_that_float32_lacks_moves_no_value_on_average() -> None:
    x, factor = 1 + spread(-0.5, 0.5), math.sqrt(0.5)
    exact = factor * x.astype(np.float32).astype(np.float64)
    errors = evaluate(lambda value: mathematics.times(value, factor), x) / exact - 1
    assert np.abs(errors).max() < 6.1e-8
    assert abs(errors.mean()) < 1e-9  # with the nearest float32 it is 1.2e-8


def test_exp_beyond_the_range_of_float32() -> None:
    x = np.resize([-1e30, -200, -104, 88.7, 200, 1e30], LANES)
    most = math.exp(np.float32(88.7))
    np.testing.assert_allclose(evaluate(mathematics.exp, x), np.resize([0, 0, 0, most, most, most], LANES), rtol=1e-6)


def test_atan2() -> None:
    random = np.random.default_rng(1)
    y, x = random.standard_normal((2, 64 * 1024)).astype(np.float32).astype(np.float64)
    assert np.abs(evaluate(mathematics.atan2, y, x) - np.arctan2(y, x)).max() < 4e-7


def test_atan2_on_the_axes() -> None:
    y = np.resize([0.0, 0, 0, 1, -1, 1e-30, -1e-30, 0], LANES)
    x = np.resize([0.0, 1, -1, 0, 0, -1, -1, -1e-30], LANES)
    expected = np.resize([0, 0, math.pi, math.pi / 2, -math.pi / 2, math.pi, -math.pi, math.pi], LANES)
    assert np.abs(evaluate(mathematics.atan2, y, x) - expected).max() < 4e-7


def test_float64_sine_of_cycles() -> None:
    x = spread(0, 1 - 1e-12, np.float64)
    assert np.abs(evaluate(mathematics.sin_of_cycles64, x, dtype="float64") - np.sin(2 * np.pi * x)).max() < 2e-15


def test_float64_tanh() -> None:
    for most in (1, 20, 1000):
        x = spread(-most, most, np.float64)
        assert np.abs(evaluate(mathematics.tanh64, x, dtype="float64") - np.tanh(x)).max() < 2e-15


def test_float64_sigmoid() -> None:
    x = spread(-300, 300, np.float64)
    assert np.abs(evaluate(mathematics.sigmoid64, x, dtype="float64") - 1 / (1 + np.exp(-x))).max() < 2e-15
