"""Where a text is cut: into passages as it is written, sentences when it is normalised, utterances when it is spoken.

By passages, the beginning can be spoken before the end has been looked at, and looking be stopped. Normalised text has
single spaces, and a line break between paragraphs; abbreviations have been written out before. Utterances are short at
first for a quick start, then whole sentences together; no more pieces are taken than the next one needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from engine.text.g2p.draft import Written

SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]+["”'’)\]]*(?= .)""")
FIRM_END = re.compile(r"""[!?]["”'’)\]]*$""")
"""Ends a sentence even before a small letter."""
MAX_CHARACTERS = 600
"""Text without a sentence's end is analysed in stretches of about this length."""
PASSAGE_CHARACTERS = 20_000
"""Normalising so many takes about 0.05 s."""
FIRST_CHARACTERS = 2_500
"""The first passage is shorter, as somebody waits for it."""
MAX_TIMES = 10
"""Where there is no blank line, a passage has at most so many times as many."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_END = r"(?:(?<=[^\W\d_]{4})[.!?…][\"”’)]*|[。！？])"
_OTHER_BORDERS = tuple(re.compile(border) for border in (rf"{_SENTENCE_END}\n", rf"{_SENTENCE_END}\s", r"\n", r"\s"))
"""The best first: not inside a sentence, nor after an abbreviation, if that can be avoided."""


class Border(IntEnum):
    """What separates a piece from the next, the strongest last."""

    WORD = 0
    PHRASE = 1
    CONJUNCTION = 2
    CLAUSE = 3
    SENTENCE = 4
    PARAGRAPH = 5


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
    while end - start > MAX_CHARACTERS:
        cut = text.rfind(" ", start + 1, start + MAX_CHARACTERS)
        cut = cut if cut > start else start + MAX_CHARACTERS
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
        end = _passage_end(text, start, fewest)
        fewest = PASSAGE_CHARACTERS
        if passage := text[start:end].strip():
            yield text.index(passage, start), passage
        start = end


def _passage_end(text: str, start: int, fewest: int) -> int:
    """The end of the passage that begins at `start`, which is the next one's start."""
    latest = start + MAX_TIMES * fewest
    borders = (_BLANK_LINE, *_OTHER_BORDERS) if latest < len(text) else (_BLANK_LINE,)
    found = (border.search(text, start + fewest, latest) for border in borders)
    return next((border.end() for border in found if border is not None), min(latest, len(text)))


FIRST_PHONEMES = 50
"""Target for the first utterance: three seconds of speech, so that it is made and heard soon."""
GROWTH = 1.7
"""The next utterance may be this much longer than the one before without a gap at a real-time factor of 0.6."""
COVERED = 3.0
"""A sentence is cut at a conjunction rather than become an utterance that is longer than the one before by this factor,
which leaves no gap at a real-time factor of 0.3."""
MAX_PHONEMES = 200
"""Most in an utterance, and the target after the start: twelve to twenty seconds of speech, for which the arrays of the
decoder take 250 MB at most; from about 250 phonemes the voice begins to rush."""
FEWEST_PHONEMES = 20
"""Kokoro was trained on little shorter text, and sounds clipped there: less is on its own only as a paragraph."""
SLACK = 1.25
"""A sentence this much longer than the target is still spoken in one go."""
TORN_PHONEMES = 90
"""Inside a sentence, the search for a clause goes on this far, however small the target: a split phrase is audible."""
SHORTEST_SHARE = 0.25
"""A border earlier than this share of the target is not taken inside a sentence."""
MAX_SHARE = 1.6
"""Inside a sentence, the search for a border ends at this multiple of the target."""


PAUSE_SECONDS = {
    Border.WORD: 0.0,
    Border.PHRASE: 0.0,
    Border.CONJUNCTION: 0.0,
    Border.CLAUSE: 0.05,
    Border.SENTENCE: 0.25,
    Border.PARAGRAPH: 0.5,
}
"""Silence after an utterance that ends at each border, in addition to the silence of the voice itself."""


@dataclass(frozen=True)
class Piece:
    """Phonemes that belong together, for characters `start` to `end`; `space`: one follows; `border` to the next.

    `written` [phonemes] is what the text has for each phoneme.
    """

    phonemes: str
    start: int
    end: int
    space: bool
    border: Border
    written: tuple[Written, ...] = ()


def joined(pieces: Sequence[Piece]) -> str:
    """The phonemes of the pieces with the spaces between them."""
    return "".join(piece.phonemes + " " * piece.space for piece in pieces).rstrip()


def longest(model_limit: int, speed: float) -> int:
    """The most phonemes of an utterance for a model that takes `model_limit`: fewer when each of them takes longer."""
    return min(model_limit, int(MAX_PHONEMES * min(1.0, speed)))


def groups(pieces: Iterable[Piece], limit: int) -> Iterator[Sequence[Piece]]:
    """The pieces in groups of at most `limit` phonemes, one per utterance, in order and complete.

    To find the end of a group takes up to `limit` phonemes beyond its start, and one piece more.
    """
    coming = (part for piece in pieces for part in _parts(piece, limit))
    held: list[Piece] = []
    target, before = float(FIRST_PHONEMES), 0
    while True:
        window = _Window(held, coming, limit)
        if window.empty:
            return
        count = _end(window, min(limit, target), max(SLACK * FIRST_PHONEMES, COVERED * before))
        group, held = held[:count], held[count:]
        yield group
        before = sum(len(piece.phonemes) + piece.space for piece in group)
        target = min(MAX_PHONEMES, max(target, GROWTH * before))


def _parts(piece: Piece, limit: int) -> Iterator[Piece]:
    """A piece longer than the limit in parts that share its span evenly; any other as it is."""
    count = max(1, -(-len(piece.phonemes) // limit))
    length = piece.end - piece.start
    for index in range(count):
        last = index == count - 1
        yield Piece(
            piece.phonemes[index * limit : (index + 1) * limit],
            piece.start + length * index // count,
            piece.start + length * (index + 1) // count,
            piece.space and last,
            piece.border if last else Border.WORD,
            piece.written[index * limit : (index + 1) * limit],
        )


class _Window:
    """The pieces that may be part of the next utterance: those of `held`, which grows by those `coming` as needed."""

    def __init__(self, held: list[Piece], coming: Iterator[Piece], limit: int) -> None:
        self._borders: list[tuple[int, int, Border]] = []
        """For each possible end: how many pieces come before it, the utterance's length, and the border there."""
        spoken = 0
        for count, piece in enumerate(_growing(held, coming), 1):
            length = spoken + len(piece.phonemes)
            if length > limit:
                return
            self._borders.append((count, length, piece.border))
            if piece.border is Border.PARAGRAPH:
                break
            spoken = length + piece.space
        self._leave_no_scrap()

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return not self._borders

    @property
    def first(self) -> int:
        """The first possible end."""
        return self._borders[0][0]

    def furthest(self, border: Border, shortest: float, longest: float) -> int | None:
        """The last end at such a border or a stronger one, for an utterance of these lengths."""
        return next(reversed(self._ends(border, shortest, longest)), None)

    def nearest(self, border: Border, shortest: float, longest: float) -> int | None:
        """The first end at such a border or a stronger one, for an utterance of these lengths."""
        return next(iter(self._ends(border, shortest, longest)), None)

    def _ends(self, border: Border, shortest: float, longest: float) -> list[int]:
        return [end for end, length, at in self._borders if at >= border and shortest <= length <= longest]

    def _leave_no_scrap(self) -> None:
        """Drop the ends after which too little would be left of a paragraph that could be spoken whole."""
        whole = self._borders[-1][1] if self._borders else 0
        self._borders = [at for at in self._borders if at[1] == whole or whole - at[1] > FEWEST_PHONEMES]


def _growing(held: list[Piece], coming: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces held, then those coming, which are held from then on."""
    yield from held
    for piece in coming:
        held.append(piece)
        yield piece


def _end(window: _Window, target: float, covered: float) -> int:
    """Where the next utterance ends: the best border near the target, never beyond the limit.

    The utterance before plays until one of `covered` phonemes is made.
    """
    shortest, torn = max(FEWEST_PHONEMES, target * SHORTEST_SHARE), max(TORN_PHONEMES, target)
    end = (
        window.furthest(Border.SENTENCE, FEWEST_PHONEMES, target)
        or window.nearest(Border.SENTENCE, FEWEST_PHONEMES, target * SLACK)
        or window.furthest(Border.CLAUSE, shortest, target)
        or window.nearest(Border.CLAUSE, shortest, min(covered, torn))
        or (window.furthest(Border.CONJUNCTION, shortest, covered) if covered < torn else None)
        or window.nearest(Border.CLAUSE, shortest, torn)
        or window.furthest(Border.PHRASE, shortest, torn)
        or window.nearest(Border.CLAUSE, shortest, torn * MAX_SHARE)
        or window.furthest(Border.WORD, FEWEST_PHONEMES, torn)
        or window.nearest(Border.WORD, FEWEST_PHONEMES, math.inf)
    )
    return end if end is not None else window.first
