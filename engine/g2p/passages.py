"""Cuts long texts between paragraphs, so that the beginning can be spoken before the end has been looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator

PASSAGE_CHARACTERS = 20_000
"""Normalising so many takes about 0.05 s."""
FIRST_CHARACTERS = 2_500
"""The first passage is shorter, as somebody waits for it."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def passages(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text, each with its start; they end at the first blank line after so many characters.

    A part has no space around it, as a paragraph has none.
    """
    start, fewest = 0, FIRST_CHARACTERS
    while start < len(text):
        border = _BLANK_LINE.search(text, start + fewest)
        fewest = PASSAGE_CHARACTERS
        end = border.end() if border is not None else len(text)
        if passage := text[start:end].strip():
            yield text.index(passage, start), passage
        start = end
