"""Entries of the lexicon as rows of a table, and the places in the open text that an entry changes; no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from heapq import merge

from app.system.threads import gently
from engine.text.g2p.split import passages
from engine.text.g2p.user_lexicon.entries import ANY_CASE, ENGLISH, EXACT_CASE, PARTS_OF_SPEECH, LexiconEntry
from engine.text.g2p.user_lexicon.matching import matches
from engine.text.languages import LANGUAGES

MAX_PLACES = 200
"""The most places to list; all are counted."""
CONTEXT_CHARACTERS = 40
SORTED_AT_ONCE = 5000
"""Sorting more would keep the window waiting: Python's sort does not let other threads run."""
BETWEEN = "/"
"""Encloses phonemes in a column that also holds words."""


class EntryColumn(IntEnum):
    """A column of the table."""

    TITLE = 0
    PRONUNCIATION = 1
    KIND = 2
    LANGUAGE = 3
    PART_OF_SPEECH = 4
    CASE = 5

    @property
    def title(self) -> str:
        """The title of the column."""
        return _TITLES[self]

    @property
    def choices(self) -> Mapping[str, str]:
        """The possible values with their titles; empty if the column holds any text."""
        return _CHOICES.get(self, {})


WORD, PATTERN = "word", "pattern"
LANGUAGE_TITLES = {ENGLISH: "English", **{language.tag: language.name for language in LANGUAGES}}
_TITLES = {
    EntryColumn.TITLE: "Word or Pattern",
    EntryColumn.PRONUNCIATION: "Pronunciation",
    EntryColumn.KIND: "Kind",
    EntryColumn.LANGUAGE: "Language",
    EntryColumn.PART_OF_SPEECH: "Part of Speech",
    EntryColumn.CASE: "Case",
}
_CHOICES: Mapping[EntryColumn, Mapping[str, str]] = {
    EntryColumn.KIND: {WORD: "Whole Word", PATTERN: "Regular Expression"},
    EntryColumn.LANGUAGE: LANGUAGE_TITLES,
    EntryColumn.PART_OF_SPEECH: {"": "Any", **{each: each.capitalize() for each in PARTS_OF_SPEECH}},
    EntryColumn.CASE: {ANY_CASE: "Any", EXACT_CASE: "Exact"},
}


def value_of(entry: LexiconEntry, column: EntryColumn) -> str:
    """Return the value of a cell: free text, or a key of the column's choices."""
    match column:
        case EntryColumn.TITLE:
            return entry.title
        case EntryColumn.PRONUNCIATION:
            return f"{BETWEEN}{entry.phonemes}{BETWEEN}" if entry.phonemes else entry.say
        case EntryColumn.KIND:
            return PATTERN if entry.pattern else WORD
        case EntryColumn.LANGUAGE:
            return entry.language
        case EntryColumn.PART_OF_SPEECH:
            return entry.part_of_speech
        case EntryColumn.CASE:
            return entry.case


def text_of(entry: LexiconEntry, column: EntryColumn) -> str:
    """Return the text of a cell."""
    value = value_of(entry, column)
    return column.choices.get(value, value)


def with_value(entry: LexiconEntry, column: EntryColumn, value: str) -> LexiconEntry:
    """Return the entry with a new value in one cell; phonemes are between slashes, other text is spoken instead."""
    match column:
        case EntryColumn.TITLE:
            return replace(entry, pattern=value) if entry.pattern else replace(entry, word=value)
        case EntryColumn.PRONUNCIATION:
            text = value.strip()
            enclosed = len(text) > 1 and text[0] == text[-1] == BETWEEN and not entry.pattern
            return replace(entry, phonemes=text[1:-1] if enclosed else "", say="" if enclosed else value)
        case EntryColumn.KIND:
            title, pattern = entry.title, value == PATTERN
            return replace(entry, word="" if pattern else title, pattern=title if pattern else "")
        case EntryColumn.LANGUAGE:
            return replace(entry, language=value)
        case EntryColumn.PART_OF_SPEECH:
            return replace(entry, part_of_speech=value)
        case EntryColumn.CASE:
            return replace(entry, case=value)


@dataclass(frozen=True)
class Listing:
    """The entries to list: those that contain the words `search` and apply to a language, sorted by a column.

    Without a column, they have the order in which rules apply.
    """

    search: str = ""
    language: str = ""
    column: EntryColumn | None = None
    descending: bool = False

    def of(self, entries: Sequence[LexiconEntry]) -> tuple[LexiconEntry, ...]:
        """Return the listed entries; other threads can run meanwhile."""
        words = self.search.casefold().split()
        found = [entry for entry in gently(entries) if self._has(entry, words)]
        if self.column is None:
            return tuple(found)
        column = self.column

        def key(entry: LexiconEntry) -> str:
            return text_of(entry, column).casefold()

        parts = (found[start : start + SORTED_AT_ONCE] for start in range(0, len(found), SORTED_AT_ONCE))
        ordered = (sorted(part, key=key, reverse=self.descending) for part in parts)
        return tuple(gently(merge(*ordered, key=key, reverse=self.descending)))

    def _has(self, entry: LexiconEntry, words: Iterable[str]) -> bool:
        if self.language not in ("", entry.language):
            return False
        text = f"{entry.word} {entry.pattern} {entry.phonemes} {entry.say}".casefold()
        return all(word in text for word in words)


@dataclass(frozen=True)
class OpenText:
    """The user's text, or a chapter of the open book with its number and title."""

    text: str
    chapter: int | None = None
    title: str = ""


@dataclass(frozen=True)
class Place:
    """The characters `start` to `end` of a text, with the words around them; `number` counts the places from 0."""

    number: int
    start: int
    end: int
    words: str
    before: str
    after: str
    chapter: int | None = None
    title: str = ""


@dataclass(frozen=True)
class EntryPreview:
    """The number of places that an entry changes, and the first of them; more may come until it is `whole`."""

    count: int = 0
    places: tuple[Place, ...] = ()
    whole: bool = False


def previews(entry: LexiconEntry, texts: Sequence[OpenText]) -> Iterator[EntryPreview]:
    """Yield growing previews of the places in texts that an entry alone changes, the last one whole.

    Raises `InvalidRequest` for a pattern that takes too long.
    """
    count = 0
    places: list[Place] = []
    for each in texts:
        for start, passage in passages(each.text):
            for span in matches(passage, entry):
                if len(places) < MAX_PLACES:
                    places.append(_place(each, count, start + span.start, start + span.end))
                count += 1
            yield EntryPreview(count, tuple(places))
    yield EntryPreview(count, tuple(places), whole=True)


def _place(text: OpenText, number: int, start: int, end: int) -> Place:
    first, last = max(0, start - CONTEXT_CHARACTERS), end + CONTEXT_CHARACTERS
    before, after = _line(text.text[first:start]), _line(text.text[end:last])
    words = " ".join(text.text[start:end].split())
    before, after = f"{'…' * (first > 0)}{before}", f"{after}{'…' * (last < len(text.text))}"
    return Place(number, start, end, words, before, after, text.chapter, text.title)


def _line(text: str) -> str:
    """Return a part of a text on one line."""
    return "".join(" " if each.isspace() else each for each in text)
