"""Reads from a Mach-O library what the tests need: its type, its symbols, where they are looked up, its signature."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

linked_by_zig = pytest.mark.skipif(sys.platform == "darwin", reason="on a Mac its own linker links")
_MAGIC_64 = 0xFEEDFACF
_ARM64 = 0x0100000C
_DYLIB = 6
_HEADER_BYTES = 32
_SYMBOL_BYTES = 16
_TYPE_BITS = 0x0E
_SYMBOL_TABLE, _LOAD, _NAME, _DYNAMIC_LINKER, _SEGMENT, _SIGNATURE, _SYSTEM = 0x2, 0xC, 0xD, 0xE, 0x19, 0x1D, 0x32
_BINDINGS = 0x80000022
_LIBRARY, _LONG_LIBRARY, _NO_LIBRARY, _BOUND_NAME, _FIRST_BIND, _LAST_BIND = 0x10, 0x20, 0x30, 0x40, 0x90, 0xC0
"""Instructions of Apple's linker: which library a name is bound to, the name, and four that bind it somewhere."""
_NUMBERS_AFTER = {_LONG_LIBRARY: 1, 0x60: 1, 0x70: 1, 0x80: 1, 0xA0: 1, _LAST_BIND: 2}
_SIGNATURE_MAGIC, _DIRECTORY_MAGIC = 0xFADE0CC0, 0xFADE0C02
_AD_HOC = 0x2


@dataclass(frozen=True)
class Symbol:
    """A name, and whether the library has it itself."""

    name: str
    defined: bool


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
        """The name by which programs that link with the library would load it."""
        return self._library(next(self._places(_NAME)))

    @property
    def loaded(self) -> list[str]:
        """Libraries that are loaded with this one."""
        return [self._library(place) for place in self._places(_LOAD)]

    @property
    def min_system(self) -> tuple[int, int]:
        """The oldest macOS it runs on."""
        return self._version(12)

    @property
    def sdk(self) -> tuple[int, int]:
        """The SDK that it says it was linked with."""
        return self._version(16)

    @property
    def names_dynamic_linker(self) -> bool:
        """True if it names the program that loads libraries, as only a program should."""
        return any(self._places(_DYNAMIC_LINKER))

    @property
    def image_infos(self) -> list[bytes]:
        """The flags of its Objective-C sources, of which the system reads one."""
        return [
            self.content[place : place + 8]
            for name, size, start in self._sections()
            if name == "__objc_imageinfo"
            for place in range(start, start + size, 8)
        ]

    @property
    def bound(self) -> dict[str, str]:
        """The library that each foreign symbol is looked up in; "" for one looked up in all that are loaded."""
        places = [place for kind in (16, 32) for place in self._places(_BINDINGS, kind)]
        return {name: library for place in places for name, library in self._bound(*self._pair(place))}

    @property
    def is_signed_ad_hoc(self) -> bool:
        """True if it has a signature without a certificate, and the hash of every page up to it is right."""
        ((start, _),) = (self._pair(place) for place in self._places(_SIGNATURE, 8))
        assert self._number(">I", start) == _SIGNATURE_MAGIC
        directory = start + self._number(">I", start + 16)
        assert self._number(">I", directory) == _DIRECTORY_MAGIC
        flags, hashes, _, special, count, end = struct.unpack_from(">6I", self.content, directory + 12)
        size, kind, _, page_bits = struct.unpack_from("4B", self.content, directory + 36)
        assert (flags & _AD_HOC, special, size, kind, end) == (_AD_HOC, 0, 32, 2, start)
        pages = (self.content[place : min(place + (1 << page_bits), end)] for place in range(0, end, 1 << page_bits))
        places = range(directory + hashes, directory + hashes + count * size, size)
        return [sha256(page).digest() for page in pages] == [self.content[place : place + size] for place in places]

    @property
    def undefined(self) -> set[str]:
        """Names of symbols that are looked up when the library is loaded."""
        return {symbol.name for symbol in self._symbols() if not symbol.defined}

    def _symbols(self) -> Iterator[Symbol]:
        for place in self._places(_SYMBOL_TABLE):
            symbols, count, strings = struct.unpack_from("<3I", self.content, place + 8)
            for start in range(symbols, symbols + count * _SYMBOL_BYTES, _SYMBOL_BYTES):
                name, kind = struct.unpack_from("<IB", self.content, start)
                yield Symbol(self._text(strings + name), kind & _TYPE_BITS != 0)

    def _sections(self) -> Iterator[tuple[str, int, int]]:
        """The name, size and place of every section."""
        for place in self._places(_SEGMENT):
            for section in range(place + 72, place + self._number("<I", place + 4), 80):
                size, start = struct.unpack_from("<QI", self.content, section + 40)
                yield self.content[section : section + 16].rstrip(b"\0").decode(), size, start

    def _bound(self, start: int, size: int) -> Iterator[tuple[str, str]]:
        """The bindings in a list of instructions: each name, and the library that it is bound to."""
        place, library, name = start, 0, ""
        while place < start + size:
            instruction, value = self.content[place] & 0xF0, self.content[place] & 0x0F
            place += 1
            if instruction == _BOUND_NAME:
                name = self._text(place)
                place += len(name) + 1
            numbers = []
            for _ in range(_NUMBERS_AFTER.get(instruction, 0)):
                number, place = self._long(place)
                numbers.append(number)
            if instruction in (_LIBRARY, _LONG_LIBRARY, _NO_LIBRARY):
                library = {_LIBRARY: value, _LONG_LIBRARY: sum(numbers), _NO_LIBRARY: 0}[instruction]
            elif _FIRST_BIND <= instruction <= _LAST_BIND:
                yield name, self.loaded[library - 1] if library else ""

    def _long(self, place: int) -> tuple[int, int]:
        """A number of seven bits a byte, and the place after it."""
        number = shift = 0
        while True:
            byte = self.content[place]
            number, shift, place = number | (byte & 0x7F) << shift, shift + 7, place + 1
            if byte < 0x80:
                return number, place

    def _version(self, place: int) -> tuple[int, int]:
        version = self._number("<I", next(self._places(_SYSTEM, place)))
        return version >> 16, version >> 8 & 0xFF

    def _pair(self, place: int) -> tuple[int, int]:
        return struct.unpack_from("<2I", self.content, place)

    def _places(self, wanted: int, after: int = 0) -> Iterator[int]:
        """The places so many bytes after the start of each load command of one kind."""
        place = _HEADER_BYTES
        for _ in range(self._commands):
            command, size = self._pair(place)
            if command == wanted:
                yield place + after
            place += size

    def _library(self, place: int) -> str:
        """The name in a load command."""
        return self._text(place + self._number("<I", place + 8))

    def _number(self, form: str, place: int) -> int:
        return struct.unpack_from(form, self.content, place)[0]

    def _text(self, start: int) -> str:
        return self.content[start : self.content.index(b"\0", start)].decode()
