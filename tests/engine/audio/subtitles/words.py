"""Words of a given duration, for tests."""

from __future__ import annotations

import re

from engine.audio.subtitles.timed_words import TimedWord, timed_words
from engine.speech import SpokenWord
from engine.text.g2p.directions import DIRECTION, hide_preset_tags

RATE_HZ = 1000


def spoken(text: str, seconds: float = 0.4, gap_seconds: float = 0.0) -> list[SpokenWord]:
    """Return a word for each run of word characters outside directions."""
    words = []
    at = 0
    blanked = DIRECTION.sub(lambda match: " " * len(match[0]), hide_preset_tags(text, " "))
    for match in re.finditer(r"[\w']+", blanked):
        end = at + round(seconds * RATE_HZ)
        words.append(SpokenWord(*match.span(), at, end))
        at = end + round(gap_seconds * RATE_HZ)
    return words


def timed(text: str, seconds: float = 0.4, gap_seconds: float = 0.0) -> list[TimedWord]:
    return timed_words(text, spoken(text, seconds, gap_seconds), RATE_HZ)
