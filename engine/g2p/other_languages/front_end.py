"""Languages other than English, spoken a clause at a time, as upstream's espeak-ng takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from engine.g2p.normalise import Normalised
from engine.g2p.other_languages.sounds import Speak, load_speak
from engine.g2p.other_languages.text import normalise_other
from engine.g2p.other_languages.writing import writing_of
from engine.g2p.overrides import Override
from engine.g2p.pieces import SpokenWord
from engine.languages import JAPANESE, MANDARIN, Language
from engine.speech import Notice, Source

INSIDE = r"(?<=\w)\.(?=[a-z0-9])|(?<=\d)[,:](?=\d)|(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)"
"""Where a mark is part of a number, an address or an abbreviation."""
MARKS = ';:,.!?—…"()“”'
REMEMBERED_CLAUSES = 512
TOKEN = re.compile(rf"(?P<clause>(?:{INSIDE}|[^{MARKS}])+)|(?P<mark>[{MARKS}])")
SPACED_WORD = re.compile(r"\S+")
UNSPACED_WORD = re.compile(r"[A-Za-z']+|[\d.,]+|\S")


class OtherFrontEnd:
    """One language other than English; see `FrontEnd`. Raises `MissingLanguage`."""

    def __init__(self, language: Language, *, load_speak: Callable[[Language], Speak] = load_speak) -> None:
        self._language = language
        self._writing = writing_of(language)
        self._speak: Speak = lru_cache(REMEMBERED_CLAUSES)(load_speak(language))
        self._word = SPACED_WORD if self._writing.spaced else UNSPACED_WORD
        self._source = Source.LEXICON if language in (JAPANESE, MANDARIN) else Source.ESPEAK
        self._reports: list[Notice] = []
        self.phrase_starters = self._writing.phrase_starters

    def normalise(self, text: str) -> Normalised:
        """The text in the language's letters and in punctuation that Kokoro knows."""
        return normalise_other(text, self._language, self._writing, lambda symbol: bool(self._speak(symbol).strip()))

    def pronounce(self, text: str, overrides: Sequence[Override]) -> list[SpokenWord]:
        """The words and marks of a sentence; given phonemes replace their word."""
        words: list[SpokenWord] = []
        done = 0
        for override in overrides:
            words += self._plain(text, done, override.start)
            words.append(_word(text, override.phonemes or "", override.start, override.end, Source.MARKUP))
            done = override.end
        return [*words, *self._plain(text, done, len(text))]

    def reports(self) -> list[Notice]:
        """The clauses that have no sound."""
        reports, self._reports = self._reports, []
        return reports

    def _plain(self, text: str, start: int, end: int) -> list[SpokenWord]:
        words: list[SpokenWord] = []
        for match in TOKEN.finditer(text, start, end):
            if match["mark"]:
                words.append(_word(text, match["mark"], *match.span(), self._source))
            elif match[0].strip():
                words += self._clause(text, *match.span())
        return words

    def _clause(self, text: str, start: int, end: int) -> list[SpokenWord]:
        written = [match.span() for match in self._word.finditer(text, start, end)]
        spoken = self._speak(text[start:end].strip()).split()
        if not spoken and any(map(str.isalnum, text[start:end])):
            message = f"“{text[start:end].strip()}” has no sound in {self._language.name}; it is left out."
            self._reports.append(Notice(message, start, end))
        spans = shared_spans(written, len(spoken))
        words = [
            SpokenWord(text[first:last], phonemes, first, last, space=True, source=self._source)
            for phonemes, (first, last) in zip(spoken, spans, strict=True)
        ]
        return [*words[:-1], replace(words[-1], space=text[words[-1].end : words[-1].end + 1] == " ")] if words else []


def shared_spans(written: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """The spans of `count` spoken words: one by one, or shared evenly if there are more or fewer."""
    spans = []
    for index in range(count):
        first = index * len(written) // count
        last = max(first, (index + 1) * len(written) // count - 1)
        spans.append((written[first][0], written[last][1]))
    return spans


def _word(text: str, phonemes: str, start: int, end: int, source: Source) -> SpokenWord:
    return SpokenWord(text[start:end], phonemes, start, end, space=text[end : end + 1] == " ", source=source)
