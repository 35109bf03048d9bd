"""Tests of errors element by element."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.validator.data.verdicts import within
from engine.validator.measures.element_errors import Decade, WrongElement, element_errors, ulps_between
from engine.validator.measures.metrics import compare

TOLERANCE = 0.99999
REFERENCE = np.array([[[1.0, -1.0, 1.0, -1.0], [2.0, -2.0, 2.0, -2.0]]], np.float32)


def test_the_first_wrong_element_is_the_earliest_in_time() -> None:
    ours = REFERENCE.copy()
    ours[0, 0, 3] = 5
    ours[0, 1, 2] = 2.5
    errors = element_errors(ours, REFERENCE, TOLERANCE, 2)
    assert errors.first == WrongElement((0, 1, 2), 2.5, 2.0, 1 << 21)
    assert errors.wrong == 2
    along_channels = element_errors(ours, REFERENCE, TOLERANCE, 1)
    assert along_channels.first.index == (0, 0, 3)


def test_non_finite_elements_are_wrong_and_have_no_size() -> None:
    ours = REFERENCE.copy()
    ours[0, 0, :3] = (math.nan, math.inf, -math.inf)
    errors = element_errors(ours, REFERENCE, TOLERANCE, 2)
    assert errors.first == WrongElement((0, 0, 0), "nan", 1.0, None)
    assert (errors.not_finite, errors.exact, errors.wrong) == (3, 5, 3)
    assert errors.decades == ()


def test_errors_are_counted_by_decade_over_the_root_mean_square() -> None:
    reference = np.array([1.0, -1.0, 1.0, -1.0], np.float64)
    ours = reference + np.array([0, 2e-3, 5e-3, 2e-1])
    errors = element_errors(ours, reference, TOLERANCE, 0)
    assert errors.decades == (Decade(-3, 2), Decade(-2, 0), Decade(-1, 1))
    assert errors.exact == 1


def test_places_between_numbers() -> None:
    tiny = float(np.nextafter(np.float32(0), np.float32(1)))
    assert ulps_between(1.0, float(np.nextafter(np.float32(1), np.float32(2)))) == 1
    assert ulps_between(-tiny, tiny) == 2
    assert ulps_between(0.0, -0.0) == 0
    assert ulps_between(math.nan, 1.0) is None


def test_arrays_of_two_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="be compared"):
        element_errors(np.zeros(2), np.zeros(3), TOLERANCE, 0)


NUMBERS = st.floats(-100, 100, width=32)


@given(reference=arrays(np.float32, 24, elements=NUMBERS), disturbed=arrays(np.float32, 24, elements=NUMBERS))
def test_differences_found_by_validation_have_a_wrong_element(reference: np.ndarray, disturbed: np.ndarray) -> None:
    errors = element_errors(disturbed, reference, TOLERANCE, 0)
    assert errors.exact + sum(decade.count for decade in errors.decades) == 24
    if not within(compare(disturbed, reference), TOLERANCE):
        assert errors.wrong
        assert errors.first is not None
