"""What is printed on pages: lines with their places, titles of the outline, and what most lines are like."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

_HEADING_SIZE = 1.15
_INDENT_SIZES = 0.6
_LARGEST_INDENT_SIZES = 6
_INDENTED_SHARE = 0.04
_SHORT = 0.85
_FULL_SHARE = 0.8
_COLUMN_SHARE = 0.1
"""Of all lines; so many begin at the left edge of a column, and of right and left pages, whose margins differ."""


@dataclass(frozen=True)
class Line:
    """A line of text on a page: where it begins and ends, its lower edge and its size, all in points.

    `marks` are those of notes in it; one that stands `apart` is a paragraph, and one that `lists` says on which page
    something is.
    """

    text: str
    page: int
    left: float
    right: float
    bottom: float
    size: float
    marks: tuple[str, ...] = ()
    apart: bool = False
    lists: bool = False


@dataclass(frozen=True)
class Heading:
    """A title in the outline, the page that it leads to, from 0, and its level, 1 for the highest."""

    title: str
    page: int
    level: int


class Shape:
    """What most lines are like: their size, distance and edges; `indents` tells that paragraphs begin with one."""

    def __init__(self, lines: Sequence[Line]) -> None:
        weights: Counter[float] = Counter()
        for line in lines:
            weights[round(line.size, 1)] += len(line.text)
        self.size = weights.most_common(1)[0][0] if weights else 0.0
        body = [line for line in lines if abs(line.size - self.size) < 0.5]
        steps = [before.bottom - after.bottom for before, after in pairwise(body)]
        downwards = Counter(round(step, 1) for step in steps if step > 0)
        self.step = downwards.most_common(1)[0][0] if downwards else 1.2 * self.size
        self._rights = _usual_rights(body)
        self.left = Counter(round(line.left) for line in body).most_common(1)[0][0] if body else 0
        indented = sum(1 for line in body if self.is_indented(line))
        self.indents = indented > _INDENTED_SHARE * len(body)

    def is_short(self, line: Line) -> bool:
        """Whether a line ends well before most that begin where it does."""
        left, right = self._column(line)
        return line.right - left < _SHORT * (right - left)

    def usual_right(self, line: Line) -> float:
        """Where most lines end that begin where this one does."""
        return self._column(line)[1]

    def _column(self, line: Line) -> tuple[float, float]:
        at = bisect_right(self._rights, (line.left + _INDENT_SIZES * self.size, inf)) - 1
        return self._rights[max(at, 0)] if self._rights else (0.0, 0.0)

    def is_large(self, line: Line) -> bool:
        """Whether a line is larger than text is."""
        return line.size >= _HEADING_SIZE * self.size

    def is_indented(self, line: Line) -> bool:
        """Whether a line begins further to the right than most, but not in the middle of the page."""
        return _INDENT_SIZES * self.size < line.left - self.left < _LARGEST_INDENT_SIZES * self.size


def _usual_rights(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Each left edge at which many lines begin, and where most of them end."""
    by_left: dict[int, list[float]] = {}
    for line in lines:
        by_left.setdefault(round(line.left), []).append(line.right)
    many = {left: rights for left, rights in by_left.items() if len(rights) >= _COLUMN_SHARE * len(lines)}
    return [(left, sorted(rights)[int(_FULL_SHARE * (len(rights) - 1))]) for left, rights in sorted(many.items())]
