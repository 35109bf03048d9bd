"""Where somebody is in each document, with the chapters chosen and heard and the bookmarks, in a file of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.system.whole_file import write_atomically
from engine.text.documents import Document
from engine.text.sentences import sentence_at

MAX_DOCUMENTS = 200
MAX_TEXTS = 20
WORDS_CHARACTERS = 60
"""So much of the text at a place finds it again in a document that has changed."""


@dataclass(frozen=True)
class Bookmark:
    """A character of a chapter, both counted from 0, and the words that are there."""

    chapter: int
    character: int
    words: str = ""


@dataclass(frozen=True)
class Place:
    """A character of a chapter, both counted from 0, the words there, and the chapters that were heard to their ends.

    `otherwise` are the chapters that are read though they usually are not, or the other way round.
    """

    chapter: int = 0
    character: int = 0
    heard: frozenset[int] = frozenset()
    otherwise: frozenset[int] = frozenset()
    words: str = ""
    bookmarks: tuple[Bookmark, ...] = ()

    def chosen(self, document: Document) -> tuple[int, ...]:
        """The numbers of the chapters of a document that are read."""
        usual = frozenset(document.usual_chapters)
        return tuple(each for each in range(len(document.chapters)) if (each in usual) != (each in self.otherwise))

    def bookmarks_here(self, document: Document) -> frozenset[Bookmark]:
        """Those in the sentence of this place."""
        text = document.chapters[self.chapter].text
        sentence = sentence_at(text, self.character)
        in_chapter = (each for each in self.bookmarks if each.chapter == self.chapter)
        return frozenset(each for each in in_chapter if sentence_at(text, each.character) == sentence)

    def neighbour(self, document: Document, step: int) -> int | None:
        """The next chapter that is read, after this one or, with a step of -1, before it."""
        beyond = [each for each in self.chosen(document) if (each - self.chapter) * step > 0]
        return min(beyond, key=lambda each: abs(each - self.chapter), default=None)

    def lengths(self, document: Document) -> dict[int, int]:
        """The characters of each chapter that is read, by its number."""
        return {number: len(document.chapters[number].text) for number in self.chosen(document)}

    def progress(self, document: Document) -> float:
        """How far the place is in what is read, from 0 to 1."""
        lengths = self.lengths(document)
        before = sum(length for number, length in lengths.items() if number < self.chapter)
        here = min(self.character, lengths.get(self.chapter, 0))
        return (before + here) / max(1, sum(lengths.values()))

    def with_bookmark_switched(self, document: Document) -> Place:
        """The same with a bookmark here, or without those that are in this sentence."""
        here = self.bookmarks_here(document)
        others = [each for each in self.bookmarks if each not in here]
        if not here:
            text = document.chapters[self.chapter].text
            others.append(Bookmark(self.chapter, self.character, words_at(text, self.character)))
            others.sort(key=lambda each: (each.chapter, each.character))
        return replace(self, bookmarks=tuple(others))

    def in_document(self, document: Document) -> Place:
        """The same place in a document that may have changed: where its words are now, else where it was."""
        texts = [chapter.text for chapter in document.chapters]
        chapter, character = _found(texts, self.chapter, self.character, self.words)
        if (chapter, character) == (0, 0) and not self.words:  # nothing of it was heard yet
            chapter = min(self.chosen(document), default=0)
        here = range(len(texts))
        return replace(
            self,
            chapter=chapter,
            character=character,
            heard=self.heard & frozenset(here),
            otherwise=self.otherwise & frozenset(here),
            bookmarks=tuple(
                Bookmark(*_found(texts, each.chapter, each.character, each.words), each.words)
                for each in self.bookmarks
            ),
        )


def _found(texts: list[str], chapter: int, character: int, words: str) -> tuple[int, int]:
    """The chapter and the character where these words are, as near as possible to where they were."""
    if chapter < len(texts):
        text = texts[chapter]
        if character <= len(text) and text.startswith(words, character):
            return chapter, character
        if (near := nearest(text, words, character)) is not None:
            return chapter, near
    nearby = sorted(range(len(texts)), key=lambda number: abs(number - chapter))
    elsewhere = next((number for number in nearby if words and words in texts[number]), None)
    if elsewhere is not None:
        return elsewhere, texts[elsewhere].index(words)
    return (chapter, min(character, len(texts[chapter]))) if chapter < len(texts) else (0, 0)


def nearest(text: str, words: str, character: int) -> int | None:
    """Where these words are in a text, as near as possible to a character; None if they are nowhere in it."""
    if not words:
        return None
    before, after = text.rfind(words, 0, character + len(words)), text.find(words, character)
    found = [each for each in (before, after) if each >= 0]
    return min(found, key=lambda each: abs(each - character), default=None)


def words_at(text: str, character: int) -> str:
    """The words by which a place is found again."""
    return text[character : character + WORDS_CHARACTERS]


@dataclass(frozen=True)
class ShelvedBook:
    """A book that was read, how far, from 0 to 1, and the `characters` of what is read of it.

    One without a `title` is not listed.
    """

    path: Path
    digest: str
    title: str = ""
    author: str = ""
    progress: float = 0.0
    characters: int = 0


class Places:
    """The places in the documents read last, found by the digest of the file, or else by its path."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or data_folder() / "places.json"
        self._entries = _entries_in(self._file)

    def of(self, path: Path, digest: str) -> Place:
        """The place in a document: of this content, wherever it is, else of what had this path before."""
        same = [entry for entry in self._entries if entry["digest"] == digest]
        there = [entry for entry in self._entries if entry["path"] == str(path)]
        found = (same or there)[-1:]
        return _place_in(found[0]) if found else Place()

    @property
    def shelf(self) -> tuple[ShelvedBook, ...]:
        """The books that were read last, the latest first."""
        books = (
            ShelvedBook(
                Path(each["path"]),
                each["digest"],
                each["title"],
                each["author"],
                each["progress"],
                each.get("characters", 0),
            )
            for each in reversed(self._entries)
            if each.get("title")
        )
        return tuple(books)

    def remove(self, book: ShelvedBook) -> None:
        """List a book no more; its place is kept."""
        for entry in self._entries:
            if entry["digest"] == book.digest:
                entry["title"] = ""
        self._write()

    def keep(self, book: ShelvedBook, place: Place) -> None:
        """Write the place in a book; where that is not possible, it is forgotten when the window closes."""
        path = str(book.path)
        others = [each for each in self._books if each["digest"] != book.digest and each["path"] != path]
        about = {"title": book.title, "author": book.author, "progress": book.progress, "characters": book.characters}
        entry = {"path": path, "digest": book.digest, **about, **_entry_of(place)}
        self._entries = [*self._texts, *[*others, entry][-MAX_DOCUMENTS:]]
        self._write()

    def in_text(self, text: str) -> int:
        """The place in a text of one's own that begins like one that was read before; else its beginning."""
        found = [each for each in self._texts if each["digest"] == _digest(text)]
        if not found:
            return 0
        place = _place_in(found[0])
        there = nearest(text, place.words, place.character)
        return 0 if there is None else there

    def keep_in_text(self, text: str, character: int) -> None:
        """Write the place in a text of one's own."""
        others = [each for each in self._texts if each["digest"] != _digest(text)]
        entry = {"path": "", "digest": _digest(text)} | _entry_of(Place(0, character, words=words_at(text, character)))
        self._entries = [*[*others, entry][-MAX_TEXTS:], *self._books]
        self._write()

    @property
    def _books(self) -> list[dict[str, Any]]:
        return [each for each in self._entries if each["path"]]

    @property
    def _texts(self) -> list[dict[str, Any]]:
        return [each for each in self._entries if not each["path"]]

    def _write(self) -> None:
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps(self._entries).encode(errors="replace"))


def _digest(text: str) -> str:
    """What tells texts of one's own apart: how they begin, as their ends are still being written."""
    return hashlib.sha256(text[:WORDS_CHARACTERS].encode(errors="replace")).hexdigest()


def _entries_in(file: Path) -> list[dict[str, Any]]:
    """The entries of a file; one that makes no sense is set aside, so that it is not written over."""
    try:
        entries = json_value(file.read_bytes())
        if isinstance(entries, list) and all(_makes_sense(entry) for entry in entries):
            return entries
    except OSError:
        return []
    except ValueError:
        pass
    with suppress(OSError):
        file.replace(file.with_suffix(".damaged"))
    return []


def _entry_of(place: Place) -> dict[str, Any]:
    return {
        "chapter": place.chapter,
        "character": place.character,
        "words": place.words,
        "heard": sorted(place.heard),
        "otherwise": sorted(place.otherwise),
        "bookmarks": [[each.chapter, each.character, each.words] for each in place.bookmarks],
    }


def _place_in(entry: Mapping[str, Any]) -> Place:
    """What an entry says; earlier versions of the program write less."""
    return Place(
        entry["chapter"],
        entry["character"],
        frozenset(entry["heard"]),
        frozenset(entry.get("otherwise", ())),
        entry.get("words", ""),
        tuple(Bookmark(*each) for each in entry.get("bookmarks", ())),
    )


def _makes_sense(entry: object) -> bool:
    if not isinstance(entry, Mapping):
        return False
    texts = [entry.get("path"), entry.get("digest"), *(entry.get(name, "") for name in ("words", "title", "author"))]
    numbers = [entry.get("chapter"), entry.get("character"), entry.get("characters", 0)]
    lists = [entry.get("heard"), entry.get("otherwise", []), entry.get("bookmarks", [])]
    if not all(isinstance(each, list) for each in lists):
        return False
    heard, otherwise, bookmarks = lists
    if not all(isinstance(each, list) and len(each) == 3 for each in bookmarks):
        return False
    for chapter, character, words in bookmarks:
        numbers += [chapter, character]
        texts.append(words)
    return (
        all(isinstance(each, str) for each in texts)
        and all(isinstance(each, int) and each >= 0 for each in (*numbers, *heard, *otherwise))
        and isinstance(entry.get("progress", 0.0), float | int)
    )
