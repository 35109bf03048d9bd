"""The lines of printed pages, put together to headings and paragraphs without what belongs to the page alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.documents.prose import LineJoiner, clean

EDGE_LINES = 2
"""Running heads and page numbers are among so many lines at the top or the bottom of a page."""
REPEATED_PAGES = 3
"""A line that is at the edge of so many pages, apart from its numbers, is a running head."""
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|seite|página|pagina)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of|von|de|di)\s*\d{1,4})?[\W_]*",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§])[.)]?\s*\S")
_SENTENCE_END = re.compile(r"[.!?:…][\"'”’»)\]]*$")
_HEADING_SIZE = 1.15
_NOTE_SIZE = 0.93
_HEADING_CHARACTERS = 120
_GAP = 1.4
_SHORT = 0.85
_INDENT_SIZES = 0.6
_LARGEST_INDENT_SIZES = 6
_INDENTED_SHARE = 0.04


@dataclass(frozen=True)
class Line:
    """A line of text on a page: where it begins and ends, its lower edge and its size, all in points."""

    text: str
    page: int
    left: float
    right: float
    bottom: float
    size: float


@dataclass(frozen=True)
class Heading:
    """A title in the outline, the page that it leads to, from 0, and its level, 1 for the highest."""

    title: str
    page: int
    level: int


def paragraphs_of(pages: Sequence[Sequence[Line]], outline: Sequence[Heading]) -> Iterator[tuple[str, int]]:
    """Each heading and paragraph with its level, 0 for paragraphs.

    Headings are those of the outline; without one, short lines that are larger than the text.
    """
    shape = _Shape([line for page in pages for line in page])
    body = _without_edges(pages, shape)
    joiner = LineJoiner("\n".join(line.text for line in body))
    headed = _with_outline(body, outline) if outline else _with_large_lines(body, shape)
    for lines, level in _paragraphs(headed, shape):
        yield clean(joiner.joined([line.text for line in lines])), level


class _Shape:
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
        rights = sorted(line.right for line in body) or [0.0]
        self.right = rights[int(0.8 * (len(rights) - 1))]
        self.left = Counter(round(line.left) for line in body).most_common(1)[0][0] if body else 0
        indented = sum(1 for line in body if self.is_indented(line))
        self.indents = indented > _INDENTED_SHARE * len(body)

    def is_large(self, line: Line) -> bool:
        """Whether a line is larger than text is."""
        return line.size >= _HEADING_SIZE * self.size

    def is_indented(self, line: Line) -> bool:
        """Whether a line begins further to the right than most, but not in the middle of the page."""
        return _INDENT_SIZES * self.size < line.left - self.left < _LARGEST_INDENT_SIZES * self.size


def _without_edges(pages: Sequence[Sequence[Line]], shape: _Shape) -> list[Line]:
    """The lines of all pages without running heads, page numbers and footnotes."""
    counts = Counter(key for page in pages for key in {_key(line) for line in _edges(page)})
    kept: list[Line] = []
    for page in pages:
        dropped = _belonging_to_page(page, counts, shape)
        rest = [line for line in page if line not in dropped]
        kept += rest[: _notes_begin(rest, shape)]
    return kept


def _belonging_to_page(page: Sequence[Line], counts: Counter[str], shape: _Shape) -> set[Line]:
    """The running heads and page numbers: of another size than the text or at a distance from it."""
    dropped: set[Line] = set()
    by_height = sorted(page, key=lambda line: -line.bottom)
    for lines in (by_height, by_height[::-1]):
        for outer, inner in reversed(list(zip(lines[:EDGE_LINES], [*lines[1:], None], strict=False))):
            repeated = counts[_key(outer)] >= REPEATED_PAGES or _PAGE_NUMBER.fullmatch(outer.text)
            if repeated and (inner is None or inner in dropped or _apart(outer, inner, shape)):
                dropped.add(outer)
    return dropped


def _apart(outer: Line, inner: Line, shape: _Shape) -> bool:
    """Whether a line stands apart from the text; larger ones are headings."""
    if shape.is_large(outer):
        return False
    return abs(outer.size - shape.size) > 0.5 or abs(outer.bottom - inner.bottom) > _GAP * shape.step


def _edges(page: Sequence[Line]) -> list[Line]:
    by_height = sorted(page, key=lambda line: -line.bottom)
    return [*by_height[:EDGE_LINES], *by_height[EDGE_LINES:][-EDGE_LINES:]]


def _key(line: Line) -> str:
    return re.sub(r"\d+", "#", line.text.casefold())


def _notes_begin(page: Sequence[Line], shape: _Shape) -> int:
    """The index of the first of the smaller lines at the bottom that a note's mark begins, or the end."""
    index = len(page)
    while index and page[index - 1].size < _NOTE_SIZE * shape.size:
        index -= 1
    return next((at for at in range(index, len(page)) if _NOTE.match(page[at].text)), len(page))


def _with_outline(lines: Sequence[Line], outline: Sequence[Heading]) -> list[tuple[Line, int]]:
    """Each line with its level; the titles of the outline are inserted unless they are on their page."""
    made: list[tuple[Line, int]] = []
    waiting = sorted(outline, key=lambda heading: heading.page)
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    for page, content in sorted(by_page.items()):
        here = [heading for heading in waiting if heading.page <= page]
        waiting = waiting[len(here) :]
        made += _with_titles(content, here)
    return made


def _with_titles(page: Sequence[Line], headings: Sequence[Heading]) -> Iterator[tuple[Line, int]]:
    """The lines of a page; a title that stands on several lines is one."""
    places: dict[int, tuple[int, Heading]] = {}
    for heading in headings:
        begin, end = _place(page, heading, max((end for end, _ in places.values()), default=0))
        if begin is None:
            yield _title(heading, page[0]), heading.level
        else:
            places[begin] = end, heading
    index = 0
    while index < len(page):
        if index in places:
            end, heading = places[index]
            yield _title(heading, page[index]), heading.level
            index = end
        else:
            yield page[index], 0
            index += 1


def _place(page: Sequence[Line], heading: Heading, start: int) -> tuple[int | None, int]:
    """The first of the lines that say the title, and the one after the last."""
    wanted = _letters(heading.title)
    for begin in range(start, len(page)):
        said = ""
        for end in range(begin, len(page)):
            said += _letters(page[end].text)
            if said == wanted:
                return begin, end + 1
            if not wanted.startswith(said):
                break
    return None, 0


def _title(heading: Heading, line: Line) -> Line:
    return Line(heading.title, line.page, line.left, line.right, line.bottom, line.size)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _with_large_lines(lines: Sequence[Line], shape: _Shape) -> list[tuple[Line, int]]:
    def is_heading(line: Line) -> bool:
        return shape.is_large(line) and len(line.text) <= _HEADING_CHARACTERS

    sizes = sorted({round(line.size) for line in lines if is_heading(line)}, reverse=True)
    levels = {size: min(level, 6) for level, size in enumerate(sizes, 1)}
    return [(line, levels[round(line.size)] if is_heading(line) else 0) for line in lines]


def _paragraphs(lines: Sequence[tuple[Line, int]], shape: _Shape) -> Iterator[tuple[list[Line], int]]:
    paragraph: list[Line] = []
    current = 0
    for line, level in lines:
        if paragraph and (level != current or _begins(paragraph[-1], line, shape, level)):
            yield paragraph, current
            paragraph = []
        paragraph.append(line)
        current = level
    if paragraph:
        yield paragraph, current


def _begins(before: Line, line: Line, shape: _Shape, level: int) -> bool:
    """Whether a line begins a paragraph: by its distance, by an indent, or after a short last line."""
    if level:
        return before.page != line.page or before.bottom - line.bottom > 2 * _GAP * line.size
    if before.page == line.page and before.bottom - line.bottom > _GAP * shape.step:
        return True
    if line.left > before.left + _INDENT_SIZES * shape.size and line.left < before.right:
        return True
    if shape.indents:
        return False
    is_short = before.right - shape.left < _SHORT * (shape.right - shape.left)
    return is_short and _SENTENCE_END.search(before.text) is not None
