"""Looks up words in a file with sorted entries, without keeping its text in memory."""

from __future__ import annotations

import os
import weakref
from bisect import bisect_right
from pathlib import Path

BLOCK_BYTES = 2048
"""The approximate size of a read for one word: the text between two stored offsets."""


class SortedFile:
    """The entries of a UTF-8 file: each is `opening`, the word, `closing` and the text about the word.

    `opening` begins with the line break before the entry and occurs nowhere else, except up to the last line that
    begins with `comment`. The file may be replaced while in use, but not modified. Thread-safe. Raises `OSError` if it
    cannot be read.
    """

    def __init__(self, path: Path, opening: str, closing: str, comment: str = "") -> None:
        self._opening, self._closing = opening.encode(), closing.encode()
        self._file = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file).atexit = False  # other threads may still be reading then
        text = self._read(0, os.fstat(self._file).st_size).rstrip()
        self._words, self._starts = self._places(text, text.rfind(f"\n{comment}".encode()) + 1 if comment else 0)

    def after(self, word: str) -> str | None:
        """Return the text about a word; None if the file lacks it."""
        sought = word.encode("utf-8", "surrogatepass")
        position = bisect_right(self._words, sought)
        if position == 0 or b"\n" in sought or self._closing in sought:
            return None
        block = self._read(self._starts[position - 1], self._starts[position])
        _, found, said = block.partition(self._opening + sought + self._closing)
        return said.partition(self._opening)[0].decode() if found else None

    def text(self) -> str:
        """Return the text of the file up to the end of its last entry."""
        return self._read(0, self._starts[-1]).decode()

    def _places(self, text: bytes, at: int) -> tuple[list[bytes], list[int]]:
        """Return the first words and the offsets of the blocks in bytes; the last offset is the end of the text."""
        words, starts = [], []
        while (at := text.find(self._opening, at)) >= 0:
            start = at + len(self._opening)
            words.append(text[start : text.index(self._closing, start)])
            starts.append(at)
            at += BLOCK_BYTES
        return words, [*starts, len(text)]

    def _read(self, start: int, end: int) -> bytes:
        return os.pread(self._file, end - start, start)
