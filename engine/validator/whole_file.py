"""Writes any file whole or not at all, so that whoever reads it meanwhile never sees half of it.

It does not know what the file holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from engine.audio_file import ensure_writable, write_error


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to; it takes the place of `path` when the block ends well, else `path` stays as it was.

    Raises `OutputError` with one sentence when the folder is missing or read-only or the disk is full.
    """
    ensure_writable(path)
    try:
        if path.exists() and not path.is_file():  # a device or pipe is written to, never replaced
            with path.open("wb") as file:
                yield file
        else:
            yield from _replacing(path)
    except OSError as error:
        raise write_error(path, error) from error


def _replacing(path: Path) -> Iterator[IO[bytes]]:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
