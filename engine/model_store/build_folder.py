"""The temporary folder in which a model is built: for one process at a time, with enough space, nothing left behind."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from engine.errors import StorageError
from engine.system.waiting import hold

SPARE_BYTES = 64 << 20
"""Disk space that is left free."""


@contextmanager
def alone(
    folder: Path, name: str, waiting: Callable[[], None], cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the lock of the model of this name; `waiting` is called if another process holds it.

    Raises `Cancelled` once `cancel` is set, and `StorageError` for any `OSError`, including those of the block.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold(FileLock(folder / f".{name}.lock"), waiting, cancel):
            yield
    except OSError as error:
        raise StorageError(
            f"The folder {folder} cannot be written ({error.strerror or error}).",
            "Make it writable and free some space there; models are kept there.",
        ) from error


@contextmanager
def building(folder: Path, name: str) -> Iterator[Path]:
    """An empty folder next to the models, deleted at the end of the block."""
    build_folder = folder / f".build-{name}"
    shutil.rmtree(build_folder, ignore_errors=True)  # left by a process that was killed
    build_folder.mkdir(parents=True)
    try:
        yield build_folder
    finally:
        shutil.rmtree(build_folder, ignore_errors=True)


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise `StorageError` when the disk has less free space, with `SPARE_BYTES` left over."""
    free = shutil.disk_usage(folder).free
    wanted_bytes = needed_bytes + SPARE_BYTES
    if free < wanted_bytes:
        raise StorageError(
            f"{_megabytes(wanted_bytes)} of free space are needed in {folder}; {_megabytes(free)} are free.",
            "Free some space there, then try again.",
        )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
