"""Cuts long texts between paragraphs, so that the beginning can be spoken before the end has been looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator

PASSAGE_CHARACTERS = 20_000
"""Normalising so many takes about 0.05 s."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def passages(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text, each with its start; they end at the first blank line after `PASSAGE_CHARACTERS`.

    A part has no space around it, as a paragraph has none.
    """
    start = 0
    while start < len(text):
        border = _BLANK_LINE.search(text, start + PASSAGE_CHARACTERS)
        end = border.end() if border is not None else len(text)
        if passage := text[start:end].strip():
            yield text.index(passage, start), passage
        start = end
