"""Where words are in a text, whatever their case, and which of these places comes next."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

Span = tuple[int, int]
"""The characters from the first up to the second."""


@dataclass(frozen=True)
class Match:
    """The place `number` (from 1) of `count`; `wrapped` if the search went past an end of the text to find it."""

    span: Span
    number: int
    count: int
    wrapped: bool = False


@dataclass(frozen=True)
class Matches:
    """The places of some words in a text, in order; they do not overlap."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, text: str, words: str) -> Matches:
        """All of them; none of no words."""
        found = re.finditer(re.escape(words), text, re.IGNORECASE) if words else ()
        return cls(tuple(match.span() for match in found))

    def from_place(self, place: int) -> Match | None:
        """The first that starts at this character or later, or else the first of all."""
        index = bisect_left(self.spans, place, key=_start)
        return self._match(index % len(self.spans), wrapped=index == len(self.spans)) if self.spans else None

    def before(self, place: int) -> Match | None:
        """The last that starts before this character, or else the last of all."""
        index = bisect_left(self.spans, place, key=_start) - 1
        return self._match(index % len(self.spans), wrapped=index < 0) if self.spans else None

    def after(self, place: int) -> Match | None:
        """The first that starts behind this character, or else the first of all."""
        index = bisect_right(self.spans, place, key=_start)
        return self._match(index % len(self.spans), wrapped=index == len(self.spans)) if self.spans else None

    def at(self, span: Span) -> Match | None:
        """The one that is exactly there."""
        index = bisect_left(self.spans, span)
        return self._match(index, wrapped=False) if span in self.spans[index : index + 1] else None

    def _match(self, index: int, *, wrapped: bool) -> Match:
        return Match(self.spans[index], index + 1, len(self.spans), wrapped)


def _start(span: Span) -> int:
    return span[0]
