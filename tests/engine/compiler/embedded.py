"""Reads what TVM writes into a compiled library of any format: the modules inside, and the kernels of one for Metal."""

from __future__ import annotations

import struct

IN_THE_LIBRARY = "_lib"
"""The module that is the library's own machine code: nothing is written for it."""


class Reader:
    """Numbers and texts, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content, self._place = content, 0

    @property
    def at_end(self) -> bool:
        return self._place == len(self._content)

    def take(self, count: int) -> bytes:
        self._place += count
        assert self._place <= len(self._content)
        return self._content[self._place - count : self._place]

    def number(self) -> int:
        return struct.unpack("<Q", self.take(8))[0]

    def content(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        return self.content().decode()


def modules_in(written: bytes) -> dict[str, bytes]:
    """The modules of a library by their kinds."""
    reader = Reader(written)
    for _ in range(2):  # which imports which
        reader.take(8 * reader.number())
    modules = {}
    while not reader.at_end:
        kind = reader.text()
        modules[kind] = b"" if kind == IN_THE_LIBRARY else reader.content()
    return modules


def metal_kernels(written: bytes) -> dict[str, str]:
    """The text of each kernel of a module of the kind `metal`, by name; raises AssertionError when they do not fit."""
    reader = Reader(written)
    assert reader.text() == "metal"
    described = {_described(reader) for _ in range(reader.number())}
    kernels = {reader.text(): reader.text() for _ in range(reader.number())}
    assert reader.at_end
    assert described == set(kernels)
    return kernels


def _described(reader: Reader) -> str:
    """A kernel's name; how it is called is read and not kept."""
    name = reader.text()
    assert reader.text() == name
    reader.take(4 * reader.number())  # types of the arguments
    for _ in range(reader.number()):
        reader.text()  # which parts of the launch size follow them
    reader.take(4 * reader.number())
    return name
