"""Cuts long texts, so that the beginning can be spoken before the end has been looked at, and looking be stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator

PASSAGE_CHARACTERS = 20_000
"""Normalising so many takes about 0.05 s."""
FIRST_CHARACTERS = 2_500
"""The first passage is shorter, as somebody waits for it."""
MOST_TIMES = 10
"""Where there is no blank line, a passage has at most so many times as many."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_END = r"(?:(?<=[^\W\d_]{4})[.!?…][\"”’)]*|[。！？])"
_OTHER_BORDERS = tuple(re.compile(border) for border in (rf"{_SENTENCE_END}\n", rf"{_SENTENCE_END}\s", r"\n", r"\s"))
"""The best first: not inside a sentence, nor after an abbreviation, if that can be avoided."""


def passages(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text, each with its start; they end at the first blank line after so many characters, if any.

    A part has no space around it, as a paragraph has none.
    """
    start, fewest = 0, FIRST_CHARACTERS
    while start < len(text):
        end = _end(text, start, fewest)
        fewest = PASSAGE_CHARACTERS
        if passage := text[start:end].strip():
            yield text.index(passage, start), passage
        start = end


def _end(text: str, start: int, fewest: int) -> int:
    """The end of the passage that begins at `start`, which is the next one's start."""
    latest = start + MOST_TIMES * fewest
    borders = (_BLANK_LINE, *_OTHER_BORDERS) if latest < len(text) else (_BLANK_LINE,)
    found = (border.search(text, start + fewest, latest) for border in borders)
    return next((border.end() for border in found if border is not None), min(latest, len(text)))
