"""The history in the database, and its saved audio."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.library.database import SOUNDS, readable, transaction
from app.library.records import (
    HistoryEntry,
    first_words,
    key_of,
    request_of,
    speech_settings_of,
    storable,
    voice_and_speed,
)
from engine.errors import InvalidRequest
from engine.speech import SpeechRequest

ENTRIES_KEPT = 10_000
"""The maximum number of entries; beyond it, the oldest entries without a star are removed."""
MEGABYTE = 1_000_000
_COLUMNS = "number, title, manner, model, begun, seconds, starred, kept_bytes"


@dataclass(frozen=True)
class HistoryListed:
    """The entries found, latest first, and the size of all saved audio in bytes."""

    entries: tuple[HistoryEntry, ...]
    kept_bytes: int


@dataclass(frozen=True)
class StoredEntry:
    """A stored entry. If `sound` is None, its audio has to be generated again.

    `marks` gives the positions of utterances and words in the audio.
    """

    number: int
    request: SpeechRequest
    model: str
    sound: Path | None
    marks: str


class History:
    """The stored history. It has one entry for each request and model; an entry spoken again moves to the front.

    `clock` returns seconds since 1970. A deleted entry can be restored until `forget_deleted`.
    """

    def __init__(self, database: sqlite3.Connection, folder: Path, clock: Callable[[], float]) -> None:
        self._database = database
        self._folder = folder
        self._clock = clock
        self._wanted = ""
        self._limit_bytes = 0
        database.create_function("folded", 1, _folded, deterministic=True)

    def listed(self) -> HistoryListed:
        """Return the entries that contain the words searched for."""
        query = f"SELECT {_COLUMNS} FROM entry WHERE NOT deleted"
        values: tuple[str, ...] = ()
        if self._wanted:
            query += " AND instr(folded(CAST(text AS BLOB)), ?)"
            values = (self._wanted.casefold(),)
        rows = self._database.execute(f"{query} ORDER BY begun DESC", values)
        return HistoryListed(tuple(map(_entry, rows)), self._kept_bytes())

    def look_for(self, words: str) -> None:
        """List only entries that contain these words from now on, ignoring case."""
        self._wanted = storable(words.strip())

    def add_entry(self, request: SpeechRequest, model: str) -> None:
        """Add an entry for this request, or move the existing one to the front."""
        now, text = self._clock(), storable(request.text)
        key, speech_settings = key_of(request, model), speech_settings_of(request)
        self._database.execute(
            "INSERT INTO entry (key, title, model, manner, begun, heard, text) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET begun = excluded.begun, heard = excluded.heard, deleted = 0",
            (key, first_words(text[request.start :]), model, speech_settings, now, now, text),
        )
        self._forget_oldest()

    def save_audio(self, key: str, seconds: float, marks: str) -> None:
        """Record that the audio file for this key is written, and evict other audio if necessary."""
        if self._row("SELECT 1 FROM entry WHERE key = ? AND NOT deleted", key) is None:
            self._sound(key).unlink(missing_ok=True)
            return
        with transaction(self._database):
            self._database.execute("INSERT OR REPLACE INTO marks (key, content) VALUES (?, ?)", (key, marks))
            self._database.execute(
                "UPDATE entry SET seconds = ?, kept_bytes = ? WHERE key = ?",
                (seconds, self._sound(key).stat().st_size, key),
            )
        self._make_room()

    def recall(self, number: int) -> StoredEntry:
        """Return a stored entry, and mark it as played now; raises `InvalidRequest` if it does not exist."""
        self._database.execute("UPDATE entry SET heard = ? WHERE number = ?", (self._clock(), number))
        row = self._row(
            "SELECT entry.key, text, manner, model, kept_bytes, content FROM entry "
            "LEFT JOIN marks ON marks.key = entry.key WHERE number = ?",
            number,
        )
        if row is None:
            raise InvalidRequest("This item is no longer in the history.", "Choose a different item.")
        key, text, speech_settings, model, kept_bytes, marks = row
        sound = self._sound(key) if kept_bytes and self._sound(key).exists() else None
        return StoredEntry(number, request_of(text, speech_settings), model, sound, marks or "")

    def star(self, number: int, starred: bool) -> None:
        """Star an entry, which protects it and its audio, or remove the star."""
        self._database.execute("UPDATE entry SET starred = ? WHERE number = ?", (starred, number))
        self._make_room()

    def delete(self, number: int) -> None:
        """Delete an entry so that it can be restored; an entry deleted earlier is removed permanently."""
        self.forget_deleted()
        self._database.execute("UPDATE entry SET deleted = 1 WHERE number = ?", (number,))

    def bring_back(self) -> None:
        """Restore the entry that was deleted last."""
        self._database.execute("UPDATE entry SET deleted = 0 WHERE deleted")

    def limit(self, megabytes: int) -> None:
        """Limit the size of saved audio; starred audio is never evicted."""
        self._limit_bytes = megabytes * MEGABYTE
        self._make_room()

    def forget_deleted(self) -> None:
        """Remove deleted entries permanently."""
        self._forget("deleted")

    def tidy(self) -> None:
        """Remove files without an entry, such as incomplete ones, and record which audio files are missing."""
        self.forget_deleted()
        sounds = self._folder / SOUNDS
        sounds.mkdir(exist_ok=True)
        here = {path.name for path in sounds.iterdir()}
        kept = {self._sound(key).name for (key,) in self._database.execute("SELECT key FROM entry WHERE kept_bytes")}
        for name in here - kept:
            (sounds / name).unlink(missing_ok=True)
        for name in kept - here:
            self._database.execute("UPDATE entry SET kept_bytes = 0 WHERE key = ?", (Path(name).stem,))

    def _make_room(self) -> None:
        """Evict the least recently played audio without a star until the limit is met."""
        excess = self._kept_bytes() - self._limit_bytes
        oldest = "SELECT key, kept_bytes FROM entry WHERE kept_bytes AND NOT starred ORDER BY heard"
        for key, kept_bytes in self._database.execute(oldest).fetchall():
            if excess <= 0:
                break
            self._let_go(key)
            excess -= kept_bytes

    def _forget_oldest(self) -> None:
        (count,) = self._database.execute("SELECT count(*) FROM entry").fetchone()
        if count <= ENTRIES_KEPT:
            return
        self._forget(
            "number IN (SELECT number FROM entry WHERE NOT starred AND NOT deleted "
            f"ORDER BY begun DESC LIMIT -1 OFFSET {ENTRIES_KEPT})"
        )

    def _forget(self, condition: str) -> None:
        for (key,) in self._database.execute(f"SELECT key FROM entry WHERE {condition}").fetchall():
            self._let_go(key)
            self._database.execute("DELETE FROM entry WHERE key = ?", (key,))

    def _let_go(self, key: str) -> None:
        """Remove saved audio, its file last: a file without an entry is removed at the next start."""
        with transaction(self._database):
            self._database.execute("DELETE FROM marks WHERE key = ?", (key,))
            self._database.execute("UPDATE entry SET kept_bytes = 0 WHERE key = ?", (key,))
        self._sound(key).unlink(missing_ok=True)

    def _kept_bytes(self) -> int:
        (total,) = self._database.execute("SELECT coalesce(sum(kept_bytes), 0) FROM entry").fetchone()
        return int(total)

    def _sound(self, key: str) -> Path:
        return sound_path(self._folder, key)

    def _row(self, query: str, *values: object) -> tuple | None:
        row: tuple | None = self._database.execute(query, values).fetchone()
        return row


def sound_path(folder: Path, key: str) -> Path:
    """Return the path of the audio file for this key in the library's folder."""
    return folder / SOUNDS / f"{key}.flac"


def _folded(text: bytes) -> str:
    """Return case-folded text; takes bytes, because SQLite passes text with a damaged byte only as such."""
    return readable(text).casefold()


def _entry(row: tuple) -> HistoryEntry:
    number, title, speech_settings, model, begun, seconds, starred, kept_bytes = row
    voice, speed = voice_and_speed(speech_settings)
    return HistoryEntry(number, title, voice, model, speed, begun, seconds, bool(starred), kept_bytes)
