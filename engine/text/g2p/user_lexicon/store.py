"""The file of the user's lexicon, in the data folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import DamagedFile, InvalidRequest, OutputError
from engine.speech import NO_DEFINITIONS, Definitions
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.text.g2p.directions import without_preset_tags
from engine.text.g2p.user_lexicon.entries import ENGLISH, LexiconEntry, entry_of
from engine.text.g2p.user_lexicon.matching import LexiconIndex, ending_finder
from engine.text.languages import LANGUAGES, Language, language_of

VERSION = 1
LOCK_SECONDS = 10
ENCODER = json.JSONEncoder(ensure_ascii=False)
Signature = tuple[int, ...]
MISSING: Signature = ()


@dataclass(frozen=True)
class Change:
    """Entries to remove, by their keys, and entries to place, each with its number in the result, in order.

    An entry with the key of a placed one is removed as well.
    """

    removed: tuple[LexiconEntry, ...] = ()
    placed: tuple[tuple[int, LexiconEntry], ...] = ()

    def applied(self, entries: Sequence[LexiconEntry]) -> tuple[tuple[LexiconEntry, ...], Change]:
        """Return the entries after the change, and the change that undoes it."""
        gone = {entry.key for entry in (*self.removed, *(entry for _, entry in self.placed))}
        lost = tuple((number, entry) for number, entry in enumerate(entries) if entry.key in gone)
        others = (entry for entry in entries if entry.key not in gone)
        result: list[LexiconEntry] = []
        for number, entry in self.placed:
            result += islice(others, max(0, number - len(result)))
            result.append(entry)
        return (*result, *others), Change(tuple(entry for _, entry in self.placed), lost)


def additions(
    entries: Sequence[LexiconEntry], added: Iterable[LexiconEntry], instead_of: LexiconEntry | None = None
) -> Change:
    """Return the change that adds `checked` entries at the end, or where one with the same key is.

    A single one may also be `instead_of` an entry, in its place.
    """
    numbers = {entry.key: number for number, entry in enumerate(entries)}
    unique = {entry.key: entry for entry in added}
    old = () if instead_of is None else (instead_of,)
    taken = [numbers[entry.key] for entry in old if entry.key in numbers]
    placed, new = [], len(entries) - len(taken)
    for key, entry in unique.items():
        number = taken.pop() if taken else numbers.get(key, new)
        new += number == new
        placed.append((number, entry))
    return Change(old, tuple(sorted(placed, key=itemgetter(0))))


@dataclass(frozen=True)
class UserLexicon:
    """The entries of the user; every call sees the changes of other processes, and reads the file only after one."""

    path: Path = field(default_factory=lambda: data_folder() / "lexicon.json")

    def entries(self) -> tuple[LexiconEntry, ...]:
        """Return all entries, the oldest first. Raises `DamagedFile`."""
        return _entries(self.path, self.signature)

    def index(self, language: Language, definitions: Definitions = NO_DEFINITIONS) -> LexiconIndex:
        """Return the entries of one language for a text with `definitions`, ready to be found. Raises `DamagedFile`."""
        return _index(self.path, self.signature, language, definitions)

    def entries_in(
        self, text: str, definitions: Definitions = NO_DEFINITIONS, languages: Collection[Language] = LANGUAGES
    ) -> tuple[LexiconEntry, ...]:
        """Return the entries that affect a text in some of these languages. Raises `DamagedFile`."""
        if not self.entries() and not definitions.pronunciations:
            return ()
        found: dict[LexiconEntry, None] = {}
        text = without_preset_tags(text).text
        for language in languages:
            if index := self.index(language, definitions):
                found |= dict.fromkeys(index.entries_in(text, ending_finder(language)))
        return tuple(found)

    def fingerprint(self, text: str, definitions: Definitions = NO_DEFINITIONS) -> str:
        """Return a value that changes with every entry that affects this text, in any language; empty without any.

        Raises `DamagedFile`.
        """
        found = self.entries_in(text, definitions)
        return json.dumps([entry.fields for entry in found]) if found else ""

    def add(self, entries: Iterable[LexiconEntry]) -> None:
        """Save `checked` entries, each instead of any with the same key. Raises `DamagedFile` or `OutputError`."""
        if added := tuple(entries):
            self.apply(lambda saved: additions(saved, added))

    def apply(self, change_of: Callable[[Sequence[LexiconEntry]], Change]) -> tuple[tuple[LexiconEntry, ...], Change]:
        """Save the change that a function returns for the present entries.

        Return the new entries, and the change that undoes it. Raises `DamagedFile` or `OutputError`.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_name(f"{self.path.name}.lock"), timeout=LOCK_SECONDS):
                saved = self.entries()
                entries, undoing = change_of(saved).applied(saved)
                lines = ",\n".join(ENCODER.encode(entry.fields) for entry in entries)
                write_atomically(self.path, f'{{"version": {VERSION}, "entries": [\n{lines}\n]}}\n'.encode())
                _known(self.path, self.signature).append(entries)
        except (OSError, Timeout) as error:
            raise OutputError(
                f"{self.path} can’t be written.", "Check the permissions of its folder, then try again."
            ) from error
        return entries, undoing

    def remove(
        self, title: str, language: str | None = None, part_of_speech: str | None = None
    ) -> tuple[LexiconEntry, ...]:
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
        self.apply(lambda saved: Change(removed))
        return removed

    @property
    def signature(self) -> Signature:
        """Numbers that differ for each state of the file; empty if it is missing. Raises `DamagedFile`."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return MISSING
        except OSError as error:
            raise _damaged(self.path) from error
        return (status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=2)
def _known(path: Path, signature: Signature) -> list[tuple[LexiconEntry, ...]]:
    """Return a list for the entries of one state of the file, empty until they are known."""
    return []


def _entries(path: Path, signature: Signature) -> tuple[LexiconEntry, ...]:
    known = _known(path, signature)
    if not known:
        known.append(_read(path, signature))
    return known[0]


def _read(path: Path, signature: Signature) -> tuple[LexiconEntry, ...]:
    if signature == MISSING:
        return ()
    try:
        saved = json_value(path.read_text(encoding="utf-8"), interruptible=True)
        version = saved["version"]
        if isinstance(version, int) and version > VERSION:
            raise DamagedFile(
                path, f"Your lexicon, {path}, was saved by a newer version of this app.", "Update the app to use it."
            )
        return tuple(map(entry_of, saved["entries"]))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _damaged(path) from error


@lru_cache(maxsize=2 * len(LANGUAGES))
def _index(path: Path, signature: Signature, language: Language, definitions: Definitions) -> LexiconIndex:
    entries = entries_with(definitions, _entries(path, signature))
    return LexiconIndex((entry for entry in entries if entry.applies_to(language)), language.english)


def entries_with(definitions: Definitions, own: Iterable[LexiconEntry] = ()) -> tuple[LexiconEntry, ...]:
    """Return the entries for a text with `definitions`: its own ones, and those of the user that are not hidden."""
    hidden = {LexiconEntry(**vars(each)) for each in definitions.hidden}
    given = (LexiconEntry(**vars(each)) for each in definitions.pronunciations)
    return tuple({entry.key: entry for entry in (*given, *(each for each in own if each not in hidden))}.values())


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(path, f"Your lexicon, {path}, can’t be read.", "Repair, move or delete it to use a lexicon.")
