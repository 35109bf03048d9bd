"""Cutting long texts: the passages of a text as it is written, and the sentences of a text that is normalised.

By passages, the beginning can be spoken before the end has been looked at, and looking be stopped. Normalised text has
single spaces, and a line break between paragraphs; abbreviations have been written out before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.text.g2p.split import Border

SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]+["”'’)\]]*(?= .)""")
FIRM_END = re.compile(r"""[!?]["”'’)\]]*$""")
"""Ends a sentence even before a small letter."""
LONGEST_CHARACTERS = 600
"""Text without a sentence's end is analysed in stretches of about this length."""
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
