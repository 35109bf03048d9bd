"""Winograd's matrices give exact identities, and F(m, r) loses little to rounding."""

from fractions import Fraction

import numpy as np
import pytest
from tvm.script import tirx as T

from engine.kernels.cpu.conv_choice import LIGHT_WINOGRADS, WINOGRADS
from engine.kernels.winograd import Matrix, Winograd, combination, shared_and_opposite

ALL = sorted({*WINOGRADS, *LIGHT_WINOGRADS}, key=lambda winograd: (winograd.taps, winograd.outputs))


def applied(matrix: Matrix, vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


@pytest.mark.parametrize("winograd", [*ALL, Winograd(2, 3), Winograd(4, 4), Winograd(1, 2)])
def test_outputs_are_exactly_the_sums(winograd: Winograd) -> None:
    weight = [Fraction(7 * tap + 3, 5) for tap in range(winograd.taps)]
    sample = [Fraction(index * index - 11, 3) for index in range(winograd.samples)]
    pairs = zip(applied(winograd.weight_matrix, weight), applied(winograd.input_matrix, sample), strict=True)
    found = applied(winograd.output_matrix, [a * b for a, b in pairs])
    expected = [sum(weight[tap] * sample[i + tap] for tap in range(winograd.taps)) for i in range(winograd.outputs)]
    assert found == expected


@pytest.mark.parametrize("winograd", ALL)
def test_coefficients_are_float32(winograd: Winograd) -> None:
    for matrix in (winograd.input_matrix, winograd.output_matrix):
        assert all(Fraction(float(np.float32(float(value)))) == value for row in matrix for value in row)


def test_opposite_points_share_half_of_their_coefficients() -> None:
    one, other = Winograd(6, 11).input_matrix[3:5]
    halves = shared_and_opposite(one, other)
    assert halves is not None
    shared, opposite = halves
    assert not any(a and b for a, b in zip(shared, opposite, strict=True))
    assert tuple(a + b for a, b in zip(shared, opposite, strict=True)) == one
    assert tuple(a - b for a, b in zip(shared, opposite, strict=True)) == other


def test_other_points_share_nothing() -> None:
    matrix = Winograd(6, 11).input_matrix
    assert shared_and_opposite(matrix[0], matrix[1]) is None
    assert shared_and_opposite(matrix[2], matrix[3]) is None


def test_a_combination_leaves_out_what_is_nothing() -> None:
    one, two = T.float32(3), T.float32(5)
    assert float(combination([Fraction(0), Fraction(1), Fraction(1, 2)], [None, one, two])) == 5.5


@pytest.mark.parametrize("winograd", ALL)
def test_rounding_loses_little(winograd: Winograd) -> None:
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
