"""The SHA-256 of large files, with progress."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from engine.system.waiting import raise_if_set

_CHUNK_BYTES = 1 << 20


def sha256_of(
    path: Path, advance: Callable[[int], None] = lambda count: None, cancel: threading.Event | None = None
) -> str:
    """The digest in hexadecimal; `advance` gets the number of bytes of each chunk read.

    Raises `OSError`, or `Cancelled` once `cancel` is set.
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            raise_if_set(cancel, "Checking was stopped.")
            digest.update(chunk)
            advance(len(chunk))
    return digest.hexdigest()


def is_file_with(path: Path, size_bytes: int, sha256: str) -> bool:
    """Whether there is a readable file of this size and digest."""
    try:
        return path.stat().st_size == size_bytes and sha256_of(path) == sha256
    except OSError:
        return False
