"""Text that remembers where each of its characters came from while it is rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

Replacement = str | None
"""Gives the replacement of a match; `None` leaves the match unchanged."""


@dataclass(frozen=True)
class Span:
    """A piece of a text: characters `start` to `end`, `end` not included."""

    start: int
    end: int


@dataclass(frozen=True)
class SourcedText:
    """A text and, for each border between its characters, the offset in the source it stands for.

    `borders` has one entry more than `text` has characters and never decreases.
    """

    text: str
    borders: tuple[int, ...]

    @classmethod
    def of(cls, source: str) -> SourcedText:
        """The source itself: each border is its own offset."""
        return cls(source, tuple(range(len(source) + 1)))

    def source_span(self, start: int, end: int) -> Span:
        """The span of the source that the characters `start` to `end` stand for."""
        return Span(self.borders[start], self.borders[end])

    def rewrite(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], Replacement]) -> SourcedText:
        """Replace each match of the pattern; the new characters share the match's span of the source."""
        pieces: list[str] = []
        borders: list[int] = []
        done = 0
        for match in pattern.finditer(self.text):
            replacement = replace(match)
            start, end = match.span()
            if replacement is None or start < done:
                continue
            pieces += (self.text[done:start], replacement)
            borders += self.borders[done:start]
            borders += _shared(self.borders[start], self.borders[end], replacement)
            done = end
        if not pieces:
            return self
        pieces.append(self.text[done:])
        borders += self.borders[done:]
        return SourcedText("".join(pieces), tuple(borders))

    def unwrap(self, pattern: re.Pattern[str], group: str) -> SourcedText:
        """Reduce each match to the group, whose characters keep their own offsets in the source."""
        pieces: list[str] = []
        borders: list[int] = []
        done = 0
        for match in pattern.finditer(self.text):
            inner = slice(*match.span(group))
            pieces += (self.text[done : match.start()], self.text[inner])
            borders += (*self.borders[done : match.start()], *self.borders[inner])
            done = match.end()
        return SourcedText("".join(pieces) + self.text[done:], (*borders, *self.borders[done:]))


def _shared(start: int, end: int, replacement: str) -> list[int]:
    """Left borders of the characters of a replacement: letters and digits share the span evenly, signs get none."""
    spoken = [character.isalnum() for character in replacement]
    count, length = max(sum(spoken), 1), end - start
    return [start + length * done // count for done in accumulate(spoken[:-1], initial=0)][: len(replacement)]
