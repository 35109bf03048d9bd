"""Finds the sentences of a written text."""

from __future__ import annotations

import re
from itertools import pairwise

from engine.text.abbreviated_words import (
    BEFORE_NUMBERS,
    FIRM,
    MONTH_NUMBERS,
    NAMES,
    SENTENCE_STARTERS,
    TITLES,
    WEEKDAYS,
    WORDS,
)

_BORDER = re.compile(
    r"""(?P<mark>[.!?…]+)(?P<closing>["”'’»)\]]*)(?:\[/[a-z]+\])*\s+|[。！？]+["”'’」』）]*\s*|\n\s*\n\s*""",
)
"""The end of a sentence, with tags that close and the white space after it."""
_WORD_BEFORE = re.compile(r"(?<![^\W_])(?:[A-Za-z]+|e\.g|i\.e)\Z")
_STARTER = re.compile(rf"[\"'“‘(]*(?:{SENTENCE_STARTERS})\b(?!\.)")
_MAX_WORD_CHARACTERS = 12
_BEFORE_NAMES = frozenset((*TITLES, *NAMES, "St", "e.g", "i.e"))
"""Abbreviations whose dot ends no sentence."""
_NUMBERED = frozenset((*BEFORE_NUMBERS, *MONTH_NUMBERS, *WEEKDAYS))
"""Abbreviations whose dot ends no sentence before a number."""
_INSIDE = frozenset(WORDS) - FIRM
"""Abbreviations whose dot ends a sentence only before a word that begins one; initials are like them."""


def sentence_starts(text: str) -> list[int]:
    """Return the offsets at which sentences start, in order, the first one being 0."""
    borders = (match.end() for match in _BORDER.finditer(text) if _ends_sentence(match))
    return [0, *(border for border in borders if border < len(text))]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence, without the white space after it."""
    borders = pairwise([*sentence_starts(text), len(text)])
    return [(start, start + len(text[start:end].rstrip())) for start, end in borders]


def sentence_at(text: str, character: int) -> int:
    """Return the start of the sentence that contains a character.

    Only the surrounding paragraph is analyzed, so the time does not depend on the length of the text.
    """
    first = text.rfind("\n\n", 0, character) + 1
    last = text.find("\n\n", character)
    here = text[first : last if last >= 0 else len(text)]
    starts = (first + start for start in sentence_starts(here))
    start = max((each for each in starts if each <= max(first, character)), default=first)
    return start + len(text[start:character]) - len(text[start:character].lstrip())


def sentence_text(text: str, place: int, max_characters: int) -> str:
    """Return the sentence at a place, or the first one after it, or the last; empty if the text is blank."""
    found = [(start, end) for start, end in sentence_spans(text) if text[start:end].strip()]
    start, end = next((span for span in found if span[1] > place), found[-1] if found else (0, 0))
    return text[start:end].strip()[:max_characters]


def _ends_sentence(match: re.Match[str]) -> bool:
    mark, text = match["mark"], match.string
    if mark is None or "\n\n" in match[0]:
        return True
    goes_on = text[match.end() : match.end() + 1].islower() and (match["closing"] or set(mark) <= {".", "…"})
    return not goes_on and not (mark == "." and not match["closing"] and _abbreviates(match))


def _abbreviates(dot: re.Match[str]) -> bool:
    """Return whether a dot only ends an abbreviation, judged from the words beside it."""
    text, end = dot.string, dot.end()
    found = _WORD_BEFORE.search(text, max(0, dot.start() - _MAX_WORD_CHARACTERS), dot.start())
    if found is None:
        return False
    word = found[0]
    if word in _BEFORE_NAMES or (word in _NUMBERED and text[end : end + 1].isdigit()):
        return True
    return (word in _INSIDE or (len(word) == 1 and word.isupper())) and _STARTER.match(text, end) is None
