"""Stores running jobs on disk, so that one whose process was killed can be offered again.

Each is a file locked by its process; the system releases the lock when the process ends, for any reason.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from engine.export.export_job import ExportJob
from engine.runtime.edit_files import edits_from, request_fields, request_from_fields
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.text.documents import Chapter, Document

_SUFFIX = ".json"


@dataclass(frozen=True, eq=False)
class StoredJob:
    """A job, the name of the model to speak it, and its file, which is locked as long as it is open."""

    order: ExportJob
    model: str
    path: Path
    lock: IO[bytes]

    def drop(self) -> None:
        """Remove the job, since it is complete or no longer needed."""
        self.path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Leave the job to the next process that looks."""
        self.lock.close()


class StoredJobs:
    """A folder of jobs; failures raise `OSError`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder() / "exports"

    def keep(self, order: ExportJob, model: str) -> StoredJob:
        """Store a job until it is dropped."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{time.time_ns()}-{os.getpid()}{_SUFFIX}"
        write_atomically(path, json.dumps(_fields_of(order) | {"model": model}).encode())
        lock = path.open("rb")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return StoredJob(order, model, path, lock)

    def interrupted(self) -> Iterator[StoredJob]:
        """Yield the jobs of processes that have ended, oldest first; each belongs to this process from now on."""
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            with suppress(FileNotFoundError):  # another process was faster
                lock = path.open("rb")
                if not _locked(lock):
                    lock.close()
                elif (kept := _read(path, lock)) is not None:
                    yield kept


def _locked(file: IO[bytes]) -> bool:
    """Return whether the file could be locked and still exists then."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return os.fstat(file.fileno()).st_nlink > 0


def _read(path: Path, lock: IO[bytes]) -> StoredJob | None:
    """Read the job in a file; an invalid one is removed."""
    try:
        fields = json_value(lock.read())
        return StoredJob(_order_of(fields), str(fields["model"]), path, lock)
    except (ValueError, TypeError, KeyError, AttributeError):
        path.unlink(missing_ok=True)
        lock.close()
        return None


def _fields_of(order: ExportJob) -> dict[str, Any]:
    document = order.document
    return {
        "path": str(order.path.absolute()),
        "per_chapter": order.per_chapter,
        "subtitles": order.subtitles and str(order.subtitles.absolute()),
        "manner": request_fields(order.speech_settings),
        "title": document.title,
        "author": document.author,
        "language": document.language,
        "chapters": [[chapter.title, chapter.text] for chapter in document.chapters],
        "edits": [[asdict(edit) for edit in edits] for edits in order.edits],
        "book": order.book and str(order.book.absolute()),
        "cover": document.cover and base64.b64encode(document.cover).decode(),
    }


def _order_of(fields: dict[str, Any]) -> ExportJob:
    """Rebuild a job. Raises `ValueError`, `TypeError`, `KeyError` or `AttributeError` for invalid fields."""
    chapters = tuple(Chapter(title.strip(), text + "") for title, text in fields["chapters"])
    if not chapters:
        raise ValueError("There is no chapter.")
    cover = fields["cover"] and base64.b64decode(fields["cover"])
    document = Document(fields["title"], fields["author"], fields["language"], chapters, cover)
    subtitles = fields["subtitles"] and Path(fields["subtitles"])
    speech_settings = request_from_fields({"text": "", **fields["manner"]})
    edits = tuple(map(edits_from, fields.get("edits", ())))
    if edits and len(edits) != len(chapters):
        raise ValueError("Not every chapter has its edits.")
    book = Path(fields["book"]) if fields.get("book") else None
    path, per_chapter = Path(fields["path"]), bool(fields["per_chapter"])
    return ExportJob(document, speech_settings, path, per_chapter, subtitles, edits, book)
