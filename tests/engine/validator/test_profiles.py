"""The cells must show the largest error where it is, in numbers that go over a pipe."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from engine.validator.metrics import NOT_FINITE
from engine.validator.profiles import MOST_CELLS, profile
from engine.validator.results import Profile


def noise(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_known_answer() -> None:
    reference = np.array([[2.0, -2.0, 2.0], [2.0, 2.0, -2.0]])
    ours = reference + np.array([[0.0, 1.0, 0.0], [0.0, -3.0, 0.5]])
    assert profile(ours, reference, 1, "frames") == Profile("frames", (0.0, 1.5, 0.25))
    assert profile(ours, reference, 0, "tokens") == Profile("tokens", (0.5, 1.5))


@given(st.integers(1, 3000), st.data())
def test_an_error_shows_in_its_cell_alone(steps: int, data: st.DataObject) -> None:
    step = data.draw(st.integers(0, steps - 1))
    reference = np.ones((1, 3, steps), np.float32)
    ours = reference.copy()
    ours[0, data.draw(st.integers(0, 2)), step] += data.draw(st.sampled_from([-0.5, 0.5]))
    errors = np.array(profile(ours, reference, 2, "frames").errors)
    cells = min(steps, MOST_CELLS)
    assert len(errors) == cells
    (cell,) = np.flatnonzero(errors)
    assert errors[cell] == 0.5
    assert cell * steps // cells <= step < (cell + 1) * steps // cells


@settings(deadline=None)
@given(st.sampled_from([512, 513, 1023, 1024, 120 * 40 + 1]), st.integers(0, 1000))
def test_many_steps_keep_the_largest_error_of_each_cell(steps: int, seed: int) -> None:
    reference, ours = noise(seed, 2, steps), noise(seed + 1, 2, steps)
    errors = np.abs(ours.astype(np.float64) - reference).max(axis=0)
    rms = np.sqrt(np.mean(np.square(reference, dtype=np.float64)))
    borders = np.arange(MOST_CELLS + 1) * steps // MOST_CELLS
    expected = [errors[first:last].max() / rms for first, last in pairwise(borders)]
    np.testing.assert_allclose(profile(ours, reference, 1, "frames").errors, expected, rtol=1e-3)


@given(st.floats(1e-3, 1e3))
def test_scale_does_not_matter(scale: float) -> None:
    reference, ours = noise(0, 2, 9).astype(np.float64), noise(1, 2, 9).astype(np.float64)
    scaled = profile(scale * ours, scale * reference, 1, "tokens").errors
    np.testing.assert_allclose(scaled, profile(ours, reference, 1, "tokens").errors, rtol=1.1e-3)


@pytest.mark.parametrize("axis", [1, -2])
def test_time_may_run_along_any_axis(axis: int) -> None:
    reference, ours = noise(0, 2, 7, 3), noise(1, 2, 7, 3)
    expected = profile(np.moveaxis(ours, 1, 2), np.moveaxis(reference, 1, 2), 2, "frames")
    assert profile(ours, reference, axis, "frames") == expected


def test_errors_have_four_digits() -> None:
    ours = np.array([1.0, 1 + 1 / 3, 1 + 1.23456e-7])
    assert profile(ours, np.ones(3), 0, "tokens").errors == (0.0, 0.3333, 1.235e-07)


def test_an_all_zero_reference_makes_errors_absolute() -> None:
    assert profile(np.array([0.25, 0.0]), np.zeros(2), 0, "tokens").errors == (0.25, 0.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_stands_out_where_it_is(value: float) -> None:
    reference = np.ones((2, 1000), np.float32)
    broken = reference.copy()
    broken[1, 999] = value
    for ours, theirs in ((broken, reference), (reference, broken), (broken, broken)):
        errors = profile(ours, theirs, 1, "frames").errors
        assert errors[-1] == NOT_FINITE
        assert set(errors[:-1]) == {0.0}


def test_no_error_is_larger_than_the_largest() -> None:
    assert profile(np.array([7e188, 1.0]), np.full(2, 4e-120), 0, "frames").errors == (NOT_FINITE, NOT_FINITE)


@pytest.mark.parametrize(("shape", "cells"), [((0,), 0), ((3, 0), 0), ((0, 3), 3)])
def test_nothing_to_compare_is_no_error(shape: tuple[int, ...], cells: int) -> None:
    assert profile(np.zeros(shape), np.zeros(shape), -1, "frames").errors == (0.0,) * cells


@given(st.data())
def test_every_profile_is_json(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([np.float32, np.float64, np.int32, np.bool_]))
    shape = data.draw(arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    ours, reference = (data.draw(arrays_of.arrays(kind, shape)) for _ in range(2))
    errors = profile(ours, reference, 0, "frames").errors
    json.dumps(errors, allow_nan=False)
    assert len(errors) == shape[0]
    assert all(0 <= error <= NOT_FINITE for error in errors)


def test_other_shapes_and_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        profile(np.zeros(3), np.zeros(4), 0, "frames")
    with pytest.raises(ValueError, match="axis"):
        profile(np.zeros(3), np.zeros(3), 1, "frames")
