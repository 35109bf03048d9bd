"""Reads from a Mach-O library what the tests need: its type, the places of its symbols, which are left undefined."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MAGIC_64 = 0xFEEDFACF
_ARM64 = 0x0100000C
_DYLIB = 6
_HEADER_BYTES = 32
_SYMBOL_BYTES = 16
_TYPE_BITS = 0x0E
_SYMBOL_TABLE, _LOAD, _NAME, _SEGMENT, _LEAST_SYSTEM = 0x2, 0xC, 0xD, 0x19, 0x32


@dataclass(frozen=True)
class Symbol:
    """A name, whether the library has it itself, and if so at which address it is loaded."""

    name: str
    defined: bool
    address: int


class MachO:
    """A library's header, symbols and content."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        magic, self._processor, _, self._kind, self._commands = struct.unpack_from("<5I", self.content)
        assert magic == _MAGIC_64

    @property
    def is_arm64_library(self) -> bool:
        return (self._processor, self._kind) == (_ARM64, _DYLIB)

    @property
    def name(self) -> str:
        """What programs that link with the library would look for."""
        return self._library(next(self._places(_NAME)))

    @property
    def loaded(self) -> list[str]:
        """Libraries that are loaded with this one."""
        return [self._library(place) for place in self._places(_LOAD)]

    @property
    def least_system(self) -> tuple[int, int]:
        """The oldest macOS it runs on."""
        version = self._number("<I", next(self._places(_LEAST_SYSTEM)) + 12)
        return version >> 16, version >> 8 & 0xFF

    @property
    def undefined(self) -> set[str]:
        """Names of symbols that are looked up when the library is loaded."""
        return {symbol.name for symbol in self._symbols() if not symbol.defined}

    def counted_bytes(self, name: str) -> bytes:
        """The content at a symbol that TVM's compiler wrote: 8 bytes that say how many, then as many."""
        start = self._offset(next(symbol.address for symbol in self._symbols() if symbol.name == name))
        return self.content[start + 8 : start + 8 + self._number("<Q", start)]

    def _offset(self, address: int) -> int:
        for place in self._places(_SEGMENT):
            first, size, offset = struct.unpack_from("<3Q", self.content, place + 24)
            if first <= address < first + size:
                return offset + address - first
        raise AssertionError(f"address {address} is in no segment")

    def _symbols(self) -> Iterator[Symbol]:
        for place in self._places(_SYMBOL_TABLE):
            symbols, count, strings = struct.unpack_from("<3I", self.content, place + 8)
            for start in range(symbols, symbols + count * _SYMBOL_BYTES, _SYMBOL_BYTES):
                name, kind, address = struct.unpack_from("<IB3xQ", self.content, start)
                yield Symbol(self._text(strings + name), kind & _TYPE_BITS != 0, address)

    def _places(self, wanted: int) -> Iterator[int]:
        """Where the load commands of one kind start."""
        place = _HEADER_BYTES
        for _ in range(self._commands):
            command, size = struct.unpack_from("<2I", self.content, place)
            if command == wanted:
                yield place
            place += size

    def _library(self, place: int) -> str:
        """The name in a load command."""
        return self._text(place + self._number("<I", place + 8))

    def _number(self, form: str, place: int) -> int:
        return struct.unpack_from(form, self.content, place)[0]

    def _text(self, start: int) -> str:
        return self.content[start : self.content.index(b"\0", start)].decode()
