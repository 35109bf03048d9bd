"""Compares two arrays element by element: the first wrong element, and a histogram of errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array
from engine.validator.measures.metrics import check_shapes, is_finite, mean_square

MIN_DECADE = -12
"""Errors below 1e-12 of the reference's root mean square are counted with those just above."""
_SIGN = np.int64(1) << 31
_MAGNITUDE = _SIGN - 1


@dataclass(frozen=True)
class WrongElement:
    """An element that differs by more than the tolerance allows: its place [batch, ...] and both values.

    `ulps` counts the float32 numbers from one value to the other; it is None if either is NaN. A value that is not
    finite is `nan`, `inf` or `-inf` as text, which JSON can hold.
    """

    index: tuple[int, ...]
    ours: float | str
    reference: float | str
    ulps: int | None


@dataclass(frozen=True)
class Decade:
    """The number of errors from 10^`exponent` to ten times that, over the reference's root mean square."""

    exponent: int
    count: int


@dataclass(frozen=True)
class ElementErrors:
    """The element errors of two arrays: of `size` elements, `exact` are equal and `wrong` differ by too much.

    `limit` is the largest error that is not wrong. `not_finite` elements of ours have no measurable error.
    """

    size: int
    exact: int
    wrong: int
    not_finite: int
    limit: float
    first: WrongElement | None
    decades: tuple[Decade, ...]


def element_errors(ours: Array, reference: Array, tolerance: float, time_axis: int) -> ElementErrors:
    """Compare two arrays of one shape that count as equal if they correlate by at least `tolerance`.

    The first wrong element is the earliest along `time_axis`, and the first in order of the other axes. Arrays that a
    validation finds to differ have at least one. Raises `ValueError` if the shapes differ.
    """
    check_shapes(ours, reference)
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.abs(np.subtract(ours, reference, dtype=np.float64))
    limit = error_limit(reference, tolerance)
    finite = is_finite(ours)
    wrong = ~finite | ~(errors <= limit)
    return ElementErrors(
        size=ours.size,
        exact=int(np.count_nonzero(errors == 0)),
        wrong=int(np.count_nonzero(wrong)),
        not_finite=int(np.count_nonzero(~finite)),
        limit=limit,
        first=_first(ours, reference, wrong, time_axis),
        decades=_decades(errors[finite & np.isfinite(errors)], math.sqrt(mean_square(reference)) or 1.0),
    )


def error_limit(reference: Array, tolerance: float) -> float:
    """Return the error that some element must exceed if two arrays correlate less than `tolerance` or differ as much.

    With a correlation of r, the part of one array that the other does not explain is sqrt(1 - r^2) of its standard
    deviation; if the mean error has that size, some element's error is at least as large.
    """
    if not is_finite(reference).all():
        return 0.0
    spread = float(reference.astype(np.float64).std())
    return math.sqrt(max(0.0, 1 - tolerance**2)) * spread


def ulps_between(ours: float, reference: float) -> int | None:
    """Return the distance of two values in float32 numbers, 1 for neighbors; None if either is NaN."""
    if math.isnan(ours) or math.isnan(reference):
        return None
    places = _places(np.array([ours, reference], np.float64).astype(np.float32))
    return abs(int(places[0]) - int(places[1]))


def _places(values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the place of each number among all float32 numbers in order; both zeros are at 0."""
    bits = values.view(np.uint32).astype(np.int64)
    return np.where(bits & _SIGN, -(bits & _MAGNITUDE), bits)


def _first(ours: Array, reference: Array, wrong: NDArray[np.bool_], time_axis: int) -> WrongElement | None:
    in_time = np.moveaxis(wrong, time_axis, 0)
    if not in_time.any():
        return None
    step, *others = (int(place) for place in np.unravel_index(int(np.argmax(in_time)), in_time.shape))
    index = (*others[:time_axis], step, *others[time_axis:])
    values = float(ours[index]), float(reference[index])
    return WrongElement(index, _plain(values[0]), _plain(values[1]), ulps_between(*values))


def _plain(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _decades(errors: NDArray[np.float64], scale: float) -> tuple[Decade, ...]:
    """Return the range of decades with errors, including empty ones in between."""
    relative = errors[errors > 0] / scale
    if not relative.size:
        return ()
    exponents = np.maximum(np.floor(np.log10(relative)), MIN_DECADE).astype(np.int64)
    lowest = int(exponents.min())
    counts = np.bincount(exponents - lowest)
    return tuple(Decade(lowest + place, int(count)) for place, count in enumerate(counts))
