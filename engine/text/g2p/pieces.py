"""Divides the spoken words of a sentence into pieces: each word with its punctuation and the border after it.

It also returns the written words of an utterance, each with its phonemes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from engine.speech import PronunciationSource, WrittenWord
from engine.text.g2p.draft import WrittenForm
from engine.text.g2p.split import Border, PhonemePiece

PUNCTUATION = frozenset(';:,.!?—…"()“” ')
"""Symbols that shape the melody but have no sound themselves."""
CLOSING = "\"”’')"
CLAUSE_ENDS = frozenset(";:,.!?—…)")
BREAKABLE_AFTER = frozenset("—…")
"""Symbols after which an utterance may end even without a space."""
_STARTERS = (
    "after although and as at because before but by during for from if in into nor or since so than that though "
    "through to under unless until when where whereas which while who whose with within without yet"
)
PHRASE_STARTERS = frozenset(_STARTERS.split())
"""Words that begin a phrase: a voice may take a breath before them."""
_CONJUNCTIONS = "although and because but if nor or since so though unless until when where whereas while who whose yet"
CONJUNCTIONS = frozenset(_CONJUNCTIONS.split())
"""English phrase starters that mostly begin a clause."""
SCALES = frozenset({"hundred", "thousand", "million", "billion", "trillion"})
"""Words after which a conjunction may be part of a number."""
NOWHERE = WrittenForm(0, 0)
Ending = Callable[[str], str | None]
"""Appends a regular ending to phonemes; None if the language has no rule for it."""


@dataclass(frozen=True)
class PronouncedWord:
    """The phonemes of the characters `start` to `end`, which read `text`; `space` tells whether a space follows.

    `written` is the whole written form, which is longer than those characters if they are part of a number. `source` is
    the origin of the phonemes.
    """

    text: str
    phonemes: str
    start: int
    end: int
    space: bool
    written: WrittenForm = NOWHERE
    source: PronunciationSource = PronunciationSource.LEXICON


def has_sound(phonemes: str) -> bool:
    """Return whether any of the phonemes is more than punctuation."""
    return any(symbol not in PUNCTUATION for symbol in phonemes)


def pieces_of(
    words: Sequence[PronouncedWord], border: Border, phrase_starters: Collection[str] = PHRASE_STARTERS
) -> list[PhonemePiece]:
    """Return the words of one sentence as pieces; `border` is the one after the sentence."""
    runs = list(_runs(words))
    pieces: list[PhonemePiece] = []
    for run, following in zip_longest(runs, runs[1:]):
        symbols = _symbols(run)
        phonemes = "".join(symbol for symbol, _ in symbols)
        if phonemes:
            after = _border(phonemes, run[-1], following, phrase_starters)
            written = tuple(span for _, span in symbols)
            pieces.append(PhonemePiece(phonemes, run[0].start, run[-1].end, run[-1].space, after, written))
        elif pieces:
            pieces[-1] = replace(pieces[-1], space=True)
    if pieces:
        pieces[-1] = replace(pieces[-1], space=True, border=max(border, pieces[-1].border))
    return pieces


def _symbols(run: Sequence[PronouncedWord]) -> list[tuple[str, WrittenForm]]:
    """Return each phoneme of a run with its written form; spaces are single, with none at the ends."""
    symbols: list[tuple[str, WrittenForm]] = []
    for word in run:
        for symbol in word.phonemes + " " * word.space:
            if symbol != " " or (symbols and symbols[-1][0] != " "):
                symbols.append((symbol, word.written))
    return symbols[:-1] if symbols and symbols[-1][0] == " " else symbols


def _runs(words: Sequence[PronouncedWord]) -> Iterator[list[PronouncedWord]]:
    """Yield words that must not be separated: up to a space without a following dash, or up to a dash."""
    run: list[PronouncedWord] = []
    for word, following in zip_longest(words, words[1:]):
        run.append(word)
        held = following is not None and following.phonemes[:1] == "—"
        if (word.space and not held) or word.phonemes[-1:] in BREAKABLE_AFTER:
            yield run
            run = []
    if run:
        yield run


def _border(
    phonemes: str, last: PronouncedWord, following: Sequence[PronouncedWord] | None, phrase_starters: Collection[str]
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


def _joins_clauses(last: PronouncedWord, word: PronouncedWord) -> bool:
    """Return whether a word may join clauses: a conjunction in the text, unlike those of “$45.67”, “105” and “Q&A”."""
    return word.text.lower() in CONJUNCTIONS and last.end < word.start and last.text.lower() not in SCALES


def written_words(pieces: Sequence[PhonemePiece]) -> tuple[WrittenWord, ...]:
    """Return the words of an utterance made of these pieces, in order; silent symbols belong to none.

    Phonemes whose written forms overlap make one word, and so do the parts of “don't”, which meet without a space. A
    number divided by a limit is in each utterance only with its part of the text.
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
    """A word under construction, mutable because there are many."""

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


def deciding(source: PronunciationSource, written: WrittenForm) -> str:
    """Return the decisive origin of a word's pronunciation: `source`, or the rule that rewrote the word."""
    return min(source, written.source, key=_rank) if written.source else source


def _rank(source: str) -> int:
    """Return the rank of a source among those of one word, of which the first is the most informative."""
    return _SOURCES.index(PronunciationSource(source.partition(":")[0])) if source else len(_SOURCES)


_SOURCES = (
    PronunciationSource.MARKUP,
    PronunciationSource.USER,
    PronunciationSource.LETTERS,
    PronunciationSource.RULE,
    PronunciationSource.ESPEAK,
    PronunciationSource.LEXICON,
    PronunciationSource.SILENT,
)


def _sounding(pieces: Sequence[PhonemePiece]) -> Iterator[tuple[int, WrittenForm]]:
    """Yield the place of each phoneme that has a sound, and its written form."""
    place = 0
    for piece in pieces:
        for symbol, span in zip(piece.phonemes, piece.written, strict=True):
            if symbol not in PUNCTUATION:
                yield place, span
            place += 1
        place += piece.space
