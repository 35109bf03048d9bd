"""Counts what is no number in an array, and finds where along time it begins."""

from __future__ import annotations

import numpy as np

from engine.speech import Array
from engine.validator.data.results import NotFinite
from engine.validator.measures.metrics import is_finite


def not_finite(array: Array, time_axis: int, axis: str) -> NotFinite | None:
    """What is not finite in an array, whose first axis is the batch; None if everything is finite."""
    wrong = ~is_finite(array)
    if not wrong.any():
        return None
    along_time = np.moveaxis(wrong, time_axis, 0)
    at = int(np.argmax(along_time.reshape(len(along_time), -1).any(axis=1)))
    others = np.unravel_index(int(np.argmax(along_time[at])), along_time[at].shape)
    first = [int(index) for index in others]
    first.insert(time_axis, at)
    nan = int(np.count_nonzero(np.isnan(array)))
    return NotFinite(nan, int(np.count_nonzero(wrong)) - nan, tuple(first[1:]), axis, at, array.shape[time_axis])
