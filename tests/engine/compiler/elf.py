"""Reads the type, the CPU and the required C library of an ELF library."""

from __future__ import annotations

import re
import struct
from pathlib import Path

_MAGIC = b"\x7fELF"
_SHARED = 3
_AARCH64, _X86_64 = 183, 62
_VERSION = re.compile(rb"\0GLIBC_(\d+)\.(\d+)[.\d]*\0")


def is_arm64_library(path: Path) -> bool:
    """True if a file is a shared library for 64-bit ARM."""
    return _is_library(path, _AARCH64)


def is_x86_64_library(path: Path) -> bool:
    """True if a file is a shared library for 64-bit x86."""
    return _is_library(path, _X86_64)


def c_library_versions(path: Path) -> set[tuple[int, int]]:
    """The versions of the C library whose symbols it uses, from its table of names."""
    names = re.sub(rb"\0", b"\0\0", path.read_bytes())
    return {(int(major), int(minor)) for major, minor in _VERSION.findall(names)}


def _is_library(path: Path, processor: int) -> bool:
    content = path.read_bytes()
    assert content.startswith(_MAGIC)
    return struct.unpack_from("<2H", content, 16) == (_SHARED, processor)
