"""The reading position in each document, with selected and finished chapters and bookmarks, in a separate file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.text.documents import Document
from engine.text.sentences import sentence_at

MAX_DOCUMENTS = 200
MAX_TEXTS = 20
WORDS_CHARACTERS = 60
"""The length of the excerpt that finds a position again in a document that has changed."""


@dataclass(frozen=True)
class Bookmark:
    """A character of a chapter, both counted from 0, and the words there."""

    chapter: int
    character: int
    words: str = ""


@dataclass(frozen=True)
class ReadingPosition:
    """A character of a chapter, both counted from 0, the words there, and the chapters that were played to the end.

    `otherwise` are the chapters whose selection differs from the default.
    """

    chapter: int = 0
    character: int = 0
    heard: frozenset[int] = frozenset()
    otherwise: frozenset[int] = frozenset()
    words: str = ""
    bookmarks: tuple[Bookmark, ...] = ()

    def chosen(self, document: Document) -> tuple[int, ...]:
        """Return the numbers of the selected chapters of a document."""
        default = frozenset(document.default_chapters)
        return tuple(each for each in range(len(document.chapters)) if (each in default) != (each in self.otherwise))

    def bookmarks_here(self, document: Document) -> frozenset[Bookmark]:
        """Return the bookmarks in the sentence at this position."""
        text = document.chapters[self.chapter].text
        sentence = sentence_at(text, self.character)
        in_chapter = (each for each in self.bookmarks if each.chapter == self.chapter)
        return frozenset(each for each in in_chapter if sentence_at(text, each.character) == sentence)

    def neighbor(self, document: Document, step: int) -> int | None:
        """Return the next selected chapter after this one or, with a step of -1, before it."""
        beyond = [each for each in self.chosen(document) if (each - self.chapter) * step > 0]
        return min(beyond, key=lambda each: abs(each - self.chapter), default=None)

    def lengths(self, document: Document) -> dict[int, int]:
        """Return the length in characters of each selected chapter, by its number."""
        return {number: len(document.chapters[number].text) for number in self.chosen(document)}

    def progress(self, document: Document) -> float:
        """Return the position within the selected chapters, from 0 to 1."""
        lengths = self.lengths(document)
        before = sum(length for number, length in lengths.items() if number < self.chapter)
        here = min(self.character, lengths.get(self.chapter, 0))
        return (before + here) / max(1, sum(lengths.values()))

    def with_bookmark_switched(self, document: Document) -> ReadingPosition:
        """Return the place with a bookmark added here, or without the bookmarks in this sentence."""
        here = self.bookmarks_here(document)
        others = [each for each in self.bookmarks if each not in here]
        if not here:
            text = document.chapters[self.chapter].text
            others.append(Bookmark(self.chapter, self.character, words_at(text, self.character)))
            others.sort(key=lambda each: (each.chapter, each.character))
        return replace(self, bookmarks=tuple(others))

    def in_document(self, document: Document) -> ReadingPosition:
        """Return the place in a document that may have changed: at its words if they are found, else unchanged."""
        texts = [chapter.text for chapter in document.chapters]
        chapter, character = _found(texts, self.chapter, self.character, self.words)
        if (chapter, character) == (0, 0) and not self.words:  # nothing has been played yet
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
    """Return the chapter and character where these words are now, as close as possible to the old position."""
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
    """Return the position of these words in a text, as close as possible to a character; None if they do not occur."""
    if not words:
        return None
    before, after = text.rfind(words, 0, character + len(words)), text.find(words, character)
    found = [each for each in (before, after) if each >= 0]
    return min(found, key=lambda each: abs(each - character), default=None)


def words_at(text: str, character: int) -> str:
    """Return the words that identify a position."""
    return text[character : character + WORDS_CHARACTERS]


@dataclass(frozen=True)
class LibraryBook:
    """A book that was read, the progress from 0 to 1, and the number of `characters` in its selected chapters.

    A book without a `title` is not listed.
    """

    path: Path
    digest: str
    title: str = ""
    author: str = ""
    progress: float = 0.0
    characters: int = 0


class ReadingPositions:
    """The positions in the most recent documents, looked up by the digest of the file, or else by its path."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or data_folder() / "places.json"
        self._entries = _entries_in(self._file)

    def of(self, path: Path, digest: str) -> ReadingPosition:
        """Return the place in a document with this content at any path, or else in the one that had this path."""
        same = [entry for entry in self._entries if entry["digest"] == digest]
        there = [entry for entry in self._entries if entry["path"] == str(path)]
        found = (same or there)[-1:]
        return _place_in(found[0]) if found else ReadingPosition()

    @property
    def shelf(self) -> tuple[LibraryBook, ...]:
        """The most recent books, latest first."""
        books = (
            LibraryBook(
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

    def remove(self, book: LibraryBook) -> None:
        """Remove a book from the shelf but keep its position."""
        for entry in self._entries:
            if entry["digest"] == book.digest:
                entry["title"] = ""
        self._write()

    def store_position(self, book: LibraryBook, place: ReadingPosition) -> None:
        """Save the position in a book; if that fails, it lasts until the window closes."""
        path = str(book.path)
        others = [each for each in self._books if each["digest"] != book.digest and each["path"] != path]
        about = {"title": book.title, "author": book.author, "progress": book.progress, "characters": book.characters}
        entry = {"path": path, "digest": book.digest, **about, **_entry_of(place)}
        self._entries = [*self._texts, *[*others, entry][-MAX_DOCUMENTS:]]
        self._write()

    def in_text(self, text: str) -> int:
        """Return the position in a text of the user, recognized by its beginning; 0 if it is unknown."""
        found = [each for each in self._texts if each["digest"] == _digest(text)]
        if not found:
            return 0
        place = _place_in(found[0])
        there = nearest(text, place.words, place.character)
        return 0 if there is None else there

    def keep_in_text(self, text: str, character: int) -> None:
        """Save the position in a text of the user."""
        others = [each for each in self._texts if each["digest"] != _digest(text)]
        entry = {"path": "", "digest": _digest(text)} | _entry_of(
            ReadingPosition(0, character, words=words_at(text, character))
        )
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
    """Return a digest of the beginning of the user's text, because its end is still being written."""
    return hashlib.sha256(text[:WORDS_CHARACTERS].encode(errors="replace")).hexdigest()


def _entries_in(file: Path) -> list[dict[str, Any]]:
    """Return the entries of a file; an invalid file is renamed, so that it is not overwritten."""
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


def _entry_of(place: ReadingPosition) -> dict[str, Any]:
    return {
        "chapter": place.chapter,
        "character": place.character,
        "words": place.words,
        "heard": sorted(place.heard),
        "otherwise": sorted(place.otherwise),
        "bookmarks": [[each.chapter, each.character, each.words] for each in place.bookmarks],
    }


def _place_in(entry: Mapping[str, Any]) -> ReadingPosition:
    """Return the place in an entry; earlier versions of the program write fewer fields."""
    return ReadingPosition(
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
