"""The titles of readings, and the format of measured values, in every report and in the application."""

from __future__ import annotations

import math

from engine.validator.results import AudioMetrics, DurationMetrics, Reading, Row

READING_TITLES = {Reading.REFERENCE_FED: "fed by the reference", Reading.OWN_FED: "fed by itself"}

NOTHING = "–"
"""Stands for a value that could not be measured."""
CORRELATION_DECIMALS = 8
NOT_USED = "not used"
"""Stands for the device, and its LSTM method, when nothing compiled was run."""
BELOW_ONE = math.nextafter(1.0, 0.0)
"""Rounding can give a correlation of 1 for arrays that are not equal, and of less than 1 for arrays that are."""
MILLISECONDS_PER_SECOND = 1000


def correlation(value: float | None) -> str:
    """A correlation, rounded down, so that only 1 is written as 1."""
    if value is None:
        return NOTHING
    if value == 1:
        return "1"
    steps = 10**CORRELATION_DECIMALS
    return f"{math.floor(value * steps) / steps:.{CORRELATION_DECIMALS}f}"


def row_correlation(row: Row) -> str:
    """A row's correlation, 1 only for equal arrays; for durations, how many tokens differ."""
    if row.durations is not None:
        return durations(row.durations)
    if row.metrics is None or row.metrics.pearson is None:
        return NOTHING
    return "1" if row.metrics.sqnr_db is None else correlation(min(row.metrics.pearson, BELOW_ONE))


def durations(metrics: DurationMetrics) -> str:
    """How two alignments differ."""
    if not metrics.differing_tokens:
        return "equal"
    ties = " (ties)" if metrics.ties == metrics.differing_tokens else ""
    return f"{metrics.differing_tokens} differ{ties}"


def row_noise_ratio(row: Row) -> str:
    """A row's signal to noise ratio in dB; `equal` when there is no noise."""
    if row.metrics is None or row.metrics.pearson is None:
        return NOTHING
    return "equal" if row.metrics.sqnr_db is None else f"{row.metrics.sqnr_db:.1f}"


def magnitude(value: float | None) -> str:
    """A small or large number to two digits."""
    if value is None:
        return NOTHING
    return "0" if value == 0 else f"{value:.1e}"


def milliseconds(seconds: float | None) -> str:
    """A time in milliseconds."""
    return NOTHING if seconds is None else f"{seconds * MILLISECONDS_PER_SECOND:.1f}"


def audio(metrics: AudioMetrics) -> str:
    """How two waveforms differ as sound, in one line."""
    late = f"{metrics.lag_samples:+d} samples" if metrics.lag_samples else "no lag"
    return (
        f"correlation {correlation(metrics.best_lag_correlation)} at {late}, log-mel L1 {metrics.log_mel_l1:.2g}, "
        f"STFT distance {metrics.multi_resolution_stft:.2g}, level {metrics.level_difference_db:+.2f} dB"
    )


def counted(count: int, thing: str, things: str = "") -> str:
    """A number of things, such as `2 utterances`; `things` is a plural that does not just end in s."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {things or f'{thing}s'}"
