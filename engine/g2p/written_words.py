"""The words of an utterance as they are written, each with the phonemes that are spoken for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.g2p.pieces import PUNCTUATION
from engine.g2p.spans import Written
from engine.g2p.split import Piece
from engine.speech import Source, WrittenWord


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
