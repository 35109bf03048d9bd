"""The folder in which models are made: for one process at a time, with space enough, and nothing left behind.

It does not know what is made there.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import Cancelled, StorageError

SPARE_BYTES = 64 << 20
"""Disk space that is left free."""
_POLL_SECONDS = 0.1


@contextmanager
def alone(
    folder: Path, name: str, waiting: Callable[[], None], cancel: threading.Event | None = None
) -> Iterator[None]:
    """Wait until no other process changes the model of this name; `waiting` is called again and again meanwhile.

    Raises `Cancelled` once `cancel` is set, and `StorageError` for whatever goes wrong with the folder's files.
    """
    lock = FileLock(folder / f".{name}.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        while not _acquired(lock):
            waiting()
            if cancel is not None and cancel.is_set():
                raise Cancelled("It was stopped.")
        try:
            yield
        finally:
            lock.release()
    except OSError as error:
        raise StorageError(
            f"The folder {folder} cannot be written ({error.strerror or error}).",
            "Make it writable and make space there; models are kept there.",
        ) from error


@contextmanager
def building(folder: Path, name: str) -> Iterator[Path]:
    """An empty folder beside the models, deleted in the end."""
    place = folder / f".build-{name}"
    shutil.rmtree(place, ignore_errors=True)  # left by a process that was killed
    place.mkdir(parents=True)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise `StorageError` when the disk has less to spare."""
    free = shutil.disk_usage(folder).free
    if free < needed_bytes + SPARE_BYTES:
        raise StorageError(
            f"{_megabytes(needed_bytes + SPARE_BYTES)} are needed in {folder}, {_megabytes(free)} are free.",
            "Make space there, then try it again.",
        )


def _acquired(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=_POLL_SECONDS)
    except Timeout:
        return False
    return True


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
