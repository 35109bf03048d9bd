"""How long it takes to hear so many characters."""

from __future__ import annotations

CHARACTERS_PER_MINUTE = 900
"""At normal speed."""
MINUTES_PER_HOUR = 60


def reading_time(characters: float, speed: float) -> str:
    """A duration in hours and minutes, at a speed of 1.0 for normal."""
    whole = max(1, round(characters / CHARACTERS_PER_MINUTE / speed))
    hours, rest = divmod(whole, MINUTES_PER_HOUR)
    return f"{hours} h {rest} min" if hours else f"{rest} min"
