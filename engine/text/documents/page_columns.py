"""Arranges the lines of printed pages in reading order, column by column, and determines their typical shape.

Tables are summarized, and line numbers left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from operator import attrgetter
from statistics import median, quantiles

from engine.text.documents.blocks import Block
from engine.text.documents.tables import told

_HEADING_SIZE = 1.15
_INDENT_SIZES = 0.6
_MAX_INDENT_SIZES = 6
_INDENTED_SHARE = 0.04
_SHORT = 0.85
_FULL_SHARE = 0.8
_COLUMN_SHARE = 0.1
"""The share of all lines that must begin at an edge: of a column, or of left and right pages with different margins."""
_FEWEST_LINES = 3
"""The fewest lines on each side of the space between columns."""
_MIN_COLUMN_SIZES = 7.0
"""The smallest median width of a column's lines, in font sizes; narrower ones may be a table."""
_MAX_CROSSING = 2.0
"""The most lines across the gap for each line of the smaller column: headings and a paper's abstract."""
_MAX_COLUMNS = 3
"""The depth to which each half is divided again."""
_ALIGNED_SIZES = 1.0
_FEWEST_ROWS = 3
_ROW_GAP = 1.8
_INITIAL = re.compile(r"[“‘\"'«¿¡—]?[^\W\d_]")
_INITIAL_SIZES = 1.5
_LETTERS_AS_WORDS = "AIO"
_SAME_HEIGHT = 0.5
"""The largest difference in height within a line, in points."""
_NUMBER = re.compile(r"\d{1,5}")
_PAGE_AT_END = re.compile(r"(?:.*(?:[.·…_]\s*){4,}|[.·…_\s]*)(\d{1,5})")
_LABEL = re.compile(r"\W+|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]+)[.)]")
_CONTINUED_SHARE = 0.2


@dataclass(frozen=True)
class PageLine:
    """A line of text on a page: its left and right ends, its lower edge and its size, all in points.

    `marks` are the note marks in it; one that stands `apart` is a paragraph, and one that `lists` is an entry with a
    page number.
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
    """A title in the outline, its page, from 0, and its level, 1 for the highest."""

    title: str
    page: int
    level: int


class Shape:
    """The typical size, spacing and edges of lines; `indents` tells that paragraphs begin with an indent."""

    def __init__(self, lines: Sequence[PageLine]) -> None:
        weights: Counter[float] = Counter()
        for line in lines:
            weights[round(line.size, 1)] += len(line.text)
        self.size = weights.most_common(1)[0][0] if weights else 0.0
        body = [line for line in lines if abs(line.size - self.size) < 0.5]
        steps = [before.bottom - after.bottom for before, after in pairwise(body)]
        downwards = Counter(round(step, 1) for step in steps if step > 0)
        self.step = downwards.most_common(1)[0][0] if downwards else 1.2 * self.size
        self._rights = _common_right_margins(body)
        self.left = Counter(round(line.left) for line in body).most_common(1)[0][0] if body else 0
        indented = sum(1 for line in body if self.is_indented(line))
        self.indents = indented > _INDENTED_SHARE * len(body)

    def is_short(self, line: PageLine) -> bool:
        """Return whether a line ends well before most lines with the same left edge."""
        left, right = self._column(line)
        return line.right - left < _SHORT * (right - left)

    def common_right_margin(self, line: PageLine) -> float:
        """Return the right end of most lines with the same left edge as this one."""
        return self._column(line)[1]

    def _column(self, line: PageLine) -> tuple[float, float]:
        at = bisect_right(self._rights, (line.left + _INDENT_SIZES * self.size, inf)) - 1
        return self._rights[max(at, 0)] if self._rights else (0.0, 0.0)

    def is_large(self, line: PageLine) -> bool:
        """Return whether a line is larger than body text."""
        return line.size >= _HEADING_SIZE * self.size

    def is_indented(self, line: PageLine) -> bool:
        """Return whether a line is indented, but not centered."""
        return _INDENT_SIZES * self.size < line.left - self.left < _MAX_INDENT_SIZES * self.size


def _common_right_margins(lines: Sequence[PageLine]) -> list[tuple[float, float]]:
    """Return each common left edge with the right end of most of its lines."""
    by_left: dict[int, list[float]] = {}
    for line in lines:
        by_left.setdefault(round(line.left), []).append(line.right)
    many = {left: rights for left, rights in by_left.items() if len(rights) >= _COLUMN_SHARE * len(lines)}
    return [(left, sorted(rights)[int(_FULL_SHARE * (len(rights) - 1))]) for left, rights in sorted(many.items())]


Row = tuple[PageLine, ...]
"""The pieces of a line, divided by wide gaps."""


def arranged(rows: Sequence[Row]) -> list[PageLine]:
    """Return the lines of a page in reading order."""
    rows = _with_initials(rows)
    pieces = [piece for row in rows for piece in row]
    if _space(pieces) is None:
        rows = _together(rows)
        upwards = sum(1 if after[0].bottom > before[0].bottom else -1 for before, after in pairwise(rows))
        return _with_tables(sorted(rows, key=lambda row: -row[0].bottom) if upwards > 0 else rows)
    owners = {id(piece): number for number, row in enumerate(rows) for piece in row}
    return _joined_rows(_in_columns(pieces, _MAX_COLUMNS), owners)


def _in_columns(pieces: list[PageLine], most: int) -> list[PageLine]:
    """Sort pieces by height; between those that cross the columns, the left ones come first."""
    space = _space(pieces) if most else None
    if space is None:
        return sorted(pieces, key=lambda piece: (-round(piece.bottom), piece.left))
    end, begin = space
    made: list[PageLine] = []
    left: list[PageLine] = []
    right: list[PageLine] = []
    for piece in sorted(pieces, key=lambda piece: -piece.bottom):
        if piece.right <= end:
            left.append(piece)
        elif piece.left >= begin:
            right.append(piece)
        else:
            made += _in_columns(left, most - 1) + _in_columns(right, most - 1) + [piece]
            left, right = [], []
    return made + _in_columns(left, most - 1) + _in_columns(right, most - 1)


def _space(pieces: Sequence[PageLine]) -> tuple[float, float] | None:
    """Return the right end of the left column and the left end of the right one; None if there are no columns."""
    if len(pieces) < 2 * _FEWEST_LINES:
        return None
    best = _best_cut(pieces)
    if best is None:
        return None
    size = median(piece.size for piece in pieces)
    left = [piece for piece in pieces if piece.right <= best]
    right = [piece for piece in pieces if piece.left >= best]
    if any(median(each.right - each.left for each in side) < _MIN_COLUMN_SIZES * size for side in (left, right)):
        return None
    if max(_low(left), _low(right)) > min(_high(left), _high(right)):
        return None
    begin = Counter(round(piece.left) for piece in right).most_common(1)[0][0] - 0.5 * size
    ends = quantiles([piece.right for piece in left], n=10)[-1] + 0.5 * size
    return max(min(ends, begin), min(piece.right for piece in left)), begin


def _best_cut(pieces: Sequence[PageLine]) -> float | None:
    """Return the place that the fewest pieces cross, relative to the pieces on its sides."""
    rights, lefts = sorted(piece.right for piece in pieces), sorted(piece.left for piece in pieces)
    best, cost, at = None, _MAX_CROSSING, 0
    for number, cut in enumerate(lefts):
        while at < len(rights) and rights[at] <= cut:
            at += 1
        before, after = at, len(lefts) - number
        if min(before, after) >= _FEWEST_LINES:
            crossing = (len(pieces) - before - after) / min(before, after)
            if crossing < cost:
                best, cost = cut, crossing
    return best


def _low(pieces: Sequence[PageLine]) -> float:
    return min(piece.bottom for piece in pieces)


def _high(pieces: Sequence[PageLine]) -> float:
    return max(piece.bottom for piece in pieces)


def _joined_rows(pieces: Sequence[PageLine], owners: dict[int, int]) -> list[PageLine]:
    """Join consecutive pieces of the same line."""
    made: list[PageLine] = []
    last = None
    for piece in pieces:
        owner = owners[id(piece)]
        if owner == last and piece.left > made[-1].left:
            made[-1] = _joined((made[-1], piece))
        else:
            made.append(piece)
        last = owner
    return made


def _joined(row: Row) -> PageLine:
    first = row[0]
    if len(row) == 1:
        return first
    text, right = " ".join(piece.text for piece in row), max(piece.right for piece in row)
    marks = tuple(mark for piece in row for mark in piece.marks)
    widest = max(row, key=lambda piece: len(piece.text))
    return PageLine(text, first.page, first.left, right, first.bottom, widest.size, marks)


def _with_initials(rows: Sequence[Row]) -> list[Row]:
    """Join each drop cap with its word."""
    made: list[Row] = []
    for row in rows:
        initial = made[-1][0] if made and len(made[-1]) == 1 else None
        if initial is not None and _INITIAL.fullmatch(initial.text) and _begins_with(initial, row[0]):
            between = " " if initial.text in _LETTERS_AS_WORDS and row[0].text[:1].isupper() else ""
            made[-1] = (replace(row[0], text=f"{initial.text}{between}{row[0].text}"), *row[1:])
        else:
            made.append(row)
    return made


def _begins_with(initial: PageLine, line: PageLine) -> bool:
    """Return whether an initial stands right before a line of much smaller letters and extends below it."""
    close = -line.size < line.left - initial.right < _INITIAL_SIZES * line.size
    return close and initial.size > _INITIAL_SIZES * line.size and initial.bottom < line.bottom


def _together(rows: Sequence[Row]) -> list[Row]:
    """Join consecutive rows at the same height."""
    made: list[Row] = []
    for row in rows:
        before = made[-1][-1] if made else None
        if before is not None and row[0].left > before.right and abs(row[0].bottom - before.bottom) < _SAME_HEIGHT:
            made[-1] += row
        else:
            made.append(row)
    return made


def _with_tables(rows: Sequence[Row]) -> list[PageLine]:
    """Return the lines of a page; the lines of a data table become one line that summarizes it."""
    made: list[PageLine] = []
    at = 0
    while at < len(rows):
        end = _aligned_end(rows, at)
        table, lists = _table(rows[at:end]), end - at >= _FEWEST_ROWS and _lists_pages(rows[at:end])
        if table is None:
            made += (replace(_joined(row), apart=lists, lists=lists) for row in rows[at:end])
        else:
            made.append(replace(_joined(rows[at]), text=table, bottom=rows[end - 1][0].bottom, marks=(), apart=True))
        at = end
    return made


def _aligned_end(rows: Sequence[Row], start: int) -> int:
    """Return the row after those that follow closely with their pieces aligned to the first."""
    end = start + 1
    while end < len(rows) and len(rows[start]) > 1 and _is_below(rows[end - 1], rows[end]):
        first_step = rows[start][0].bottom - rows[start + 1][0].bottom
        if rows[end - 1][0].bottom - rows[end][0].bottom > _ROW_GAP * first_step:
            break
        end += 1
    return end


def _table(rows: Sequence[Row]) -> str | None:
    """Return the summary of rows that are a data table; None if they are something else."""
    if len(rows) < _FEWEST_ROWS or _lists_pages(rows) or _is_list(rows):
        return None
    blocks = told([[(Block(piece.text),) for piece in row] for row in rows])
    return blocks[0].text if len(blocks) == 1 else None


def _is_below(above: Row, row: Row) -> bool:
    """Return whether the pieces of a row align with those above by their left ends, right ends or centers."""
    if len(row) != len(above):
        return False
    nearest = _ALIGNED_SIZES * row[0].size
    return all(
        min(abs(a.left - b.left), abs(a.right - b.right), abs(a.left + a.right - b.left - b.right) / 2) < nearest
        for a, b in zip(above, row, strict=True)
    )


def _lists_pages(table: Sequence[Row]) -> bool:
    """Return whether the rows are a list of titles with page numbers."""
    found = [_PAGE_AT_END.fullmatch(row[-1].text) for row in table]
    numbers = [int(each[1]) for each in found if each is not None]
    return len(numbers) == len(table) and all(above <= below for above, below in pairwise(numbers))


def _is_list(table: Sequence[Row]) -> bool:
    """Return whether the rows are a list whose bullets or numbers stand apart from its items."""
    return len(table[0]) == 2 and all(_LABEL.fullmatch(row[0].text) for row in table)


def without_line_numbers(pages: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """Remove numbers beside the lines: on each line, or on every fifth, as in law and poetry."""
    numbers = [_beside(page) for page in pages]
    counted = [_are_counted(page, beside) for page, beside in zip(pages, numbers, strict=True)]
    if not any(counted):
        return [list(page) for page in pages]
    dropped = {id(piece) for beside in numbers for piece in beside if len(beside) == 1}
    dropped |= {
        id(piece) for beside, is_counted in zip(numbers, counted, strict=True) if is_counted for piece in beside
    }
    kept = ([tuple(piece for piece in row if id(piece) not in dropped) for row in page] for page in pages)
    return [[row for row in page if row] for page in kept]


def _beside(page: Sequence[Row]) -> list[PageLine]:
    """Return the numbers outside the text at the height of a line, from the top."""
    pieces = [piece for row in page for piece in row]
    text = [piece for piece in pieces if not _NUMBER.fullmatch(piece.text)]
    numbers = [piece for piece in pieces if _NUMBER.fullmatch(piece.text)]
    if not numbers or len(text) < 2:
        return []
    begin = quantiles([piece.left for piece in text], n=10)[0]
    end = quantiles([piece.right for piece in text], n=10)[-1]
    heights = {round(piece.bottom / piece.size) + step for piece in text for step in (-1, 0, 1)}
    outside = [
        piece
        for piece in numbers
        if (piece.right < begin or piece.left > end) and round(piece.bottom / text[0].size) in heights
    ]
    return sorted(outside, key=lambda piece: -piece.bottom)


def _are_counted(page: Sequence[Row], numbers: Sequence[PageLine]) -> bool:
    """Return whether numbers count lines: in equal steps and, if by ones, with some lines continuing a sentence."""
    if len(numbers) < 2:
        return False
    steps = {int(below.text) - int(above.text) for above, below in pairwise(numbers)}
    edges = [
        {round(side(piece) / piece.size) for piece in numbers} for side in (attrgetter("left"), attrgetter("right"))
    ]
    if len(steps) != 1 or min(steps) < 1 or min(len(each) for each in edges) > 2:
        return False
    texts = [piece.text for row in page for piece in row if not _NUMBER.fullmatch(piece.text)]
    continued = sum(1 for text in texts if text[0].islower())
    return min(steps) > 1 or continued >= _CONTINUED_SHARE * len(texts)
