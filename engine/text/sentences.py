"""Finds the sentences of a written text."""

from __future__ import annotations

import re
from itertools import pairwise

_BORDER = re.compile(
    r"""(?P<mark>[.!?…]+)(?P<closing>["”'’»)\]]*)(?:\[/[a-z]+\])*\s+|[。！？]+["”'’」』）]*\s*|\n\s*\n\s*""",
)
"""The end of a sentence, with tags that close and the white space after it."""
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Rev|Hon|Gen|Col|Maj|Capt|Lt|Sgt|Sen|Rep|Gov|St|Mt|vs|cf|e\.g|i\.e|[A-Z])$")
"""Abbreviations and initials whose dot ends no sentence."""
_TITLE_CHARACTERS = 8


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
    before = text[max(0, match.start() - _TITLE_CHARACTERS) : match.start()]
    goes_on = text[match.end() : match.end() + 1].islower() and (match["closing"] or set(mark) <= {".", "…"})
    return not goes_on and not (mark == "." and _TITLE.search(before))
