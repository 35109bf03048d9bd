"""Measures how much two arrays, or two alignments, differ, in numbers that JSON can hold, and where along time.

All sums are taken in float64 on one thread, over blocks small enough for the CPU's cache, so that numbers do not depend
on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.runtime.runners.host import unrounded_durations
from engine.speech import Array
from engine.validator.data.results import ALL_FINITE_PERCENT, DurationMetrics, Metrics, NotFinite, Profile

NOT_FINITE = 1e30
"""Stands in results for infinity and NaN, which JSON cannot express."""
MAX_FINITE = float(np.finfo(np.float32).max)
"""A value beyond the range of float32 counts as infinite, in float64 arrays too: it would be infinite in a tensor."""
CONSTANTS_EQUAL_WITHIN = 1e-5
NEAR_A_HALF = 1e-4
"""An unrounded duration this near to a half, in frames, may round either way."""
FLOAT32_ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""An array whose spread is within this of its largest value is constant but for rounding."""
BLOCK_VALUES = 8192


def compare(ours: Array, reference: Array, tail: Array | None = None) -> Metrics:
    """Compare two arrays of one shape, of any rank; raises `ValueError` if the shapes differ.

    - `finite_percent`: the share of finite values in ours. If it is not 100, or the reference is not finite,
      `pearson`, `cosine`, `sqnr_db`, `max_abs` and `relative_l2` are None: so a None in `sqnr_db` means "equal" only
      if `pearson` is a number.
    - `pearson`: if either is constant (but for float32 rounding), it is 1 if no value differs by more than 1e-5,
      absolute plus relative to the reference's largest, and otherwise 0.
    - `cosine`: 1 for two all-zero arrays, 0 if only one is all zero.
    - `sqnr_db`: 10 log10 of the reference's power over the error's; None without an error.
    - `relative_l2`: the error's norm over the reference's.
    - An all-zero reference counts as one with a root mean square of 1 in `sqnr_db` and `relative_l2`, which are then
      those of the absolute error.
    - `tail_energy`: the mean square of `tail` (any shape): None without one, 0 for an empty one, `NOT_FINITE` if it
      holds a value that is not finite, and never more than that.

    Two empty arrays are equal.
    """
    check_shapes(ours, reference)
    energy = None if tail is None else _energy(tail)
    finite_percent = _finite_percent(ours)
    if finite_percent < ALL_FINITE_PERCENT or not _all_finite(reference):
        return Metrics(None, None, None, None, None, finite_percent, energy)
    if not ours.size:
        return Metrics(1.0, 1.0, None, 0.0, 0.0, finite_percent, energy)
    sums = _Sums.of(ours.reshape(-1), reference.reshape(-1))
    relative = math.sqrt(sums.error_power) / math.sqrt(sums.reference_power or 1.0)
    return Metrics(
        pearson=_pearson(ours, reference, sums),
        cosine=_cosine(sums),
        sqnr_db=-20 * math.log10(relative) if relative else None,
        max_abs=sums.max_abs,
        relative_l2=relative,
        finite_percent=finite_percent,
        tail_energy=energy,
    )


def compare_durations(
    ours_logits: Array, reference_logits: Array, ours_frame_token: Array, reference_frame_token: Array, speed: float
) -> DurationMetrics:
    """Compare two alignments of the same tokens, one utterance each.

    Logits [tokens, max_dur]; frame tokens [frames], whose numbers may differ. A token that differs is a tie if its
    unrounded duration in the reference lies within 1e-4 of a half and ours is one of the two integers next to it.
    Raises `ValueError` if the logits' shapes differ or a frame speaks a token out of range.
    """
    check_shapes(ours_logits, reference_logits)
    tokens = len(reference_logits)
    ours = _frames_per_token(ours_frame_token, tokens)
    differing = ours != _frames_per_token(reference_frame_token, tokens)
    unrounded = unrounded_durations(reference_logits, speed)
    at_a_half = np.abs(unrounded - np.floor(unrounded) - 0.5) < NEAR_A_HALF
    neighboring = np.abs(ours - unrounded) < 0.5 + NEAR_A_HALF
    return DurationMetrics(
        differing_tokens=int(np.count_nonzero(differing)),
        ties=int(np.count_nonzero(differing & at_a_half & neighboring)),
        frames=len(ours_frame_token),
        reference_frames=len(reference_frame_token),
    )


def check_shapes(ours: Array, reference: Array) -> None:
    """Raise `ValueError` unless the two have one shape."""
    if ours.shape != reference.shape:
        raise ValueError(f"Arrays of the shapes {ours.shape} and {reference.shape} can’t be compared.")


def is_finite(array: Array) -> NDArray[np.bool_]:
    """Return a mask of the values that are finite in float32."""
    return np.asarray(np.abs(array) <= MAX_FINITE)


def mean_square(array: Array) -> float:
    """Return the mean of the squares in float64, 0 for an empty array; infinite or NaN if the array is."""
    flat: Any = array.reshape(-1)  # of any number type, which numpy's annotation of einsum does not allow
    return float(np.einsum("i,i->", flat, flat, dtype=np.float64)) / max(1, len(flat))


@dataclass(frozen=True)
class _Sums:
    """Mean products of two finite arrays, with the means subtracted (`varied`) and without (`power`)."""

    ours_varied: float
    reference_varied: float
    both_varied: float
    ours_power: float
    reference_power: float
    both_power: float
    error_power: float
    max_abs: float

    @classmethod
    def of(cls, ours: Array, reference: Array) -> _Sums:
        """Sum up two flat arrays that are not empty."""
        ours_mean, reference_mean = _mean(ours), _mean(reference)
        sums, largest = np.zeros(4), 0.0
        for start in range(0, len(ours), BLOCK_VALUES):
            a = ours[start : start + BLOCK_VALUES].astype(np.float64)
            b = reference[start : start + BLOCK_VALUES].astype(np.float64)
            error = a - b
            largest = max(largest, float(error.max()), -float(error.min()))
            a -= ours_mean
            b -= reference_mean
            sums += (a @ a, b @ b, a @ b, error @ error)
        ours_varied, reference_varied, both_varied, error_power = (float(total) for total in sums / len(ours))
        return cls(
            ours_varied,
            reference_varied,
            both_varied,
            ours_power=ours_varied + ours_mean**2,
            reference_power=reference_varied + reference_mean**2,
            both_power=both_varied + ours_mean * reference_mean,
            error_power=error_power,
            max_abs=largest,
        )


def _pearson(ours: Array, reference: Array, sums: _Sums) -> float:
    spread = math.sqrt(sums.ours_varied) * math.sqrt(sums.reference_varied)
    if spread == 0 or _is_constant(ours) or _is_constant(reference):
        limit = CONSTANTS_EQUAL_WITHIN * (1 + max(abs(extreme) for extreme in _extremes(reference)))
        return float(sums.max_abs <= limit)
    return _clipped(sums.both_varied / spread)


def _cosine(sums: _Sums) -> float:
    if sums.ours_power == 0 or sums.reference_power == 0:
        return float(sums.ours_power == sums.reference_power)
    return _clipped(sums.both_power / (math.sqrt(sums.ours_power) * math.sqrt(sums.reference_power)))


def _clipped(correlation: float) -> float:
    return min(1.0, max(-1.0, correlation))


def _is_constant(array: Array) -> bool:
    low, high = _extremes(array)
    return high - low <= FLOAT32_ROUNDING * max(abs(low), abs(high))


def _extremes(array: Array) -> tuple[float, float]:
    return float(array.min()), float(array.max())


def _mean(array: Array) -> float:
    return float(array.mean(dtype=np.float64))


def _all_finite(array: Array) -> bool:
    if not array.size:
        return True
    low, high = _extremes(array)
    return low >= -MAX_FINITE and high <= MAX_FINITE


def _finite_percent(array: Array) -> float:
    if _all_finite(array):  # the extremes show it without a mask
        return ALL_FINITE_PERCENT
    return ALL_FINITE_PERCENT * float(np.count_nonzero(is_finite(array))) / array.size


def _energy(tail: Array) -> float:
    return min(mean_square(tail), NOT_FINITE) if _all_finite(tail) else NOT_FINITE


def _frames_per_token(frame_token: Array, tokens: int) -> NDArray[np.int64]:
    counts = np.bincount(frame_token.astype(np.int64, casting="same_kind"), minlength=tokens)
    if len(counts) > tokens:
        raise ValueError(f"A frame speaks token {len(counts) - 1}, but there are {tokens} tokens.")
    return np.asarray(counts, np.int64)


MAX_CELLS = 512
"""More cells than a strip on a screen can show."""


def profile(ours: Array, reference: Array, time_axis: int, axis: str) -> Profile:
    """Return the largest absolute error at each step of `time_axis`, over the reference's root mean square.

    Both arrays have one shape, of any rank; `axis` is the utterance's axis that time runs along, `tokens` or `frames`.
    More steps than `MAX_CELLS` share that many cells, as equally as whole steps allow, each holding the largest of its
    errors, to four significant digits. Against a reference of zeros, errors are absolute; values of the reference that
    are not finite are left out of its root mean square. An error that is not finite is `NOT_FINITE`, which is also the
    maximum. Raises `ValueError` if the shapes differ or there is no such axis.
    """
    check_shapes(ours, reference)
    errors = _in_cells(_largest_errors(ours, reference, time_axis))
    with np.errstate(over="ignore"):  # overflow is clipped below
        errors = errors / (_rms(reference) or 1.0)
    errors = np.minimum(np.nan_to_num(errors, nan=NOT_FINITE), NOT_FINITE)
    return Profile(axis, tuple(float(f"{error:.4g}") for error in errors))


def _largest_errors(ours: Array, reference: Array, time_axis: int) -> NDArray[np.float64]:
    """Return the largest absolute error at each step [steps], NaN if any error is."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinity minus infinity is one of the faults to find
        error = np.moveaxis(np.subtract(ours, reference, dtype=np.float64), time_axis, -1)
    others = tuple(range(error.ndim - 1))
    return np.asarray(np.maximum(error.max(others, initial=0.0), -error.min(others, initial=0.0)))


def _in_cells(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(errors) <= MAX_CELLS:
        return errors
    return np.asarray(np.maximum.reduceat(errors, np.arange(MAX_CELLS) * len(errors) // MAX_CELLS))


def _rms(reference: Array) -> float:
    with np.errstate(over="ignore"):  # a float64 array may hold what float32 cannot
        square = mean_square(reference)
    return math.sqrt(square if math.isfinite(square) else mean_square(reference[is_finite(reference)]))


def not_finite(array: Array, time_axis: int, axis: str) -> NotFinite | None:
    """Locate the values of an array [batch, ...] that are not finite; None if everything is finite."""
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


_CHANNELS: Mapping[str, Callable[[int], slice]] = MappingProxyType(
    {
        "harmonics": lambda channels: slice(channels // 2, channels),
        "phase": lambda channels: slice(channels),
    }
)
"""The channels that are phases, in radians, of the outputs that have any."""
PHASE_OUTPUTS = tuple(_CHANNELS)
PI = float(np.float32(np.pi))
TURN = 2 * PI
"""A full turn of float32's pi, so that a phase of pi and one of -pi are equal."""


def on_circle(output: str, ours: NDArray[Any], reference: NDArray[Any]) -> NDArray[Any]:
    """Return ours [..., channels, time] with each phase turned to the value nearest to the reference's, in float64.

    An output without phases, or with a shape different from the reference's, is returned unchanged.
    """
    if output not in _CHANNELS or ours.shape != reference.shape:
        return ours
    phases = _CHANNELS[output](ours.shape[-2])
    turned = ours.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # infinity has no phase and becomes NaN
        apart = turned[..., phases, :] - reference[..., phases, :]
        turned[..., phases, :] -= TURN * np.round(apart / TURN)
    return turned


def sign_flips(output: str, ours: NDArray[Any], reference: NDArray[Any]) -> int | None:
    """Count the phases that are exactly pi in the reference and -pi in ours; None for an output without phases.

    The two are one place on the circle, but the decoder reads the number. The reference is exactly pi only where the
    imaginary part is zero by construction, and there the sign of that zero is agreed: it is positive.
    """
    if output not in _CHANNELS or ours.shape != reference.shape:
        return None
    phases = _CHANNELS[output](ours.shape[-2])
    known = reference[..., phases, :] == np.float32(np.pi)
    return int(np.count_nonzero(known & (ours[..., phases, :] < 0)))
