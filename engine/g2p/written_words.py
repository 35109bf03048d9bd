"""The words of an utterance as they are written, each with the phonemes that are spoken for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.g2p.pieces import PUNCTUATION
from engine.g2p.spans import Written
from engine.g2p.split import Piece
from engine.speech import Source, WrittenWord


def written_words(pieces: Sequence[Piece]) -> tuple[WrittenWord, ...]:
    """The words of an utterance made of these pieces, in order; what has no sound belongs to none.

    Phonemes whose written forms overlap make one word, and so do the parts of “don't”, which meet without a space. A
    number cut in two by a limit is in each utterance only with its part of the text.
    """
    words: list[WrittenWord] = []
    for place, span in _sounding(pieces):
        start, end = max(span.start, pieces[0].start), min(span.end, pieces[-1].end)
        if words and (start < words[-1].end or (start == words[-1].end and place == words[-1].end_phoneme)):
            last = words[-1]
            source = min(last.source, span.source, key=_rank)
            words[-1] = replace(last, end=max(end, last.end), end_phoneme=place + 1, source=source)
        elif start < end:
            words.append(WrittenWord(start, end, place, place + 1, span.source))
    return tuple(words)


def deciding(source: Source, written: Written) -> str:
    """What decided how a word is spoken that came from `source`: that, or the rule that wrote it anew."""
    return min(source, written.source or source, key=_rank)


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
