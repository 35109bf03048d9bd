"""Applies the user's lexicon to the texts of one language.

Rules rewrite the text first. Then the words are found in the text as written, and their phonemes are given to the
corresponding characters of the normalized text. Thus the text around them is read as if they had no entry. Only a word
that the normalization drops, or makes a part of something longer, such as a date, is excluded from it, as if it were in
markup.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from engine.speech import Notice, PronunciationSource
from engine.text.g2p.draft import SourcedText
from engine.text.g2p.normalize import Normalized
from engine.text.g2p.overrides import Override, to_misaki
from engine.text.g2p.pieces import has_sound
from engine.text.g2p.split import sentences
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.matching import LexiconIndex, LexiconMatch
from engine.text.languages import Language

if TYPE_CHECKING:
    from engine.text.g2p.phonemizer import FrontEnd

SENTENCE_SIGNS = frozenset(".!?…\n")
REMEMBERED_WORDS = 4096


class UserWords:
    """Normalizes texts with a user's lexicon in the language of a front end."""

    def __init__(self, language: Language, front_end: FrontEnd) -> None:
        self._language = language
        self._front_end = front_end
        self._spoken = lru_cache(REMEMBERED_WORDS)(self._pronounced)

    def normalize(self, text: str, index: LexiconIndex, stopped: set[LexiconEntry]) -> Normalized:
        """Return the spoken form of a text with the pronunciations of the lexicon.

        A rule that takes too long joins the `stopped` ones, which are skipped.
        """
        before = set(stopped)
        ruled = index.rewrite(text, stopped)
        notices = [_endless(rule, text) for rule in index.rules if rule in stopped - before]
        overrides = self._overrides(ruled.text, index, notices)
        normalized = self._placed(ruled.text, overrides)
        if ruled.rewritten:
            normalized = normalized.over(ruled)
        return replace(normalized, notices=(*notices, *normalized.notices))

    def _overrides(self, text: str, index: LexiconIndex, notices: list[Notice]) -> list[Override]:
        """Return the pronunciations of the words of a text, in order."""
        overrides = []
        for match in index.find(text, self._front_end.ending):
            choices = list(self._choices(match))
            general = next((phonemes for name, phonemes in choices if not name), None)
            by_class = tuple((name, phonemes) for name, phonemes in choices if name)
            if choices:
                overrides.append(
                    Override(match.start, match.end, general, by_class=by_class, source=PronunciationSource.USER)
                )
            elif match.ending is None:
                message = (
                    f"“{match.entries[0].say}” can’t be spoken for “{match.entries[0].word}”, which is read as usual."
                )
                notices.append(Notice(message, match.start, match.end))
        return overrides

    def _choices(self, match: LexiconMatch) -> Iterator[tuple[str, str]]:
        """Yield the part of speech and the phonemes of each entry of a match that has a sound."""
        for entry in match.entries:
            said = to_misaki(entry.phonemes, self._language) if entry.phonemes else self._spoken(entry.say)
            phonemes = said if match.ending is None or not said else match.ending(said)
            if phonemes:
                yield entry.part_of_speech, phonemes

    def _placed(self, text: str, overrides: list[Override]) -> Normalized:
        """Normalize a text, and give the phonemes to their words in the result."""
        apart: set[Override] = set()
        while True:
            normalized = self._front_end.normalize(text, sorted(apart, key=_start))
            placed = {each: _place(each, text, normalized.sourced) for each in overrides if each not in apart}
            lost = [each for each, place in placed.items() if place is None]
            if not lost:
                found = (*normalized.overrides, *(place for place in placed.values() if place is not None))
                return replace(normalized, overrides=tuple(sorted(found, key=_start)))
            apart.update(lost)

    def _pronounced(self, text: str) -> str:
        """Return the phonemes of words, read without the lexicon; empty if they have no sound."""
        normalized = self._front_end.normalize(text)
        spoken = normalized.sourced.text
        said = ""
        for sentence in sentences(spoken):
            overrides = normalized.overrides_in(sentence.start, sentence.end)
            words = self._front_end.pronounce(spoken[sentence.start : sentence.end], overrides)
            said += "".join(word.phonemes + " " * word.space for word in words) + " "
        self._front_end.reports()
        phonemes = " ".join(said.split()).rstrip(".")
        return phonemes if has_sound(phonemes) else ""


_start = attrgetter("start")


def _endless(rule: LexiconEntry, text: str) -> Notice:
    return Notice(f"The pattern “{rule.pattern}” in your lexicon takes too long and isn’t used.", 0, len(text))


def _place(override: Override, source: str, sourced: SourcedText) -> Override | None:
    """Return the override at its place in the normalized text; None if its words are not there as a whole.

    The dot of an abbreviation may be part of the rewritten word.
    """
    first, end = _characters(override.start, override.end, sourced)
    if first == end:
        return None
    written = sourced.written_span(first, end)
    start, stop = min(written.start, override.start), max(written.end, override.end)
    if (source[start : override.start] + source[override.end : stop]).strip("."):
        return None
    first, end = _characters(start, stop, sourced)
    text = sourced.text[first:end]
    spoken = any(map(str.isalnum, text)) and SENTENCE_SIGNS.isdisjoint(text[:-1])
    return replace(override, start=first, end=end) if spoken else None


def _characters(start: int, end: int, sourced: SourcedText) -> tuple[int, int]:
    """Return the first and the end of the characters of a span of the source, without spaces around them."""
    first, end = bisect_left(sourced.borders, start), bisect_left(sourced.borders, end)
    text = sourced.text[first:end]
    first += len(text) - len(text.lstrip())
    return first, first + len(text.strip())
