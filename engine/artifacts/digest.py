"""The digest of a library's content, which signing it does not change.

macOS runs signed code only. Signing an application signs every library in it anew, which changes the library's bytes.
The digest of a Mach-O file is therefore that of the file without a signature; that of any other file covers every byte.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass

MACH_O_MAGIC = struct.pack("<I", 0xFEEDFACF)
_COUNTS = struct.Struct("<2I")
"""The number of load commands and their size in bytes, at `_COUNTS_START` of the header."""
_COUNTS_START, _HEADER_BYTES = 16, 32
_COMMAND = struct.Struct("<2I")
"""The kind of a load command and its size in bytes."""
_SEGMENT_64, CODE_SIGNATURE = 0x19, 0x1D
"""Kinds of load commands."""
_LINKEDIT = b"__LINKEDIT".ljust(16, b"\0")
_VIRTUAL_SIZE, _FILE_SIZE = 32, 48
"""Where a segment's command has its sizes; that of the segment with the signature grows and shrinks with it."""


@dataclass(frozen=True)
class LoadCommand:
    """What a Mach-O file's header says about it: the kind, and where it is."""

    kind: int
    start: int
    bytes: int


def content_digest(content: bytes) -> str:
    """The SHA-256 of a library's content, in hexadecimal, without the signature of a 64-bit Mach-O file.

    A damaged header is digested as it is, so that its digest differs.
    """
    try:
        return hashlib.sha256(_without_signature(content)).hexdigest()
    except (struct.error, ValueError):
        return hashlib.sha256(content).hexdigest()


def _without_signature(content: bytes) -> bytes:
    """The content as it was before it was signed: nothing in the header or after the symbols speaks of a signature."""
    if not content.startswith(MACH_O_MAGIC):
        return content
    commands = tuple(load_commands(content))
    plain = bytearray(content)
    for command in commands:
        if command.kind == _SEGMENT_64 and content[command.start + _COMMAND.size :].startswith(_LINKEDIT):
            struct.pack_into("<Q", plain, command.start + _VIRTUAL_SIZE, 0)
            struct.pack_into("<Q", plain, command.start + _FILE_SIZE, 0)
    for command in commands:
        if command.kind == CODE_SIGNATURE:
            (end,) = struct.unpack_from("<I", content, command.start + _COMMAND.size)
            _forget(plain, command, commands)
            del plain[end:]
    return bytes(plain)


def load_commands(content: bytes) -> Iterator[LoadCommand]:
    """The load commands of a 64-bit Mach-O file; raises `struct.error` or `ValueError` for a damaged header."""
    count, _ = _COUNTS.unpack_from(content, _COUNTS_START)
    start = _HEADER_BYTES
    for _ in range(count):
        kind, size = _COMMAND.unpack_from(content, start)
        if size < _COMMAND.size:
            raise ValueError("a load command without a size")
        yield LoadCommand(kind, start, size)
        start += size


def _forget(content: bytearray, command: LoadCommand, commands: tuple[LoadCommand, ...]) -> None:
    """Remove a load command; those behind it move up, and the bytes that become free are zero."""
    end = commands[-1].start + commands[-1].bytes
    content[command.start : end] = content[command.start + command.bytes : end] + bytes(command.bytes)
    _COUNTS.pack_into(content, _COUNTS_START, len(commands) - 1, sum(one.bytes for one in commands) - command.bytes)
