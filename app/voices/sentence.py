"""The sentence of a text in which a place is."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*[\"”’)»]*")
LONGEST_CHARACTERS = 300


def sentence_at(text: str, place: int) -> str:
    """The sentence at a place, or the first one after it, or the last; empty if the text is blank."""
    found = [match for match in _SENTENCE.finditer(text) if match.group().strip()]
    here = next((match for match in found if match.end() > place), found[-1] if found else None)
    return here.group().strip()[:LONGEST_CHARACTERS] if here is not None else ""
