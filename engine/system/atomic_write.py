"""Writes files atomically, so that readers never see an incomplete one."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import IO

from engine.errors import OutputError


def is_running(process: int) -> bool:
    """Return whether a process with this number exists; numbers below 1 never do."""
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # owned by a different user
        return True
    return True


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write to.

    It replaces `path` when the block ends without an error; otherwise `path` stays unchanged. Raises `OutputError` with
    one sentence if the folder is missing or read-only or if the disk is full.
    """
    ensure_writable(path)
    try:
        if path.exists() and not path.is_file():  # devices and pipes are written to, never replaced
            with path.open("wb") as file:
                yield file
        else:
            with _replacing(path) as file:
                yield file
    except OSError as error:
        raise write_error(path, error) from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write one of the program's own files atomically. Raises `OSError`."""
    with _replacing(path) as file:
        file.write(content)


def remove_leftovers(path: Path) -> None:
    """Remove the partial files left by processes that were killed while writing this file."""
    for leftover in path.parent.glob(f"{escape(_mark_of(path))}.*.part"):
        process = leftover.name.split(".")[-2]
        if process.isdecimal() and not is_running(int(process)):
            leftover.unlink(missing_ok=True)


def ensure_writable(path: Path) -> None:
    """Raise `OutputError` if a file cannot be created here; call it before the work, so that none is lost."""
    folder = path.absolute().parent
    try:
        if path.is_dir():
            raise OutputError(f"{path} is a folder.", "Choose a file in it, such as speech.wav.")
        if not folder.is_dir():
            raise OutputError(f"The folder {folder} doesn’t exist.", "Create it or choose a different place.")
    except OSError as error:  # for example, a name that is too long
        raise write_error(path, error) from error
    if not os.access(folder, os.W_OK):
        raise OutputError(f"The folder {folder} is read-only.", "Choose a folder that you can write to.")


def ensure_folder(folder: Path) -> None:
    """Raise `OutputError` if files cannot be written into a folder, which need not exist yet."""
    try:
        there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    except OSError as error:
        raise write_error(folder, error) from error
    if not there.is_dir():
        raise OutputError(f"{there} isn’t a folder.", "Choose a different place.")
    if not os.access(there, os.W_OK):
        raise OutputError(f"The folder {there} is read-only.", "Choose a folder that you can write to.")


def write_error(path: Path, error: OSError) -> OutputError:
    """Return the error for a failed attempt to write `path`: one sentence about the cause, one about what to do."""
    if error.errno == errno.ENOSPC:
        return OutputError(
            f"The disk is full, so {path} couldn’t be written.", "Free up some space or choose a different place."
        )
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return OutputError(f"You don’t have permission to write {path}.", "Choose a folder that you can write to.")
    if error.errno == errno.ENAMETOOLONG:
        return OutputError(f"The name of {path} is too long.", "Choose a shorter one.")
    return OutputError(f"Couldn’t write {path} ({error.strerror}).", "Choose a different place.")


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    temporary = path.with_name(f"{_mark_of(path)}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise, after a power cut the new name may have no content
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _mark_of(path: Path) -> str:
    """Return the prefix of temporary file names, short enough that any file name leaves room for the rest."""
    return f".{path.name[:40]}.{zlib.crc32(os.fsencode(path.name)):08x}"
