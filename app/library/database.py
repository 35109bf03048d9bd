"""Opens the library's database, upgrades its schema, or moves a damaged library away with all of its files."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError

FILE = "library.db"
SOUNDS = "sounds"
LOCK_SECONDS = 10.0
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

_VERSIONS = (
    """
    CREATE TABLE entry (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        model TEXT NOT NULL,
        manner TEXT NOT NULL,
        begun REAL NOT NULL,
        heard REAL NOT NULL,
        seconds REAL NOT NULL DEFAULT 0,
        starred INTEGER NOT NULL DEFAULT 0,
        deleted INTEGER NOT NULL DEFAULT 0,
        kept_bytes INTEGER NOT NULL DEFAULT 0,
        text TEXT NOT NULL
    );
    CREATE INDEX entry_begun ON entry (deleted, begun);
    CREATE TABLE marks (key TEXT PRIMARY KEY, content TEXT NOT NULL);
    CREATE TABLE item (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        place INTEGER NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL DEFAULT '',
        title TEXT NOT NULL,
        model TEXT NOT NULL,
        manner TEXT NOT NULL,
        target TEXT,
        document TEXT,
        text TEXT NOT NULL
    );
    """,
)
"""The additions of each schema version to the previous one; the last version is current."""


class LibraryUnusable(EngineError):
    """The error for a library that cannot be read or written; new items are not saved."""


@dataclass(frozen=True)
class LibraryReset:
    """The folder to which a damaged library was moved; a new library replaces it."""

    folder: Path


def open_library(folder: Path) -> tuple[sqlite3.Connection, LibraryReset | None]:
    """Open the database in a folder; also return the reset if it was damaged. Raises `LibraryUnusable`."""
    try:
        return _opened(folder), None
    except sqlite3.Error as error:
        if not is_damage(error):
            raise unusable(folder, error) from error
    except UnicodeDecodeError:  # SQLite's message quotes the damaged bytes, which Python cannot decode
        pass
    except OSError as error:
        raise unusable(folder, error) from error
    try:
        aside = _set_aside(folder)
        return _opened(folder), LibraryReset(aside)
    except (sqlite3.Error, OSError) as error:
        raise unusable(folder, error) from error


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file itself is at fault, and not the disk, permissions or other processes."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE  # the low byte of an extended code


def unusable(folder: Path, error: Exception) -> LibraryUnusable:
    """Return the error for an unusable library, with its cause and remedy."""
    return LibraryUnusable(
        f"History and queue can’t be saved in {folder} ({error}).",
        "Check the folder’s permissions and free disk space. Until then, new items won’t be saved.",
    )


def readable(text: bytes) -> str:
    """Decode text from the file; one damaged byte must not prevent the others from being read."""
    return text.decode(errors="replace")


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Commit all changes in the block, or none."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _opened(folder: Path) -> sqlite3.Connection:
    folder.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(folder / FILE, timeout=LOCK_SECONDS, isolation_level=None)
    connection.text_factory = readable
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        _examine(connection)
        _bring_up_to_date(connection, folder)
    except BaseException:
        connection.close()
        raise
    return connection


def _examine(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _bring_up_to_date(connection: sqlite3.Connection, folder: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(_VERSIONS):
        raise LibraryUnusable(
            f"A newer version of Kokoro Desk created the history and queue in {folder}.",
            "Use that version, or move the folder away to start over. Until then, new items won’t be saved.",
        )
    for number, script in enumerate(_VERSIONS[version:], version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


def _set_aside(folder: Path) -> Path:
    """Move the whole folder, since its audio files are useless without their database; return its new path."""
    aside = folder.with_name(f"{folder.name}-damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    with suppress(FileNotFoundError):
        folder.rename(aside)
    return aside
