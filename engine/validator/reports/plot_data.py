"""Reduces measured data to the size of a plot: outlines of waveforms, errors on one time axis, digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples
from engine.stages import STAGES
from engine.validator.data.results import InputSource, Profile, Row

Numbers = NDArray[np.float64]

STRIP_CELLS = 512
"""The number of cells of a strip along a whole utterance."""
OUTLINE_COLUMNS = 250
MAX_DIGITS = 14.0
"""The number of digits at which two float32 arrays are practically equal."""


@dataclass(frozen=True)
class WaveformOutline:
    """The smallest and largest sample in each column of a picture; `seconds` [columns] are the columns' starts."""

    seconds: Numbers
    lowest: Numbers
    highest: Numbers


def outline(samples: Samples, sample_rate_hz: int, columns: int = OUTLINE_COLUMNS) -> WaveformOutline:
    """Outline `samples` [n], n > 0, in at most `columns` columns; samples that are not finite are left out."""
    count = min(columns, len(samples))
    starts = np.arange(count) * len(samples) // count
    values = samples.astype(np.float64)
    values[~np.isfinite(values)] = np.nan
    lowest, highest = np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)
    return WaveformOutline(starts / sample_rate_hz, lowest, highest)


def most_different(ours: Samples, reference: Samples, width: int) -> slice:
    """Return a stretch of at most `width` samples around the largest difference, or around the loudest sample.

    The latter for waveforms of different lengths, which have no differences.
    """
    together = min(len(ours), len(reference))
    compared = ours[:together] - reference[:together] if len(ours) == len(reference) else reference[:together]
    center = int(np.argmax(np.nan_to_num(np.abs(compared), nan=np.inf)))
    start = max(0, min(center - width // 2, together - width))
    return slice(start, min(start + width, together))


def digits(row: Row) -> float | None:
    """Return the number of nines in a row's correlation r: -log10(1 - r), 0 to `MAX_DIGITS`; None without r."""
    if row.durations is not None:
        return None if row.durations.differing_tokens else MAX_DIGITS
    if row.metrics is None or row.metrics.pearson is None:
        return None
    return digits_of(row.metrics.pearson)


def digits_of(correlation: float) -> float:
    """Return the number of nines in a correlation r: -log10(1 - r), 0 to `MAX_DIGITS`."""
    missing = min(1.0, 1 - correlation)
    return MAX_DIGITS if missing <= 0 else min(MAX_DIGITS, -math.log10(missing))


def strip(rows: Iterable[Row], frames_per_token: Sequence[int] | None) -> Numbers | None:
    """Return the largest error of any of these rows along time [STRIP_CELLS]; None if no row has a profile.

    Cells along tokens are placed in time by `frames_per_token`, and are all equally long without it.
    """
    placed = [_in_time(row.profile, frames_per_token) for row in rows if row.profile is not None and row.profile.errors]
    return np.max(placed, axis=0) if placed else None


def strips(rows: Sequence[Row], reading: InputSource, frames_per_token: Sequence[int] | None) -> list[Numbers | None]:
    """Return one strip per stage, in order, of one utterance and regime, without probes."""
    chosen = [row for row in rows if row.reading is reading and not row.probe]
    return [strip((row for row in chosen if row.stage == stage.name), frames_per_token) for stage in STAGES]


def _in_time(profile: Profile, frames_per_token: Sequence[int] | None) -> Numbers:
    positions = (np.arange(STRIP_CELLS) + 0.5) / STRIP_CELLS
    if profile.axis == "tokens" and frames_per_token:
        ends = np.cumsum(frames_per_token)
        positions = (np.searchsorted(ends / ends[-1], positions, side="right") + 0.5) / len(ends)
    errors = np.asarray(profile.errors, np.float64)
    return np.asarray(errors[np.minimum((positions * len(errors)).astype(int), len(errors) - 1)])
