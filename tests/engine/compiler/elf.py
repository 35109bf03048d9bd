"""Reads as much of an ELF library as the tests ask for: what it is. It does not know what is in it."""

from __future__ import annotations

import struct
from pathlib import Path

_MAGIC = b"\x7fELF"
_SHARED = 3
_AARCH64 = 183


def is_arm64_library(path: Path) -> bool:
    """Whether a file is a shared library for 64-bit ARM."""
    content = path.read_bytes()
    assert content.startswith(_MAGIC)
    return struct.unpack_from("<2H", content, 16) == (_SHARED, _AARCH64)
