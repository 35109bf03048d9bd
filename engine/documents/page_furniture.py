"""What belongs to pages and not to their text: running heads, page numbers, watermarks, and notes at the bottom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.documents.page_shape import Line, Shape

EDGE_LINES = 2
"""Running heads and page numbers are among so many lines at the top or the bottom of a page."""
REPEATED_PAGES = 3
"""A line that is at the edge of so many pages, apart from its numbers, is a running head."""
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|seite|página|pagina)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of|von|de|di)\s*\d{1,4})?[\W_]*",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(\d{1,3}(?!\d)|[*†‡§]+)[.)]?\s*(?=\S)")
_FOLIO = re.compile(r"^\d{1,4}(?=\s)|(?<=\s)\d{1,4}$")
_LEADER = re.compile(r"\s*(?:[.·…_]\s*){4,}(\d{1,4}(?:[, –-]+\d{1,4})*|[ivxlc]{1,6})$", re.IGNORECASE)
_NOTE_SIZE = 0.93
_GAP = 1.4
_WATERMARK_SHARE = 0.5
_WATERMARK_PAGES = 2
_WATERMARK_SIZE = 2.5


@dataclass
class Note:
    """A note at the bottom of a page, by the mark that leads to it."""

    page: int
    mark: str
    lines: list[str] = field(default_factory=list)


def without_furniture(pages: Sequence[Sequence[Line]], shape: Shape) -> tuple[list[Line], list[Note]]:
    """The lines of all pages without running heads, page numbers and watermarks, and the notes, which are apart."""
    counts = Counter(key for page in pages for key in {key for line in _edges(page) for key in _keys(line)})
    stamps = Counter(key for page in pages for key in {_stamp(line) for line in page if _is_huge(line, shape)})
    fewest = max(_WATERMARK_PAGES, _WATERMARK_SHARE * sum(1 for page in pages if page))
    kept: list[Line] = []
    notes: list[Note] = []
    for page in pages:
        dropped = _belonging_to_page(page, counts, shape)
        rest = [line for line in page if line not in dropped and stamps[_stamp(line)] < fewest]
        text, found = _without_notes([_without_leader(line) for line in rest], shape)
        kept += text
        notes += found
    return kept, notes


def _without_leader(line: Line) -> Line:
    """A line of a list of contents without the dots that lead to the number of the page."""
    found = _LEADER.search(line.text)
    if found is None or not found.start():
        return line
    return replace(line, text=f"{line.text[: found.start()]} {found[1]}", apart=True, lists=True)


def _is_huge(line: Line, shape: Shape) -> bool:
    return line.size > _WATERMARK_SIZE * shape.size


def _stamp(line: Line) -> tuple[str, int, int]:
    """What a watermark has in common on all pages: its words and its place."""
    return line.text, round(line.left), round(line.bottom)


def _belonging_to_page(page: Sequence[Line], counts: Counter[str], shape: Shape) -> set[Line]:
    """Running heads and page numbers, set in a different size or apart from the text."""
    dropped: set[Line] = set()
    by_height = sorted(page, key=lambda line: -line.bottom)
    for lines in (by_height, by_height[::-1]):
        for outer, inner in reversed(list(zip(lines[:EDGE_LINES], [*lines[1:], None], strict=False))):
            repeated = max(counts[key] for key in _keys(outer)) >= REPEATED_PAGES or _PAGE_NUMBER.fullmatch(outer.text)
            if repeated and (inner is None or inner in dropped or _apart(outer, inner, shape)):
                dropped.add(outer)
    return dropped


def _apart(outer: Line, inner: Line, shape: Shape) -> bool:
    """Whether a line stands apart from the text; larger ones are headings."""
    if shape.is_large(outer):
        return False
    return abs(outer.size - shape.size) > 0.5 or abs(outer.bottom - inner.bottom) > _GAP * shape.step


def _edges(page: Sequence[Line]) -> list[Line]:
    by_height = sorted(page, key=lambda line: -line.bottom)
    return [*by_height[:EDGE_LINES], *by_height[EDGE_LINES:][-EDGE_LINES:]]


def _keys(line: Line) -> list[str]:
    """What a running head has in common with those of other pages: its words, or how its number counts the pages."""
    number = _FOLIO.search(line.text)
    counted = [] if number is None else [f"page {int(number[0]) - line.page}"]
    return [re.sub(r"\d+", "#", line.text.casefold()), *counted]


def _without_notes(page: Sequence[Line], shape: Shape) -> tuple[list[Line], list[Note]]:
    """The lines of a page, and the notes: smaller lines at the end of a column, from the first that a mark begins."""
    kept: list[Line] = []
    notes: list[Note] = []
    marks = {mark for line in page for mark in line.marks}
    start = 0
    while start < len(page):
        end = start
        while end < len(page) and page[end].size < _NOTE_SIZE * shape.size:
            end += 1
        at_end = end == len(page) or page[end].bottom > page[end - 1].bottom
        first = next((at for at in range(start, end) if at_end and _NOTE.match(page[at].text)), end)
        if _are_notes(page[first:end], marks):
            notes += _notes(page[first:end], marks)
        else:
            first = end
        kept += page[start:first]
        if end < len(page):
            kept.append(page[end])
        start = end + 1
    return kept, notes


def _are_notes(lines: Sequence[Line], marks: set[str]) -> bool:
    """Whether a mark of the page leads to one of the lines, or each begins with another mark: no table, no program."""
    begun = [found[1] for line in lines if (found := _NOTE.match(line.text))]
    return not marks.isdisjoint(begun) or len(set(begun)) == len(begun)


def _notes(lines: Sequence[Line], marks: set[str]) -> list[Note]:
    """The notes that begin with marks of the page, or with the next number."""
    notes: list[Note] = []
    for line in lines:
        found = _NOTE.match(line.text)
        if found and (not notes or found[1] in marks or _follows(notes[-1].mark, found[1])):
            notes.append(Note(line.page, found[1], [line.text[found.end() :]]))
        else:
            notes[-1].lines.append(line.text)
    return notes


def _follows(mark: str, after: str) -> bool:
    if mark.isdecimal() and after.isdecimal():
        return int(after) == int(mark) + 1
    return not mark.isdecimal() and not after.isdecimal() and mark != after
