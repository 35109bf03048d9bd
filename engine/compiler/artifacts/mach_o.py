"""The load commands in the header of a 64-bit Mach-O file, as libraries for Macs are (Apple's `mach-o/loader.h`)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MACH_O_MAGIC = struct.pack("<I", 0xFEEDFACF)
SYMBOL_TABLE, DYNAMIC_LINKER, SEGMENT, CODE_SIGNATURE, BUILD_VERSION = 0x2, 0xE, 0x19, 0x1D, 0x32
"""Kinds of load commands."""
COMMAND = struct.Struct("<2I")
"""The kind of a load command and its size in bytes."""
_COUNTS = struct.Struct("<2I")
"""The number of load commands and their size in bytes, at `_COUNTS_START` of the header."""
_COUNTS_START, _HEADER_BYTES = 16, 32
_SYMBOLS = struct.Struct("<3I")
"""The offset of a symbol table, the number of its symbols, and the offset of their names."""
_SYMBOL = struct.Struct("<IB3xQ")
"""A symbol's name, its kind and its address."""
_KIND_BITS = 0x0E
"""Of the kind; 0 for a symbol from a different library."""
_ADDRESSES = struct.Struct("<3Q")
"""Of a segment: its first address, its size, and where it is in the file."""
_ADDRESSES_START = 24


@dataclass(frozen=True)
class LoadCommand:
    """An entry of the header, which describes a part of the file: its kind, its offset, and its size in bytes."""

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


def symbol_addresses(content: bytes) -> dict[str, int]:
    """The addresses of the symbols that a file has itself; raises `struct.error` or `ValueError` for a damaged file."""
    addresses = {}
    for command in load_commands(content):
        if command.kind == SYMBOL_TABLE:
            symbols, count, names = _SYMBOLS.unpack_from(content, command.start + COMMAND.size)
            for name, kind, address in _SYMBOL.iter_unpack(content[symbols : symbols + count * _SYMBOL.size]):
                if kind & _KIND_BITS:
                    addresses[content[names + name : content.index(b"\0", names + name)].decode()] = address
    return addresses


def content_at(content: bytes, address: int) -> int:
    """The offset in the file of an address; raises `ValueError` for an address outside all segments."""
    for command in load_commands(content):
        if command.kind == SEGMENT:
            first, size, start = _ADDRESSES.unpack_from(content, command.start + _ADDRESSES_START)
            if first <= address < first + size:
                return int(start + address - first)
    raise ValueError(f"address {address} is in no segment")
