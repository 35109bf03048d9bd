"""The load commands in the header of a 64-bit Mach-O file, as libraries for Macs are (Apple's `mach-o/loader.h`)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MACH_O_MAGIC = struct.pack("<I", 0xFEEDFACF)
DYNAMIC_LINKER, SEGMENT, CODE_SIGNATURE, BUILD_VERSION = 0xE, 0x19, 0x1D, 0x32
"""Kinds of load commands."""
COMMAND = struct.Struct("<2I")
"""The kind of a load command and its size in bytes."""
_COUNTS = struct.Struct("<2I")
"""The number of load commands and their size in bytes, at `_COUNTS_START` of the header."""
_COUNTS_START, _HEADER_BYTES = 16, 32


@dataclass(frozen=True)
class LoadCommand:
    """What the header says about a file: the kind, and where it is."""

    kind: int
    start: int
    bytes: int


def load_commands(content: bytes | bytearray) -> Iterator[LoadCommand]:
    """The load commands of a file; raises `struct.error` or `ValueError` for a damaged header."""
    count, _ = _COUNTS.unpack_from(content, _COUNTS_START)
    start = _HEADER_BYTES
    for _ in range(count):
        kind, size = COMMAND.unpack_from(content, start)
        if size < COMMAND.size:
            raise ValueError("a load command without a size")
        yield LoadCommand(kind, start, size)
        start += size


def forget(content: bytearray, command: LoadCommand) -> None:
    """Remove a load command; those behind it move up, and the bytes that become free are zero."""
    count, size = _COUNTS.unpack_from(content, _COUNTS_START)
    end = _HEADER_BYTES + size
    content[command.start : end] = content[command.start + command.bytes : end] + bytes(command.bytes)
    _COUNTS.pack_into(content, _COUNTS_START, count - 1, size - command.bytes)
