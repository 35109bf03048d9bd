"""Formats durations for users."""

from __future__ import annotations

FEW_SECONDS = 10
MINUTE, HOUR = 60, 3600
NEARLY = 0.9
"""The fraction of a minute or an hour from which a duration is rounded up to the whole."""


def format_approximate_duration(seconds: float) -> str:
    """Format an estimated duration, such as “about 2 minutes”."""
    if seconds < FEW_SECONDS:
        return "a few seconds"
    if seconds < NEARLY * MINUTE:
        return f"about {round(seconds / FEW_SECONDS) * FEW_SECONDS} seconds"
    if seconds < NEARLY * HOUR:
        return _about(seconds / MINUTE, "minute")
    return _about(seconds / HOUR, "hour")


def _about(count: float, unit: str) -> str:
    whole = max(1, round(count))
    return f"about {whole} {unit}" if whole == 1 else f"about {whole} {unit}s"
