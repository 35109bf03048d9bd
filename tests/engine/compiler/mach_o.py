"""Reads as much of a Mach-O library as the tests ask for: what it is, and which symbols it leaves undefined."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

MAC_SYMBOLS = {
    "_TVMFFIErrorSetRaisedFromCStrParts",  # of TVM's runtime
    "___extendhfsf2",  # of the system, as are the others
    "___truncsfhf2",
    "dyld_stub_binder",
}
_MAGIC_64 = 0xFEEDFACF
_ARM64 = 0x0100000C
_DYLIB = 6
_SYMBOL_TABLE = 2
_LOAD_LIBRARY, _OWN_NAME = 0x0C, 0x0D
_HEADER_BYTES = 32
_SYMBOL_BYTES = 16
_TYPE_BITS = 0x0E


class MachO:
    """A library's header and symbols."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        magic, self._processor, _, self._kind, self._commands = struct.unpack_from("<5I", self.content)
        assert magic == _MAGIC_64

    @property
    def is_arm64_library(self) -> bool:
        return (self._processor, self._kind) == (_ARM64, _DYLIB)

    @property
    def undefined(self) -> set[str]:
        """Names of symbols that are looked up when the library is loaded."""
        return {name for name, kind in self._symbols() if kind & _TYPE_BITS == 0}

    @property
    def loaded(self) -> list[str]:
        """Libraries that are loaded with this one."""
        return [self._name(place) for place in self._places(_LOAD_LIBRARY)]

    @property
    def own_name(self) -> str:
        """What others that are linked with it call it."""
        (place,) = self._places(_OWN_NAME)
        return self._name(place)

    def _symbols(self) -> Iterator[tuple[str, int]]:
        for place in self._places(_SYMBOL_TABLE):
            symbols, count, strings, _ = struct.unpack_from("<4I", self.content, place + 8)
            yield from (self._symbol(symbols + index * _SYMBOL_BYTES, strings) for index in range(count))

    def _places(self, wanted: int) -> Iterator[int]:
        """Where the load commands of this kind begin."""
        place = _HEADER_BYTES
        for _ in range(self._commands):
            command, size = struct.unpack_from("<2I", self.content, place)
            if command == wanted:
                yield place
            place += size

    def _name(self, place: int) -> str:
        """The name in a load command of a library."""
        return self._text(place + struct.unpack_from("<I", self.content, place + 8)[0])

    def _symbol(self, place: int, strings: int) -> tuple[str, int]:
        name, kind = struct.unpack_from("<IB", self.content, place)
        return self._text(strings + name), kind

    def _text(self, start: int) -> str:
        return self.content[start : self.content.index(b"\0", start)].decode()
