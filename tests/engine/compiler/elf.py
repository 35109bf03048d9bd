"""Reads from an ELF library what the tests need: its type and processor."""

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
