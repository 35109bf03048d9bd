"""The colour of each verdict.

It does not know the words that always go with it.
"""

from __future__ import annotations

from app.theme import Colours
from engine.validator.results import Verdict


def verdict_colour(verdict: Verdict, colours: Colours) -> str:
    """A colour that can be read as text on the theme's surface."""
    return {
        Verdict.PASS: colours.good,
        Verdict.INHERITED: colours.warning,
        Verdict.INCOMPARABLE: colours.note,
    }.get(verdict, colours.error)
