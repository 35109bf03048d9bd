"""Spoken words of one sentence to pieces: each word with its punctuation and the border that follows it.

The words of an utterance are told as they are written, too, each with the phonemes that are spoken for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from engine.speech import Source, WrittenWord
from engine.text.g2p.draft import Written
from engine.text.g2p.split import Border, Piece

PUNCTUATION = frozenset(';:,.!?—…"()“” ')
"""Symbols that shape the melody but have no sound of their own."""
CLOSING = "\"”’')"
CLAUSE_ENDS = frozenset(";:,.!?—…)")
BREAKABLE_AFTER = frozenset("—…")
"""An utterance may end after these even if no space follows."""
_STARTERS = (
    "after although and as at because before but by during for from if in into nor or since so than that though "
    "through to under unless until when where whereas which while who whose with within without yet"
)
PHRASE_STARTERS = frozenset(_STARTERS.split())
"""Words that begin a phrase: a voice may take a breath before them."""
_CONJUNCTIONS = "although and because but if nor or since so though unless until when where whereas while who whose yet"
CONJUNCTIONS = frozenset(_CONJUNCTIONS.split())
"""Phrase starters of English that mostly begin a clause."""
SCALES = frozenset({"hundred", "thousand", "million", "billion", "trillion"})
"""Words after which a conjunction may be part of a number."""
NOWHERE = Written(0, 0)


@dataclass(frozen=True)
class SpokenWord:
    """Phonemes of the characters `start` to `end`, which read `text`; `space` says whether a space follows.

    `written` is what a reader would point at: more than those characters where they are part of a number. `source` is
    what gave the phonemes.
    """

    text: str
    phonemes: str
    start: int
    end: int
    space: bool
    written: Written = NOWHERE
    source: Source = Source.LEXICON


def has_sound(phonemes: str) -> bool:
    """Whether anything in them is more than punctuation."""
    return any(symbol not in PUNCTUATION for symbol in phonemes)


def pieces_of(
    words: Sequence[SpokenWord], border: Border, phrase_starters: Collection[str] = PHRASE_STARTERS
) -> list[Piece]:
    """The words of one sentence as pieces; `border` is what follows the sentence."""
    runs = list(_runs(words))
    pieces: list[Piece] = []
    for run, following in zip_longest(runs, runs[1:]):
        symbols = _symbols(run)
        phonemes = "".join(symbol for symbol, _ in symbols)
        if phonemes:
            after = _border(phonemes, run[-1], following, phrase_starters)
            written = tuple(span for _, span in symbols)
            pieces.append(Piece(phonemes, run[0].start, run[-1].end, run[-1].space, after, written))
        elif pieces:
            pieces[-1] = replace(pieces[-1], space=True)
    if pieces:
        pieces[-1] = replace(pieces[-1], space=True, border=max(border, pieces[-1].border))
    return pieces


def _symbols(run: Sequence[SpokenWord]) -> list[tuple[str, Written]]:
    """Each phoneme of a run with what is written for it; single spaces, none at the ends."""
    symbols: list[tuple[str, Written]] = []
    for word in run:
        for symbol in word.phonemes + " " * word.space:
            if symbol != " " or (symbols and symbols[-1][0] != " "):
                symbols.append((symbol, word.written))
    return symbols[:-1] if symbols and symbols[-1][0] == " " else symbols


def _runs(words: Sequence[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Words that must not be separated: up to a space that no dash follows, or up to a dash."""
    run: list[SpokenWord] = []
    for word, following in zip_longest(words, words[1:]):
        run.append(word)
        held = following is not None and following.phonemes[:1] == "—"
        if (word.space and not held) or word.phonemes[-1:] in BREAKABLE_AFTER:
            yield run
            run = []
    if run:
        yield run


def _border(
    phonemes: str, last: SpokenWord, following: Sequence[SpokenWord] | None, phrase_starters: Collection[str]
) -> Border:
    if following is not None and following[0].written.start < last.written.end:
        return Border.WORD  # inside “May 5, 2024”
    if phonemes.rstrip(CLOSING)[-1:] in CLAUSE_ENDS or phonemes[-1:] == ")":
        return Border.CLAUSE
    if following is None:
        return Border.WORD
    first = following[0]
    if first.phonemes[:1] in ("(", "—"):
        return Border.CLAUSE
    if first.text.lower() not in phrase_starters:
        return Border.WORD
    return Border.CONJUNCTION if _joins_clauses(last, first) else Border.PHRASE


def _joins_clauses(last: SpokenWord, word: SpokenWord) -> bool:
    """Whether a word may join clauses: a conjunction written apart, unlike those of “$45.67”, “105” and “Q&A”."""
    return word.text.lower() in CONJUNCTIONS and last.end < word.start and last.text.lower() not in SCALES


def written_words(pieces: Sequence[Piece]) -> tuple[WrittenWord, ...]:
    """The words of an utterance made of these pieces, in order; what has no sound belongs to none.

    Phonemes whose written forms overlap make one word, and so do the parts of “don't”, which meet without a space. A
    number cut in two by a limit is in each utterance only with its part of the text.
    """
    words: list[_Word] = []
    for place, span in _sounding(pieces):
        start, end = max(span.start, pieces[0].start), min(span.end, pieces[-1].end)
        if words and (start < words[-1].end or (start == words[-1].end and place == words[-1].end_phoneme)):
            words[-1].grow(end, place, span.source)
        elif start < end:
            words.append(_Word(start, end, place, place + 1, span.source))
    return tuple(WrittenWord(each.start, each.end, each.place, each.end_phoneme, each.source) for each in words)


@dataclass(slots=True)
class _Word:
    """A word that more phonemes may belong to; there are many, so that it is changed in place."""

    start: int
    end: int
    place: int
    end_phoneme: int
    source: str

    def grow(self, end: int, place: int, source: str) -> None:
        """Add the phoneme at `place`."""
        self.end, self.end_phoneme = max(self.end, end), place + 1
        if source != self.source:
            self.source = min(self.source, source, key=_rank)


def deciding(source: Source, written: Written) -> str:
    """What decided how a word is spoken that came from `source`: that, or the rule that wrote it anew."""
    return min(source, written.source, key=_rank) if written.source else source


def _rank(source: str) -> int:
    """The place of a source among those of one word, of which the first says most."""
    return _SOURCES.index(Source(source.partition(":")[0])) if source else len(_SOURCES)


_SOURCES = (Source.MARKUP, Source.LETTERS, Source.RULE, Source.ESPEAK, Source.LEXICON, Source.SILENT)


def _sounding(pieces: Sequence[Piece]) -> Iterator[tuple[int, Written]]:
    """The place of each phoneme that has a sound, and what is written for it."""
    place = 0
    for piece in pieces:
        for symbol, span in zip(piece.phonemes, piece.written, strict=True):
            if symbol not in PUNCTUATION:
                yield place, span
            place += 1
        place += piece.space
