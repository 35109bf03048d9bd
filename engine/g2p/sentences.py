"""Finding sentences and paragraphs in normalised text: single spaces, with a line break between paragraphs.

Abbreviations have been written out before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.g2p.split import Border

SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]+["”'’)\]]*(?= .)""")
FIRM_END = re.compile(r"""[!?]["”'’)\]]*$""")
"""Ends a sentence even before a small letter."""
LONGEST_CHARACTERS = 600
"""Text without a sentence's end is analysed in stretches of about this length."""


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of the text; `border` is what follows."""

    start: int
    end: int
    border: Border


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences in order; only white space is between them."""
    start = 0
    for paragraph in text.split("\n"):
        end = start + len(paragraph)
        yield from _in_paragraph(text, start, end)
        start = end + 1


def _in_paragraph(text: str, start: int, end: int) -> Iterator[Sentence]:
    for match in SENTENCE_END.finditer(text, start, end):
        small = text[match.end() + 1 : match.end() + 2].islower()
        if match.end() < end and not (small and FIRM_END.search(match[0]) is None):
            yield from _stretches(text, start, match.end(), Border.SENTENCE)
            start = match.end()
    yield from _stretches(text, start, end, Border.PARAGRAPH)


def _stretches(text: str, start: int, end: int, border: Border) -> Iterator[Sentence]:
    """One sentence, in several stretches if it is very long; borders between these are those of words."""
    while end - start > LONGEST_CHARACTERS:
        cut = text.rfind(" ", start + 1, start + LONGEST_CHARACTERS)
        cut = cut if cut > start else start + LONGEST_CHARACTERS
        yield from _trimmed(text, start, cut, Border.WORD)
        start = cut
    yield from _trimmed(text, start, end, border)


def _trimmed(text: str, start: int, end: int, border: Border) -> Iterator[Sentence]:
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    if start < end:
        yield Sentence(start, end, border)
