"""The reading position in each document, the chapters chosen and the chapters heard, saved in a separate file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.documents import Document
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.system.whole_file import write_atomically

DOCUMENTS_KEPT = 200


@dataclass(frozen=True)
class Place:
    """A character of a chapter, counted from 0, and the chapters that were heard to their ends.

    `otherwise` are the chapters that are read though they usually are not, or the other way round.
    """

    chapter: int = 0
    character: int = 0
    heard: frozenset[int] = frozenset()
    otherwise: frozenset[int] = frozenset()

    def chosen(self, document: Document) -> tuple[int, ...]:
        """The numbers of the chapters of a document that are read."""
        usual = frozenset(document.usual_chapters)
        return tuple(each for each in range(len(document.chapters)) if (each in usual) != (each in self.otherwise))


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

    def keep(self, path: Path, digest: str, place: Place) -> None:
        """Write a place; where that is not possible, it is forgotten when the window closes."""
        others = [entry for entry in self._entries if entry["digest"] != digest and entry["path"] != str(path)]
        entry = {
            "path": str(path), "digest": digest,
            "chapter": place.chapter, "character": place.character, "heard": sorted(place.heard),
            "otherwise": sorted(place.otherwise),
        }  # fmt: skip
        self._entries = [*others, entry][-DOCUMENTS_KEPT:]
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps(self._entries).encode(errors="replace"))


def _place_in(entry: Mapping[str, Any]) -> Place:
    otherwise = entry.get("otherwise", ())  # which earlier versions of the program do not write
    return Place(entry["chapter"], entry["character"], frozenset(entry["heard"]), frozenset(otherwise))


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


def _makes_sense(entry: object) -> bool:
    if not isinstance(entry, Mapping):
        return False
    texts = (entry.get("path"), entry.get("digest"))
    lists = (entry.get("heard"), entry.get("otherwise", []))
    listed = (number for each in lists for number in (each if isinstance(each, list) else (None,)))
    numbers = (entry.get("chapter"), entry.get("character"), *listed)
    return all(isinstance(text, str) for text in texts) and all(
        isinstance(number, int) and number >= 0 for number in numbers
    )
