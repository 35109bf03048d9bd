"""Where the characters of a chapter are in the document that shows it."""

from __future__ import annotations

from bisect import bisect_right

from app.widgets.text_positions import Utf16Positions


class ChapterPositions:
    """Characters are those of the chapter's text, positions those of its document, in Qt's UTF-16 units.

    Each character of a paragraph has a position of its own. What is between paragraphs is at the end of the one before;
    pictures are no characters, and a position at one is that of the character before which it stands.
    """

    def __init__(self, text: str) -> None:
        self._units = Utf16Positions(text)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._positions: list[int] = []

    def add(self, start: int, end: int, position: int) -> None:
        """Characters `start` to `end` are from a position on; both come after those that were added before."""
        self._starts.append(start)
        self._ends.append(end)
        self._positions.append(position)

    def position(self, character: int) -> int:
        """Where a character is, or the place before it."""
        if not self._starts:
            return 0
        piece = max(0, bisect_right(self._starts, character) - 1)
        start = self._starts[piece]
        shown = min(max(character, start), self._ends[piece])
        return self._positions[piece] + self._units.of(shown) - self._units.of(start)

    def character(self, position: int) -> int:
        """The character at a position."""
        if not self._starts:
            return 0
        piece = bisect_right(self._positions, position) - 1
        if piece < 0:
            return self._starts[0]
        units = self._units.of(self._starts[piece]) + position - self._positions[piece]
        character = self._units.character(units)
        if character <= self._ends[piece] or piece + 1 == len(self._starts):
            return min(character, self._ends[piece])
        return self._starts[piece + 1]
