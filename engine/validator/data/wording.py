"""The titles of readings and the format of measured values, in every report and in the application."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from engine.validator.data.results import (
    ALL_FINITE_PERCENT,
    AudioMetrics,
    DurationMetrics,
    InputSource,
    Metrics,
    NotFinite,
    Row,
)

READING_TITLES = {
    InputSource.ISOLATED: "isolated",
    InputSource.END_TO_END: "end to end",
    InputSource.END_TO_END_REFERENCE_DURATIONS: "end to end, reference durations",
}
BY_PHONEME = "by phoneme"
BY_PHONEME_MARK = "*"
"""The marks of values compared after moving ours to the reference's frames, because the durations differ."""

NOTHING = "–"
"""Stands for a value that could not be measured."""
EXACT = "exact"
"""Stands for the correlation of equal arrays: rounding can give 1 for others, and less than 1 for equal ones."""
NOT_USED = "not used"
"""Stands for the device, and its LSTM method, if nothing compiled was run."""
BELOW_ONE = math.nextafter(1.0, 0.0)
NEAR_ONE = 1e-3
"""A correlation closer to 1 than this is written as its distance from 1."""
PLAIN_FROM, PLAIN_BELOW = 1e-3, 999.5
"""The sizes of numbers written without an exponent, which three digits do not round to a thousand."""
MILLISECONDS_PER_SECOND = 1000
WHOLE_FROM_MS = 100.0


def correlation(value: float | None) -> str:
    """Format a correlation such as `0.9312`, or near 1 its distance, such as `1 - 1.2e-9`.

    It is rounded down, so that a value that misses a tolerance is never written like the tolerance, and only 1 is
    written as 1.
    """
    if value is None:
        return NOTHING
    missing = 1 - value
    if missing >= NEAR_ONE:
        return str(Decimal(f"{value:z.6f}").quantize(Decimal("0.0001"), ROUND_FLOOR))
    up = Context(prec=2, rounding=ROUND_CEILING)
    return f"1 - {_scientific(float(up.create_decimal(f'{missing:.6g}')))}" if missing > 0 else "1"


def readings_of(rows: Iterable[Row]) -> tuple[InputSource, ...]:
    """Return the readings of these rows, in the order of `READING_TITLES`."""
    found = {row.reading for row in rows}
    return tuple(reading for reading in READING_TITLES if reading in found)


def agreement(metrics: Metrics | None) -> str:
    """Format the correlation of two arrays, `EXACT` only for equal ones; or the share of finite values."""
    if metrics is None:
        return NOTHING
    if metrics.finite_percent < ALL_FINITE_PERCENT:
        return f"{metrics.finite_percent:.3g} % finite"
    if metrics.pearson is None:
        return NOTHING
    return EXACT if metrics.sqnr_db is None else correlation(min(metrics.pearson, BELOW_ONE))


def row_correlation(row: Row, token_count: int = 0) -> str:
    """Format a row's correlation, marked if it is by phoneme; for durations, the number of tokens that differ."""
    if row.durations is not None:
        return durations(row.durations, token_count)
    if row.by_phoneme is not None:
        return f"{agreement(row.by_phoneme)}{BY_PHONEME_MARK}"
    return agreement(row.metrics)


def durations(metrics: DurationMetrics, token_count: int = 0) -> str:
    """Describe the difference of two alignments; `token_count` is their number of tokens, if known."""
    if not metrics.differing_tokens:
        return "equal"
    of = f" of {token_count}" if token_count else ""
    ties = " (ties)" if metrics.ties == metrics.differing_tokens else ""
    return f"{metrics.differing_tokens}{of} differ{ties}"


def noise_ratio(metrics: Metrics | None) -> str:
    """Format the signal's level above the error; infinite without an error."""
    if metrics is None or metrics.pearson is None:
        return NOTHING
    return "∞ dB" if metrics.sqnr_db is None else f"{metrics.sqnr_db:.1f} dB"


def not_finite(found: NotFinite) -> str:
    """Format the number of values that are not finite, and the place of the first."""
    counts = [(found.nan, "NaN"), (found.infinite, "infinite")]
    said = " and ".join(f"{count} {what}" for count, what in counts if count)
    return f"{said}, the first at [{', '.join(map(str, found.first))}], {found.axis} {found.at} of {found.extent}"


def magnitude(value: float | None) -> str:
    """Format a number to three digits, or, if it is small or large, to two, such as `1.2e-9`."""
    if value is None:
        return NOTHING
    if value == 0 or PLAIN_FROM <= abs(value) < PLAIN_BELOW or not math.isfinite(value):
        return f"{value:.3g}"
    return _scientific(value)


def times(value: float | None) -> str:
    """Format the ratio of two errors."""
    return NOTHING if value is None else f"{magnitude(value)} ×"


def percent(value: float) -> str:
    """Format a share in percent."""
    return f"{value:.4g} %"


def level(decibels: float) -> str:
    """Format a difference in level."""
    return f"{decibels:+.2f} dB"


def milliseconds(seconds: float | None) -> str:
    """Format a time in milliseconds: whole ones from 100, otherwise three digits."""
    if seconds is None:
        return NOTHING
    value = seconds * MILLISECONDS_PER_SECOND
    return f"{value:,.0f}" if value >= WHOLE_FROM_MS else f"{value:.3g}"


def best_lag(metrics: AudioMetrics) -> str:
    """Format the correlation of two waveforms at the lag where it is highest."""
    late = f"{metrics.lag_samples:+d} samples" if metrics.lag_samples else "no lag"
    return f"{correlation(metrics.best_lag_correlation)} at {late}"


def audio(metrics: AudioMetrics) -> str:
    """Describe the difference of two waveforms as audio, in one line."""
    return (
        f"correlation {best_lag(metrics)}, log-mel L1 {magnitude(metrics.log_mel_l1)}, "
        f"STFT distance {magnitude(metrics.multi_resolution_stft)}, level {level(metrics.level_difference_db)}"
    )


def counted(count: int, thing: str, things: str = "") -> str:
    """Format a number of things, such as `2 utterances`; `things` is the plural unless it only adds an s."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {things or f'{thing}s'}"


def _scientific(value: float) -> str:
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
