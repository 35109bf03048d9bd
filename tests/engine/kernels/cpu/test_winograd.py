"""Minimal filters are exact identities, and lose little to rounding."""

from fractions import Fraction

import numpy as np
import pytest

from engine.kernels.cpu.conv_choice import FORMS, LIGHT_FORMS
from engine.kernels.cpu.winograd import Matrix, MinimalFilter

ALL = sorted({*FORMS, *LIGHT_FORMS}, key=lambda form: (form.taps, form.outputs))


def applied(matrix: Matrix, vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


@pytest.mark.parametrize("form", [*ALL, MinimalFilter(2, 3), MinimalFilter(4, 4), MinimalFilter(1, 2)])
def test_outputs_are_exactly_the_sums(form: MinimalFilter) -> None:
    weight = [Fraction(7 * tap + 3, 5) for tap in range(form.taps)]
    sample = [Fraction(index * index - 11, 3) for index in range(form.samples)]
    pairs = zip(applied(form.weight_matrix, weight), applied(form.input_matrix, sample), strict=True)
    found = applied(form.output_matrix, [a * b for a, b in pairs])
    expected = [sum(weight[tap] * sample[i + tap] for tap in range(form.taps)) for i in range(form.outputs)]
    assert found == expected


@pytest.mark.parametrize("form", ALL)
def test_coefficients_are_float32(form: MinimalFilter) -> None:
    for matrix in (form.input_matrix, form.output_matrix):
        assert all(Fraction(float(np.float32(float(value)))) == value for row in matrix for value in row)


@pytest.mark.parametrize("form", ALL)
def test_rounding_loses_little(form: MinimalFilter) -> None:
    random = np.random.default_rng(0)
    weights = random.standard_normal((128, form.taps))
    samples = random.standard_normal((128, form.samples, 200))
    transformed = (weights @ floats(form.weight_matrix).T).astype(np.float32)
    points = np.einsum("ps,cst->cpt", floats(form.input_matrix).astype(np.float32), samples.astype(np.float32))
    products = np.einsum("cp,cpt->pt", transformed, points)
    found = floats(form.output_matrix).astype(np.float32) @ products
    windows = [np.einsum("ck,ckt->t", weights, samples[:, i : i + form.taps]) for i in range(form.outputs)]
    expected = np.stack(windows)
    assert np.sqrt(np.square(found - expected).mean() / np.square(expected).mean()) < 1e-5


def floats(matrix: Matrix) -> np.ndarray:
    return np.array([[float(value) for value in row] for row in matrix])
