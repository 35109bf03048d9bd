"""Where along an utterance two arrays differ: the largest error in each stretch of time.

It does not know how the cells are drawn or how long they last.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array
from engine.validator.metrics import NOT_FINITE, check_shapes, is_finite, mean_square
from engine.validator.results import Profile

MOST_CELLS = 512
"""More than a strip on a screen can show."""


def profile(ours: Array, reference: Array, time_axis: int, axis: str) -> Profile:
    """The largest absolute error at each step of `time_axis`, over the reference's root mean square.

    Both arrays have one shape, of any rank; `axis` is the utterance's axis that time runs along, `tokens` or
    `frames`. More steps than `MOST_CELLS` are shared out to that many cells, as equally as whole steps allow, each
    holding the largest of its errors. Four significant digits. Where there is no reference rms (all zeros), errors
    are absolute; values of the reference that are not finite do not count in it. An error that is not finite is
    `NOT_FINITE`, and none is larger. Raises `ValueError` when the shapes differ or there is no such axis.
    """
    check_shapes(ours, reference)
    errors = _in_cells(_largest_errors(ours, reference, time_axis))
    with np.errstate(over="ignore"):  # what grows beyond all bounds is cut off below
        errors = errors / (_rms(reference) or 1.0)
    errors = np.minimum(np.nan_to_num(errors, nan=NOT_FINITE), NOT_FINITE)
    return Profile(axis, tuple(float(f"{error:.4g}") for error in errors))


def _largest_errors(ours: Array, reference: Array, time_axis: int) -> NDArray[np.float64]:
    """[steps]; not a number where an error is not."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinity less infinity is what is to be found
        error = np.moveaxis(np.subtract(ours, reference, dtype=np.float64), time_axis, -1)
    others = tuple(range(error.ndim - 1))
    return np.asarray(np.maximum(error.max(others, initial=0.0), -error.min(others, initial=0.0)))


def _in_cells(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(errors) <= MOST_CELLS:
        return errors
    return np.asarray(np.maximum.reduceat(errors, np.arange(MOST_CELLS) * len(errors) // MOST_CELLS))


def _rms(reference: Array) -> float:
    with np.errstate(over="ignore"):  # a float64 array may hold what float32 cannot
        square = mean_square(reference)
    return math.sqrt(square if math.isfinite(square) else mean_square(reference[is_finite(reference)]))
