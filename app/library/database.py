"""The library's database: opened, brought up to date, or set aside with all that belongs to it if it is damaged."""

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
"""What each version of the schema adds to the one before; the last is the present one."""


class LibraryUnusable(EngineError):
    """The library cannot be read or written; what is spoken meanwhile is not kept."""


@dataclass(frozen=True)
class LibraryReset:
    """A damaged library was moved to this folder, and a new one begun."""

    folder: Path


def open_library(folder: Path) -> tuple[sqlite3.Connection, LibraryReset | None]:
    """The database in a folder, and where a damaged one was moved to; raises `LibraryUnusable`."""
    try:
        return _opened(folder), None
    except sqlite3.Error as error:
        if not is_damage(error):
            raise unusable(folder, error) from error
    except UnicodeDecodeError:  # SQLite quotes what is damaged in its message, which Python cannot read then
        pass
    except OSError as error:
        raise unusable(folder, error) from error
    try:
        aside = _set_aside(folder)
        return _opened(folder), LibraryReset(aside)
    except (sqlite3.Error, OSError) as error:
        raise unusable(folder, error) from error


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, and not the disk, its rights or another process."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE  # the low byte of a more detailed code


def unusable(folder: Path, error: Exception) -> LibraryUnusable:
    """The error for a library that cannot be used, with the cause and what to do about it."""
    return LibraryUnusable(
        f"History and queue can’t be saved in {folder} ({error}).",
        "Check the folder's permissions and free disk space. Until then, new items won’t be saved.",
    )


def readable(text: bytes) -> str:
    """A text from the file; one damaged byte in it must not keep all others from being read."""
    return text.decode(errors="replace")


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of the changes in the block, or none."""
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
    """The whole folder, since its sounds mean nothing without their database."""
    aside = folder.with_name(f"{folder.name}-damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    with suppress(FileNotFoundError):
        folder.rename(aside)
    return aside
