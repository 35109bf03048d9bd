"""Reads what TVM writes into a compiled library: the modules inside, and the kernels of one for Metal.

Of libraries for Macs it reads the file itself, on any system.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from engine.compiler.artifacts.mach_o import content_at, symbol_addresses
from engine.compiler.artifacts.manifest import METAL_DEVICE, Manifest

_MODULES = "___tvm_ffi__library_bin"
"""The symbol at which TVM puts the modules inside a library."""
_IN_THE_LIBRARY = "_lib"
"""The module that is the library's own machine code: nothing is written for it."""
_COUNT = struct.Struct("<Q")


class _Reader:
    """Numbers and texts, one after the other; raises `ValueError` at the end of the content."""

    def __init__(self, content: bytes) -> None:
        self._content, self._place = content, 0

    @property
    def at_end(self) -> bool:
        return self._place == len(self._content)

    def read(self, count: int) -> bytes:
        self._place += count
        if self._place > len(self._content):
            raise ValueError("the modules inside the library are cut off")
        return self._content[self._place - count : self._place]

    def number(self) -> int:
        return int(_COUNT.unpack(self.read(_COUNT.size))[0])

    def content(self) -> bytes:
        return self.read(self.number())

    def text(self) -> str:
        return self.content().decode()


def metal_libraries(modules: Path) -> Iterator[Path]:
    """The libraries for Macs with an Apple GPU, of all sets in a folder."""
    for folder in sorted(modules.glob("*-metal-macos*")):
        yield from (folder / artifact.file for artifact in Manifest.load(folder).artifacts)


def metal_module(library: Path) -> bytes:
    """The module of kernels inside a library for Macs, as TVM loads it; raises `ValueError` or `KeyError`."""
    content = library.read_bytes()
    place = content_at(content, symbol_addresses(content)[_MODULES])
    (size,) = _COUNT.unpack_from(content, place)
    return modules_in(content[place + _COUNT.size : place + _COUNT.size + size])[METAL_DEVICE]


def modules_in(written: bytes) -> dict[str, bytes]:
    """The modules of a library by their kinds; raises `ValueError`."""
    reader = _Reader(written)
    for _ in range(2):  # which imports which
        reader.read(_COUNT.size * reader.number())
    modules = {}
    while not reader.at_end:
        kind = reader.text()
        modules[kind] = b"" if kind == _IN_THE_LIBRARY else reader.content()
    return modules


def metal_kernels(module: bytes) -> dict[str, str]:
    """The text of each kernel of a module of the kind `metal`, by name; raises `ValueError` when they do not fit."""
    reader = _Reader(module)
    kind = reader.text()
    described = {_described(reader) for _ in range(reader.number())}
    kernels = {reader.text(): reader.text() for _ in range(reader.number())}
    if kind != METAL_DEVICE or not reader.at_end or described != set(kernels):
        raise ValueError("the Metal module is damaged")
    return kernels


def _described(reader: _Reader) -> str:
    """A kernel's name; how it is called is read and not kept."""
    name = reader.text()
    reader.text()  # the name again
    reader.read(4 * reader.number())  # types of the arguments
    for _ in range(reader.number()):
        reader.text()  # which parts of the launch size follow them
    reader.read(4 * reader.number())
    return name
