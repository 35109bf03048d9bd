"""Divides written text into passages, normalized text into sentences, and spoken text into utterances.

With passages, the beginning can be spoken before the rest is analyzed, and the analysis can be canceled. Normalized
text has single spaces, and a line break between paragraphs; its abbreviations are already expanded. Utterances are
short at first for a quick start, then several whole sentences; no more pieces are consumed than the next utterance
needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType

from engine.text.g2p.draft import WrittenForm

SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]+["”'’)\]]*(?= .)""")
FIRM_END = re.compile(r"""[!?]["”'’)\]]*$""")
"""Ends a sentence even before a lowercase letter."""
MAX_CHARACTERS = 600
"""The approximate length of stretches in which text without a sentence end is analyzed."""
PASSAGE_CHARACTERS = 20_000
"""The length of a passage; normalizing this many characters takes about 0.05 s."""
FIRST_CHARACTERS = 2_500
"""The length of the first passage, shorter because the user waits for it."""
MAX_TIMES = 10
"""The longest passage without a blank line, as a multiple of the usual length."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_END = r"(?:(?<=[^\W\d_]{4})[.!?…][\"”’)]*|[。！？])"
_OTHER_BORDERS = tuple(re.compile(border) for border in (rf"{_SENTENCE_END}\n", rf"{_SENTENCE_END}\s", r"\n", r"\s"))
"""Borders from best to worst: inside a sentence, or after an abbreviation, only as a last resort."""


class Border(IntEnum):
    """The border between a piece and the next one, the strongest last."""

    WORD = 0
    PHRASE = 1
    CONJUNCTION = 2
    CLAUSE = 3
    SENTENCE = 4
    PARAGRAPH = 5


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of the text; `border` is the one after them."""

    start: int
    end: int
    border: Border


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences in order; only white space is between them."""
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
    """Yield one sentence, in several stretches with word borders if it is very long."""
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
    """Yield the parts of a text, each with its start; they end at the first blank line after a minimum length, if any.

    A part has no white space around it, like a paragraph.
    """
    start, fewest = 0, FIRST_CHARACTERS
    while start < len(text):
        end = _passage_end(text, start, fewest)
        fewest = PASSAGE_CHARACTERS
        if passage := text[start:end].strip():
            yield text.index(passage, start), passage
        start = end


def _passage_end(text: str, start: int, fewest: int) -> int:
    """Return the end of the passage that begins at `start`, which is the start of the next one."""
    latest = start + MAX_TIMES * fewest
    borders = (_BLANK_LINE, *_OTHER_BORDERS) if latest < len(text) else (_BLANK_LINE,)
    found = (border.search(text, start + fewest, latest) for border in borders)
    return next((border.end() for border in found if border is not None), min(latest, len(text)))


FIRST_PHONEMES = 50
"""The target for the first utterance: three seconds of speech, which can soon be generated and played."""
GROWTH = 1.7
"""The growth from one utterance to the next that leaves no gap at a real-time factor of 0.6."""
COVERED = 3.0
"""A sentence is divided at a conjunction if it would exceed the previous utterance by this factor.

The factor leaves no gap at a real-time factor of 0.3.
"""
MAX_PHONEMES = 200
"""The most phonemes in an utterance, and the target after the start: twelve to twenty seconds of speech.

The arrays of the decoder then take at most 250 MB; from about 250 phonemes the voice begins to rush.
"""
FEWEST_PHONEMES = 20
"""The fewest phonemes of an utterance that is not a whole paragraph.

Kokoro was trained on few shorter texts, and its speech sounds clipped for them.
"""
SLACK = 1.25
"""The factor by which a sentence may exceed the target and still be spoken in one go."""
TORN_PHONEMES = 90
"""The minimum range of the search for a clause inside a sentence: a split phrase is audible."""
MIN_SHARE = 0.25
"""The earliest border to use inside a sentence, as a share of the target."""
MAX_SHARE = 1.6
"""The end of the search for a border inside a sentence, as a multiple of the target."""


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
class PhonemePiece:
    """Phonemes that belong together, for characters `start` to `end`; `space`: one follows; `border` to the next.

    `written` [phonemes] is the written form of each phoneme.
    """

    phonemes: str
    start: int
    end: int
    space: bool
    border: Border
    written: tuple[WrittenForm, ...] = ()


def joined(pieces: Sequence[PhonemePiece]) -> str:
    """Join the phonemes of the pieces with the spaces between them."""
    return "".join(piece.phonemes + " " * piece.space for piece in pieces).rstrip()


def max_phonemes(model_limit: int, speed: float) -> int:
    """Return the most phonemes of an utterance for a model that takes `model_limit`: fewer at lower speeds."""
    return min(model_limit, int(MAX_PHONEMES * min(1.0, speed)))


def groups(
    pieces: Iterable[PhonemePiece], limit: int, fixed: Mapping[int, str] = MappingProxyType({})
) -> Iterator[Sequence[PhonemePiece]]:
    """Yield the pieces in groups of at most `limit` phonemes, one per utterance, in order and complete.

    The end of a group is found from up to `limit` phonemes after its start, and one more piece. `fixed` are the
    phonemes of groups by their start: where these pieces come, they are a group, wherever the text begins.
    """
    coming = (part for piece in pieces for part in _parts(piece, limit))
    held: list[PhonemePiece] = []
    target, before = float(FIRST_PHONEMES), 0
    while True:
        window = _Window(held, coming, limit)
        if window.empty:
            return
        count = _end(window, min(limit, target), max(SLACK * FIRST_PHONEMES, COVERED * before))
        count = _fixed_end(held, fixed) or min(count, _fixed_start(held[:count], fixed))
        group, held = held[:count], held[count:]
        yield group
        before = sum(len(piece.phonemes) + piece.space for piece in group)
        target = min(MAX_PHONEMES, max(target, GROWTH * before))


def _fixed_end(held: Sequence[PhonemePiece], fixed: Mapping[int, str]) -> int:
    """Return the number of pieces in the fixed group that begins with the first one; 0 if there is none."""
    phonemes = fixed.get(held[0].start, "")
    ends = range(1, len(held) + 1) if phonemes else ()
    return next((end for end in ends if joined(held[:end]) == phonemes), 0)


def _fixed_start(group: Sequence[PhonemePiece], fixed: Mapping[int, str]) -> int:
    """Return the number of pieces before a fixed group that begins inside this one; all if there is none."""
    return next((index for index, piece in enumerate(group) if index and piece.start in fixed), len(group))


def _parts(piece: PhonemePiece, limit: int) -> Iterator[PhonemePiece]:
    """Yield a piece, in parts that share its span evenly if it is longer than the limit."""
    count = max(1, -(-len(piece.phonemes) // limit))
    length = piece.end - piece.start
    for index in range(count):
        last = index == count - 1
        yield PhonemePiece(
            piece.phonemes[index * limit : (index + 1) * limit],
            piece.start + length * index // count,
            piece.start + length * (index + 1) // count,
            piece.space and last,
            piece.border if last else Border.WORD,
            piece.written[index * limit : (index + 1) * limit],
        )


class _Window:
    """The pieces that may be part of the next utterance: `held`, extended from `coming` as needed."""

    def __init__(self, held: list[PhonemePiece], coming: Iterator[PhonemePiece], limit: int) -> None:
        self._borders: list[tuple[int, int, Border]] = []
        """For each possible end: the number of pieces before it, the length of the utterance, and the border there."""
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
        """True if nothing is left."""
        return not self._borders

    @property
    def first(self) -> int:
        """The first possible end."""
        return self._borders[0][0]

    def furthest(self, border: Border, shortest: float, longest: float) -> int | None:
        """Return the last end at such a border or a stronger one, for an utterance of these lengths."""
        return next(reversed(self._ends(border, shortest, longest)), None)

    def nearest(self, border: Border, shortest: float, longest: float) -> int | None:
        """Return the first end at such a border or a stronger one, for an utterance of these lengths."""
        return next(iter(self._ends(border, shortest, longest)), None)

    def _ends(self, border: Border, shortest: float, longest: float) -> list[int]:
        return [end for end, length, at in self._borders if at >= border and shortest <= length <= longest]

    def _leave_no_scrap(self) -> None:
        """Drop the ends after which too little would be left of a paragraph that could be spoken whole."""
        whole = self._borders[-1][1] if self._borders else 0
        self._borders = [at for at in self._borders if at[1] == whole or whole - at[1] > FEWEST_PHONEMES]


def _growing(held: list[PhonemePiece], coming: Iterator[PhonemePiece]) -> Iterator[PhonemePiece]:
    """Yield the held pieces, then those coming, which are added to the held ones."""
    yield from held
    for piece in coming:
        held.append(piece)
        yield piece


def _end(window: _Window, target: float, covered: float) -> int:
    """Return the end of the next utterance: the best border near the target, never beyond the limit.

    The previous utterance plays until one of `covered` phonemes is generated.
    """
    shortest, torn = max(FEWEST_PHONEMES, target * MIN_SHARE), max(TORN_PHONEMES, target)
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
