"""The file of the user's lexicon, in the data folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import DamagedFile, InvalidRequest, OutputError
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.system.whole_file import write_atomically
from engine.text.g2p.directions import without_preset_tags
from engine.text.g2p.user_lexicon.entries import ENGLISH, Entry, entry_of
from engine.text.g2p.user_lexicon.matching import Index, ending_finder
from engine.text.languages import LANGUAGES, Language, language_of

VERSION = 1
LOCK_SECONDS = 10
Signature = tuple[int, ...]
"""Numbers that differ for each state of the file; empty if it is missing."""
MISSING: Signature = ()


@dataclass(frozen=True)
class UserLexicon:
    """The entries of the user; every call sees the changes of other processes, and reads the file only after one."""

    path: Path = field(default_factory=lambda: data_folder() / "lexicon.json")

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, the oldest first. Raises `DamagedFile`."""
        return _entries(self.path, self._signature())

    def index(self, language: Language) -> Index:
        """Return the entries of one language, ready to be found in texts. Raises `DamagedFile`."""
        return _index(self.path, self._signature(), language)

    def fingerprint(self, text: str) -> str:
        """Return a value that changes with every entry that affects this text, in any language; empty without any.

        Raises `DamagedFile`.
        """
        indexes = {language: self.index(language) for language in LANGUAGES} if self.entries() else {}
        found: dict[Entry, None] = {}
        text = without_preset_tags(text).text
        for language, index in indexes.items():
            if index:
                found |= dict.fromkeys(index.entries_in(text, ending_finder(language)))
        return json.dumps([entry.fields for entry in found]) if found else ""

    def add(self, entries: Iterable[Entry]) -> None:
        """Save `checked` entries, each instead of any with the same key. Raises `DamagedFile` or `OutputError`."""
        added = {entry.key: entry for entry in entries}
        if added:
            self._change(lambda saved: {**saved, **added})

    def remove(self, title: str, language: str | None = None, part_of_speech: str | None = None) -> tuple[Entry, ...]:
        """Delete the entries of a word or pattern, of all languages and parts of speech or of one; return them.

        Raises `InvalidRequest` if there is none, `DamagedFile` or `OutputError`.
        """
        tag = language if language in (None, ENGLISH) else language_of(language).tag
        removed = tuple(
            entry
            for entry in self.entries()
            if (entry.title == title or entry.word.casefold() == title.casefold() != "")
            and tag in (None, entry.language)
            and part_of_speech in (None, entry.part_of_speech)
        )
        if not removed:
            raise InvalidRequest(f"“{title}” isn’t in your lexicon.", "Run `lexicon list` to see its entries.")
        keys = {entry.key for entry in removed}
        self._change(lambda saved: {key: entry for key, entry in saved.items() if key not in keys})
        return removed

    def _change(self, change: Callable[[dict[tuple[str, ...], Entry]], dict[tuple[str, ...], Entry]]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_name(f"{self.path.name}.lock"), timeout=LOCK_SECONDS):
                entries = change({entry.key: entry for entry in self.entries()})
                lines = ",\n".join(json.dumps(entry.fields, ensure_ascii=False) for entry in entries.values())
                write_atomically(self.path, f'{{"version": {VERSION}, "entries": [\n{lines}\n]}}\n'.encode())
        except (OSError, Timeout) as error:
            raise OutputError(
                f"{self.path} can’t be written.", "Check the permissions of its folder, then try again."
            ) from error

    def _signature(self) -> Signature:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return MISSING
        except OSError as error:
            raise _damaged(self.path) from error
        return (status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=2)
def _entries(path: Path, signature: Signature) -> tuple[Entry, ...]:
    if signature == MISSING:
        return ()
    try:
        saved = json_value(path.read_text(encoding="utf-8"))
        version = saved["version"]
        if isinstance(version, int) and version > VERSION:
            raise DamagedFile(
                path, f"Your lexicon, {path}, was saved by a newer version of this app.", "Update the app to use it."
            )
        return tuple(map(entry_of, saved["entries"]))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _damaged(path) from error


@lru_cache(maxsize=len(LANGUAGES))
def _index(path: Path, signature: Signature, language: Language) -> Index:
    entries = (entry for entry in _entries(path, signature) if entry.applies_to(language))
    return Index(entries, language.english)


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(path, f"Your lexicon, {path}, can’t be read.", "Repair, move or delete it to use a lexicon.")
