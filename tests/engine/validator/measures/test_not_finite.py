"""What is no number is counted, and the first of it found along time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.validator.data.results import NotFinite
from engine.validator.data.wording import not_finite as words
from engine.validator.measures.metrics import not_finite


def test_an_array_of_numbers_has_none() -> None:
    assert not_finite(np.ones((1, 3, 4), np.float32), 2, "frames") is None
    assert not_finite(np.ones((1, 4), np.int32), 1, "frames") is None


def test_the_first_is_the_first_in_time_not_in_memory() -> None:
    array = np.zeros((1, 3, 5), np.float32)
    array[0, 0, 4] = np.nan
    array[0, 2, 1] = np.inf
    array[0, 1, 1] = np.nan
    assert not_finite(array, 2, "frames") == NotFinite(2, 1, (1, 1), "frames", 1, 5)
    assert not_finite(array, 1, "tokens") == NotFinite(2, 1, (0, 4), "tokens", 0, 3)


def test_what_float32_cannot_hold_is_infinite() -> None:
    assert not_finite(np.array([[0.0, 1e39]]), 1, "frames") == NotFinite(0, 1, (1,), "frames", 1, 2)


def test_it_is_said_in_one_line() -> None:
    found = NotFinite(2, 1, (1, 7), "frames", 7, 90)
    assert words(found) == "2 NaN and 1 infinite, the first at [1, 7], frames 7 of 90"
    assert words(NotFinite(0, 3, (4,), "tokens", 4, 9)) == "3 infinite, the first at [4], tokens 4 of 9"


@given(
    arrays.arrays(np.float32, (1, 3, 4), elements=st.sampled_from([0.0, 1.0, np.nan, np.inf, -np.inf])),
    st.sampled_from([1, 2]),
)
def test_nothing_before_the_first_is_broken(array: np.ndarray, time_axis: int) -> None:
    found = not_finite(array, time_axis, "frames")
    broken = ~np.isfinite(array)
    if found is None:
        assert not broken.any()
        return
    assert found.nan + found.infinite == broken.sum()
    assert broken[(0, *found.first)]
    assert found.first[time_axis - 1] == found.at
    assert not np.take(broken, range(found.at), axis=time_axis).any()


@pytest.mark.parametrize("time_axis", [1, 2])
def test_the_extent_is_that_of_time(time_axis: int) -> None:
    array = np.full((1, 3, 5), np.nan, np.float32)
    found = not_finite(array, time_axis, "frames")
    assert found.extent == array.shape[time_axis]
