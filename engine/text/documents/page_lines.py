"""Joins the lines of printed pages into headings and paragraphs, without page furniture.

Furniture is running heads, page numbers, watermarks, and notes at the bottom.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from engine.text.documents.blocks import Block
from engine.text.documents.document import Matter, Notices, Omission
from engine.text.documents.matter import matter_of_title
from engine.text.documents.page_columns import Heading, PageLine, Shape
from engine.text.documents.prose import LineJoiner, clean

EDGE_LINES = 2
"""The number of lines at the top and at the bottom of a page that can be running heads and page numbers."""
REPEATED_PAGES = 3
"""A line at the edge of at least this many pages, apart from its numbers, is a running head."""
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
_SENTENCE_END = re.compile(r"[.!?:…][\"'”’»)\]]*$")
_BULLET = re.compile("[•‣◦▪▫●○■□►▶➢➤✓✔❖∙\uf0a7\uf0b7\uf0d8\uf0fc]\\s*")
_ITEM = re.compile(r"(?:\(?\d{1,2}[.)]|\(?[a-z]\)|[-–—])\s+\S")
_NUMBERING = re.compile(
    r"^(?:(?:chapter|part|section|chapitre|capítulo|capitolo|kapitel)\s+)?(?:\d+(?:\.\d+)*|[ivxlc]+)(?:[.:)]|\s*[—–-])?\s+",
    re.IGNORECASE,
)
_HEADING_CHARACTERS = 120
_INDENT_SIZES = 0.6
_MAX_INDENT_SIZES = 6
_NEAR_ENTRIES = 4
_MAX_TRIED = 3
"""The most lines of a page with the same words that are tried as the beginning of a title."""
_VERSE_SHARE = 0.5
_PROSE_VERSE_SHARE = 0.8
_LARGE_ROOM_SIZES = 4
_FEWEST_BREAKS = 3
_SMALL = tuple("abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïñòóôõöøùúûüýœß")
_NOTE_LEFT_OUT = Omission(
    "A note is skipped because nothing refers to it", "{} notes are skipped because nothing refers to them"
)


@dataclass
class PageNote:
    """A note at the bottom of a page, with the mark that leads to it."""

    page: int
    mark: str
    lines: list[str] = field(default_factory=list)


def without_furniture(pages: Sequence[Sequence[PageLine]], shape: Shape) -> tuple[list[PageLine], list[PageNote]]:
    """Return the lines of all pages without running heads, page numbers and watermarks, and separately the notes."""
    counts = Counter(key for page in pages for key in {key for line in _edges(page) for key in _keys(line)})
    huge = _WATERMARK_SIZE * shape.size
    stamps = Counter(key for page in pages for key in {_stamp(line) for line in page if line.size > huge})
    fewest = max(_WATERMARK_PAGES, _WATERMARK_SHARE * sum(1 for page in pages if page))
    kept: list[PageLine] = []
    notes: list[PageNote] = []
    for page in pages:
        dropped = _belonging_to_page(page, counts, shape)
        rest = [line for line in page if line not in dropped and stamps[_stamp(line)] < fewest]
        text, found = _without_notes([_without_leader(line) for line in rest], shape)
        kept += text
        notes += found
    return kept, notes


def _without_leader(line: PageLine) -> PageLine:
    """Remove the dot leader before the page number from a line of a list of contents."""
    found = _LEADER.search(line.text)
    if found is None or not found.start():
        return line
    return replace(line, text=f"{line.text[: found.start()]} {found[1]}", apart=True, lists=True)


def _stamp(line: PageLine) -> tuple[str, int, int]:
    """Return the features of a watermark that recur on all pages: its words and its place."""
    return line.text, round(line.left), round(line.bottom)


def _belonging_to_page(page: Sequence[PageLine], counts: Counter[str], shape: Shape) -> set[PageLine]:
    """Return running heads and page numbers that differ in size from the text or stand apart from it."""
    dropped: set[PageLine] = set()
    by_height = sorted(page, key=lambda line: -line.bottom)
    for lines in (by_height, by_height[::-1]):
        for outer, inner in reversed(list(zip(lines[:EDGE_LINES], [*lines[1:], None], strict=False))):
            repeated = max(counts[key] for key in _keys(outer)) >= REPEATED_PAGES or _PAGE_NUMBER.fullmatch(outer.text)
            if repeated and (inner is None or inner in dropped or _apart(outer, inner, shape)):
                dropped.add(outer)
    return dropped


def _apart(outer: PageLine, inner: PageLine, shape: Shape) -> bool:
    """Return whether a line stands apart from the text; larger ones are headings."""
    if shape.is_large(outer):
        return False
    return abs(outer.size - shape.size) > 0.5 or abs(outer.bottom - inner.bottom) > _GAP * shape.step


def _edges(page: Sequence[PageLine]) -> list[PageLine]:
    by_height = sorted(page, key=lambda line: -line.bottom)
    return [*by_height[:EDGE_LINES], *by_height[EDGE_LINES:][-EDGE_LINES:]]


def _keys(line: PageLine) -> list[str]:
    """Return the features of a running head that recur on other pages: its words, and its offset to the page number."""
    number = _FOLIO.search(line.text)
    counted = [] if number is None else [f"page {int(number[0]) - line.page}"]
    return [re.sub(r"\d+", "#", line.text.casefold()), *counted]


def _without_notes(page: Sequence[PageLine], shape: Shape) -> tuple[list[PageLine], list[PageNote]]:
    """Separate the notes from the lines of a page: smaller lines at the end of a column, from the first mark on."""
    kept: list[PageLine] = []
    notes: list[PageNote] = []
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


def _are_notes(lines: Sequence[PageLine], marks: set[str]) -> bool:
    """Return whether a mark of the page leads to one of the lines, or each begins with a different mark.

    This excludes tables and program code.
    """
    begun = [found[1] for line in lines if (found := _NOTE.match(line.text))]
    return not marks.isdisjoint(begun) or len(set(begun)) == len(begun)


def _notes(lines: Sequence[PageLine], marks: set[str]) -> list[PageNote]:
    """Return the notes that begin with marks of the page, or with the next number."""
    notes: list[PageNote] = []
    for line in lines:
        found = _NOTE.match(line.text)
        if found and (not notes or found[1] in marks or _follows(notes[-1].mark, found[1])):
            notes.append(PageNote(line.page, found[1], [line.text[found.end() :]]))
        else:
            notes[-1].lines.append(line.text)
    return notes


def _follows(mark: str, after: str) -> bool:
    if mark.isdecimal() and after.isdecimal():
        return int(after) == int(mark) + 1
    return not mark.isdecimal() and not after.isdecimal() and mark != after


def blocks_of(pages: Sequence[Sequence[PageLine]], outline: Sequence[Heading], notices: Notices) -> Iterator[Block]:
    """Yield each heading and paragraph, with the notes that it refers to.

    Headings are those of the outline; without one, short lines that are larger than the text.
    """
    shape = Shape([line for page in pages for line in page])
    body, notes = without_furniture(pages, shape)
    joiner = LineJoiner("\n".join(line.text for line in body))
    headed = _with_outline(body, outline) if outline else _with_large_lines(body, shape)
    waiting = {(note.page, note.mark): note for note in notes}
    paragraphs = list(_paragraphs(headed, shape))
    matters = _matters(paragraphs, len(pages))
    for (lines, level), matter in zip(paragraphs, matters, strict=True):
        found = [waiting.pop((line.page, mark), None) for line in lines for mark in line.marks]
        said = tuple(clean(joiner.joined(note.lines)) for note in found if note is not None)
        yield Block(_text(lines, level, shape, joiner), level, matter=matter, notes=said)
    for note in notes:
        if waiting.get((note.page, note.mark)) is note:
            notices.add(_NOTE_LEFT_OUT, f"on page {note.page + 1:,}")


def _matters(paragraphs: Sequence[tuple[list[PageLine], int]], pages: int) -> list[Matter]:
    """Return the matter of each paragraph: lists of contents, their title and the few lines between are not text."""
    listing = [at for at, (lines, _) in enumerate(paragraphs) if lines[0].lists]
    matters = [Matter.TEXT] * len(paragraphs)
    for before, at in pairwise([-_NEAR_ENTRIES, *listing]):
        is_near = at - before <= _NEAR_ENTRIES
        titles = (each for each in range(at - 1, max(at - _NEAR_ENTRIES, -1), -1) if _is_title(*paragraphs[each]))
        start = before + 1 if is_near else next(titles, at)
        matter = Matter.FRONT if paragraphs[at][0][0].page < pages / 2 else Matter.BACK
        matters[start : at + 1] = [matter] * (at + 1 - start)
    return matters


def _is_title(lines: Sequence[PageLine], level: int) -> bool:
    return level > 0 or matter_of_title(lines[0].text) is not Matter.TEXT


def _text(lines: Sequence[PageLine], level: int, shape: Shape, joiner: LineJoiner) -> str:
    """Return the text of a paragraph on one line, or in lines if they do not wrap, as in verse."""
    texts = [_BULLET.sub("", line.text, count=1) if _BULLET.match(line.text) else line.text for line in lines]
    if not level and _is_verse(lines, shape):
        return clean("\n".join(texts))
    return clean(joiner.joined(texts))


def _is_verse(lines: Sequence[PageLine], shape: Shape) -> bool:
    """Return whether lines are verse: most leave room for the next word, and the room is large or capitals follow."""
    breaks = early = very_early = capitals = 0
    for run in _runs(lines):
        own_end = max(line.right for line in run)
        end = max(own_end, shape.common_right_margin(run[0]))
        for before, after in pairwise(run):
            word = after.text.split(maxsplit=1)[0]
            needed = before.right + (after.right - after.left) * (len(word) + 1) / max(len(after.text), 1)
            breaks += 1
            early += end - needed > shape.size
            very_early += own_end - needed > _LARGE_ROOM_SIZES * shape.size
            capitals += not word.lstrip("“‘\"'(«—").startswith(_SMALL)
            if before.text.endswith(("-", "‐", "\u00ad")):
                return False
    if breaks < _FEWEST_BREAKS:
        return very_early == breaks > 0
    return min(early, capitals) >= _VERSE_SHARE * breaks or very_early >= _PROSE_VERSE_SHARE * breaks


def _runs(lines: Sequence[PageLine]) -> Iterator[list[PageLine]]:
    """Yield the lines in the same column of the same page."""
    run = [lines[0]]
    for line in lines[1:]:
        if line.page != run[-1].page or line.bottom >= run[-1].bottom:
            yield run
            run = []
        run.append(line)
    yield run


def _with_outline(lines: Sequence[PageLine], outline: Sequence[Heading]) -> list[tuple[PageLine, int]]:
    """Return each line with its level; titles of the outline are inserted unless they are printed on their page."""
    made: list[tuple[PageLine, int]] = []
    waiting = sorted(outline, key=lambda heading: heading.page)
    by_page: dict[int, list[PageLine]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    done = 0
    for page, content in sorted(by_page.items()):
        here = bisect_right(waiting, page, key=lambda heading: heading.page)
        made += _with_titles(content, waiting[done:here])
        done = here
    return made


def _with_titles(page: Sequence[PageLine], headings: Sequence[Heading]) -> Iterator[tuple[PageLine, int]]:
    """Yield the lines of a page with their levels; a title on several lines becomes one."""
    printed = _Printed(page if headings else ())
    places: dict[int, tuple[int, Heading]] = {}
    last = 0
    for heading in headings:
        begin, end = printed.place(heading.title, last)
        if begin is None:
            yield _title(heading, page[0]), heading.level
        else:
            places[begin] = end, heading
            last = end
    index = 0
    while index < len(page):
        if index in places:
            end, heading = places[index]
            yield _title(heading, page[index]), heading.level
            index = end
        else:
            yield page[index], 0
            index += 1


class _Printed:
    """The letters of the lines of a page, in which titles can be found."""

    def __init__(self, page: Sequence[PageLine]) -> None:
        self._letters = [_letters(line.text) for line in page]
        self._beginnings: dict[str, list[int]] = {}
        for at, line in enumerate(page):
            for said in {self._letters[at], _letters(_NUMBERING.sub("", line.text))} - {""}:
                self._beginnings.setdefault(said, []).append(at)

    def place(self, title: str, start: int) -> tuple[int | None, int]:
        """Return the first line of the title and the line after its last one; the number may differ."""
        found = []
        for wanted in {_letters(title), _letters(_NUMBERING.sub("", title))}:
            for length in range(1, len(wanted) + 1):
                places = self._beginnings.get(wanted[:length], [])
                first = bisect_left(places, start)
                for begin in places[first : first + _MAX_TRIED]:
                    end = self._end(wanted, length, begin)
                    if end is not None:
                        found.append((begin, end))
        return min(found, default=(None, 0), key=lambda place: place[0] or 0)

    def _end(self, wanted: str, length: int, begin: int) -> int | None:
        """Return the line after a title of which `length` letters are in line `begin`; None if it does not continue."""
        end = begin + 1
        while length < len(wanted) and end < len(self._letters):
            said = self._letters[end]
            if not said or not wanted.startswith(said, length):
                return None
            length += len(said)
            end += 1
        return end if length == len(wanted) else None


def _title(heading: Heading, line: PageLine) -> PageLine:
    return PageLine(heading.title, line.page, line.left, line.right, line.bottom, line.size)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _with_large_lines(lines: Sequence[PageLine], shape: Shape) -> list[tuple[PageLine, int]]:
    def is_heading(line: PageLine) -> bool:
        return shape.is_large(line) and len(line.text) <= _HEADING_CHARACTERS

    sizes = sorted({round(line.size) for line in lines if is_heading(line)}, reverse=True)
    levels = {size: min(level, 6) for level, size in enumerate(sizes, 1)}
    return [(line, levels[round(line.size)] if is_heading(line) else 0) for line in lines]


def _paragraphs(lines: Sequence[tuple[PageLine, int]], shape: Shape) -> Iterator[tuple[list[PageLine], int]]:
    paragraph: list[PageLine] = []
    current = 0
    for line, level in lines:
        if paragraph and (level != current or _begins(paragraph, line, shape, level)):
            yield paragraph, current
            paragraph = []
        paragraph.append(line)
        current = level
    if paragraph:
        yield paragraph, current


def _begins(paragraph: Sequence[PageLine], line: PageLine, shape: Shape, level: int) -> bool:
    """Return whether a line begins a paragraph: by its distance, its bullet, an indent, or after a short last line."""
    before = paragraph[-1]
    if level:
        return before.page != line.page or before.bottom - line.bottom > 2 * _GAP * line.size
    if line.apart or before.apart or (before.page == line.page and before.bottom - line.bottom > _GAP * shape.step):
        return True
    is_short = shape.is_short(before)
    ends = _SENTENCE_END.search(before.text) is not None
    if _BULLET.match(line.text) or (_ITEM.match(line.text) and (ends or is_short or _is_item(paragraph[0]))):
        return True
    indent = _INDENT_SIZES * shape.size
    if _is_item(paragraph[0]):
        hangs = paragraph[0].left - indent < line.left < paragraph[0].left + _MAX_INDENT_SIZES * shape.size
        return not hangs if len(paragraph) == 1 else abs(line.left - before.left) > indent
    if line.left > before.left + indent and line.left < before.right:
        return True
    return not shape.indents and is_short and ends


def _is_item(line: PageLine) -> bool:
    """Return whether a line begins an item of a list."""
    return _BULLET.match(line.text) is not None or _ITEM.match(line.text) is not None
