"""Where somebody was in each document, and what of it was heard, kept in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.system.whole_file import write_atomically

DOCUMENTS_KEPT = 200


@dataclass(frozen=True)
class Place:
    """A character of a chapter, counted from 0, and the chapters that were heard to their ends."""

    chapter: int = 0
    character: int = 0
    heard: frozenset[int] = frozenset()


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
        return Place(found[0]["chapter"], found[0]["character"], frozenset(found[0]["heard"])) if found else Place()

    def keep(self, path: Path, digest: str, place: Place) -> None:
        """Write a place; where that is not possible, it is forgotten when the window closes."""
        others = [entry for entry in self._entries if entry["digest"] != digest and entry["path"] != str(path)]
        entry = {
            "path": str(path), "digest": digest,
            "chapter": place.chapter, "character": place.character, "heard": sorted(place.heard),
        }  # fmt: skip
        self._entries = [*others, entry][-DOCUMENTS_KEPT:]
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps(self._entries).encode(errors="replace"))


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
    heard = entry.get("heard")
    numbers = (entry.get("chapter"), entry.get("character"), *(heard if isinstance(heard, list) else (None,)))
    return all(isinstance(text, str) for text in texts) and all(
        isinstance(number, int) and number >= 0 for number in numbers
    )
