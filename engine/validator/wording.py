"""The titles of readings, and the format of measured values, in every report and in the application."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.validator.experiments import ProgressEvent
from engine.validator.results import AudioMetrics, DurationMetrics, Metrics, Reading, Row

READING_TITLES = {
    Reading.REFERENCE_FED: "fed by the reference",
    Reading.OWN_FED: "fed by itself",
    Reading.OWN_FED_REFERENCE_DURATIONS: "fed by itself, the reference's durations",
}
BY_PHONEME = "by phoneme"
BY_PHONEME_MARK = "*"
"""Both mark what was compared after ours was moved to the reference's frames, because the durations differ."""

NOTHING = "–"
"""Stands for a value that could not be measured."""
CORRELATION_DECIMALS = 8
NOT_USED = "not used"
"""Stands for the device, and its LSTM method, when nothing compiled was run."""
BELOW_ONE = math.nextafter(1.0, 0.0)
"""Rounding can give a correlation of 1 for arrays that are not equal, and of less than 1 for arrays that are."""
MILLISECONDS_PER_SECOND = 1000
SECONDS_PER_MINUTE = 60


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
    return durations(row.durations) if row.durations is not None else _correlation_of(row.metrics)


def correlation_by_phoneme(row: Row) -> str:
    """The correlation of a row whose durations differ, phoneme by phoneme; empty where there is none."""
    return "" if row.by_phoneme is None else _correlation_of(row.by_phoneme)


def readings_of(rows: Iterable[Row]) -> tuple[Reading, ...]:
    """The readings that these rows have, in the order of `READING_TITLES`."""
    found = {row.reading for row in rows}
    return tuple(reading for reading in READING_TITLES if reading in found)


def _correlation_of(metrics: Metrics | None) -> str:
    if metrics is None or metrics.pearson is None:
        return NOTHING
    return "1" if metrics.sqnr_db is None else correlation(min(metrics.pearson, BELOW_ONE))


def durations(metrics: DurationMetrics) -> str:
    """How two alignments differ."""
    if not metrics.differing_tokens:
        return "equal"
    ties = " (ties)" if metrics.ties == metrics.differing_tokens else ""
    return f"{metrics.differing_tokens} differ{ties}"


def row_noise_ratio(row: Row) -> str:
    """A row's signal to noise ratio in dB; `equal` when there is no noise."""
    return noise_ratio(row.metrics)


def noise_ratio(metrics: Metrics | None) -> str:
    """A signal to noise ratio in dB; `equal` when there is no noise."""
    if metrics is None or metrics.pearson is None:
        return NOTHING
    return "equal" if metrics.sqnr_db is None else f"{metrics.sqnr_db:.1f}"


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


def progress(event: ProgressEvent) -> str:
    """How far an experiment is, and how long it will still take."""
    left = "" if event.seconds_left is None else f", about {remaining(event.seconds_left)} left"
    return f"{event.title}: {event.done} of {event.total}{left}"


def remaining(seconds: float) -> str:
    """A time to wait, no more exact than it is known."""
    if seconds < SECONDS_PER_MINUTE:
        return f"{math.ceil(seconds)} s"
    return counted(math.ceil(seconds / SECONDS_PER_MINUTE), "minute")


def counted(count: int, thing: str) -> str:
    """A number of things, such as `2 utterances`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
