"""Represents a document as headings and paragraphs, and divides them into chapters with their styles and pictures."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from engine.text.documents.document import BETWEEN_PARAGRAPHS, Chapter, Matter, Picture, Styled, TextStyle
from engine.text.documents.matter import matter_of_title

Mark = tuple[int, int, TextStyle]
"""The index of the first part with a look, the index after the last one, and the look."""
_SEEN = re.compile("[^\\s\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff]+")
"""A run of significant characters: cleaning changes spaces and removes invisible characters."""
_GOES_ON = ((8, 400), (4, 40), (2, 10))
"""Pairs (length of a match, largest distance) by which two texts are realigned after a difference.

The longest passages that cleaning removes at one place are descriptions of pictures.
"""
DEEPEST_LEVEL = 6
LARGE_CHARACTERS = 40_000
"""The average length above which chapters are divided at headings of the next level, if there are any."""
MAX_CHARACTERS = 60_000
"""The length of about an hour of speech; longer chapters are divided between paragraphs."""
_LINE_END = re.compile(r"(?<=.)\n")


def styles_of(marks: Iterable[Mark], parts: Sequence[str], text: str) -> tuple[Styled, ...]:
    """Return the styles of a cleaned text that was joined from parts."""
    places = list(accumulate(map(len, parts), initial=0))
    return moved(
        [Styled(places[first], places[end], text_style) for first, end, text_style in marks], "".join(parts), text
    )


def moved(styles: Iterable[Styled], before: str, after: str) -> tuple[Styled, ...]:
    """Map the styles of a text to its cleaned form, in order; join those separated only by spaces."""
    paths = _Paths(before, after)
    made: list[Styled] = []
    last: dict[TextStyle, int] = {}
    for style in sorted(styles, key=lambda style: style.start):
        start, end = paths.start(style.start), paths.end(style.end)
        if style.text_style in last and not after[made[last[style.text_style]].end : start].strip():
            before_it = made[last[style.text_style]]
            made[last[style.text_style]] = replace(before_it, end=max(before_it.end, end))
        elif start < end:
            last[style.text_style] = len(made)
            made.append(Styled(start, end, style.text_style, style.level))
    return in_order(made)


def moved_pictures(pictures: Iterable[Picture], before: str, after: str) -> tuple[Picture, ...]:
    """Map the pictures of a text to its cleaned form."""
    paths = _Paths(before, after)
    return tuple(replace(picture, start=paths.start(picture.start)) for picture in pictures)


def in_order(styles: Iterable[Styled]) -> tuple[Styled, ...]:
    """Sort styles by their start; of those that start together, the longest comes first."""
    return tuple(sorted(styles, key=lambda style: (style.start, -style.end)))


class _Seen:
    """The significant characters of a text, numbered consecutively."""

    def __init__(self, text: str) -> None:
        runs = list(_SEEN.finditer(text))
        self.text = "".join([run[0] for run in runs])
        self._places = [run.start() for run in runs]
        self._numbers = list(accumulate((run.end() - run.start() for run in runs), initial=0))
        self._end = len(text)

    def number(self, place: int) -> int:
        """Return the number of the first significant character at or after a place."""
        run = bisect_right(self._places, place) - 1
        return min(self._numbers[run] + place - self._places[run], self._numbers[run + 1]) if run >= 0 else 0

    def place(self, number: int) -> int:
        """Return the place of a significant character; the end of the text for the number after the last."""
        run = bisect_right(self._numbers, number) - 1
        return self._places[run] + number - self._numbers[run] if run < len(self._places) else self._end


class _Paths:
    """Maps places of a text to its cleaned form, in which the remaining characters keep their order."""

    def __init__(self, before: str, after: str) -> None:
        self._text = after
        in_line = before.replace("\n", " ").strip()
        self._margin = len(before) - len(before.lstrip()) if in_line == after.replace("\n", " ") else None
        if self._margin is None:
            self._before, self._after = _Seen(before), _Seen(after)
            old, new = self._before.text, self._after.text
            self._steps = None if old == new else list(_steps(old, new))

    def start(self, place: int) -> int:
        """Map the start of a span, skipping spaces after it."""
        if self._margin is not None:
            place = min(max(place - self._margin, 0), len(self._text))
            while self._text[place : place + 1].isspace():
                place += 1
            return place
        number = self._before.number(place)
        if self._steps is not None:
            number = self._steps[number][0] if number < len(self._steps) else len(self._after.text)
        return self._after.place(number)

    def end(self, place: int) -> int:
        """Map the end of a span, skipping spaces before it."""
        if self._margin is not None:
            place = min(max(place - self._margin, 0), len(self._text))
            while place and self._text[place - 1].isspace():
                place -= 1
            return place
        number = self._before.number(place)
        if self._steps is not None and number:
            number = self._steps[number - 1][1]
        return self._after.place(number - 1) + 1 if number else 0


def _steps(old: str, new: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each character of a text in a later one; both are equal for a removed character."""
    here = there = 0
    while here < len(old):
        if there < len(new) and old[here] == new[there]:
            yield there, there + 1
            here, there = here + 1, there + 1
            continue
        gone, come = _difference(old, here, new, there)
        for _ in range(gone):
            yield there, there
        here, there = here + gone, there + come


def _difference(old: str, here: int, new: str, there: int) -> tuple[int, int]:
    """Return the numbers of characters that were removed and inserted where the texts differ."""
    for same, farthest in _GOES_ON:
        gone = old.find(new[there : there + same], here + 1, here + farthest) - here
        come = new.find(old[here : here + same], there + 1, there + farthest) - there
        if gone > 0 and (come <= 0 or gone <= come):
            return gone, 0
        if come > 0:
            return 0, come
    return 1, 0


@dataclass(frozen=True)
class Block:
    """A heading or a paragraph; `level` is 1 for the highest heading, 0 for a paragraph.

    `anchors` are the names by which links refer to it. `matter` is given where the format specifies it; for a heading,
    its words may decide. `notes` are those that the text refers to. A paragraph with a `shown_level` is shown as a
    heading but begins no chapter; one that `is_quote` is set apart. `styles` and `pictures` are those in the text.
    """

    text: str
    level: int = 0
    anchors: frozenset[str] = frozenset()
    matter: Matter = Matter.TEXT
    notes: tuple[str, ...] = ()
    styles: tuple[Styled, ...] = ()
    pictures: tuple[Picture, ...] = ()
    shown_level: int = 0
    is_quote: bool = False

    def with_text(self, text: str) -> Block:
        """Return the same block with its cleaned text."""
        styles = moved(self.styles, self.text, text) if self.styles else ()
        pictures = moved_pictures(self.pictures, self.text, text) if self.pictures else ()
        return replace(self, text=text, styles=styles, pictures=pictures)

    def as_paragraph(self) -> Block:
        """Return the same block as a paragraph, which begins no chapter; a heading is still shown as one."""
        return replace(self, level=0, shown_level=self.level) if self.level else self

    def styles_at(self, place: int) -> Iterator[Styled]:
        """Yield the styles of the block and of its parts, for a text that begins at `place` in its chapter."""
        end, level = place + len(self.text), self.level or self.shown_level
        if level or self.is_quote:
            yield Styled(place, end, TextStyle.HEADING, level) if level else Styled(place, end, TextStyle.QUOTE)
        for style in self.styles:
            yield Styled(style.start + place, style.end + place, style.text_style, style.level)


def hang_pictures(blocks: list[Block], waiting: list[Picture]) -> None:
    """Attach waiting pictures to the end of the last block; without a block, they keep waiting."""
    if blocks and waiting:
        last = blocks[-1]
        behind = tuple(replace(picture, start=len(last.text)) for picture in waiting)
        blocks[-1] = replace(last, pictures=last.pictures + behind)
        waiting.clear()


def chapters_of(blocks: Iterable[Block], title: str) -> tuple[Chapter, ...]:
    """Divide blocks into chapters, one for each heading of the levels that divide the text best.

    `title` is for text without a heading. Text before the first heading is a separate chapter, and so are blocks of
    different matter; text after those without a heading has the title before them. A heading without text is spoken at
    the beginning of the next chapter. Empty if no block has text.
    """
    present = _apart(_with_text(blocks))
    lowest = _lowest_level(present)
    chapters: list[Chapter] = []
    for part in _parts(present, lowest):
        chapters.append(_chapter(part, lowest, title))
        title = chapters[-1].title if chapters[-1].matter is Matter.TEXT else title
    return tuple(piece for chapter in chapters for piece in _pieces(chapter))


def _with_text(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that have text, with the pictures of those that have none."""
    present: list[Block] = []
    waiting: list[Picture] = []
    for block in blocks:
        if block.text.strip():
            present.append(replace(block, pictures=(*waiting, *block.pictures)) if waiting else block)
            waiting.clear()
        elif block.pictures:
            waiting += [replace(picture, start=0) for picture in block.pictures]
            hang_pictures(present, waiting)
    return present


def _apart(blocks: list[Block]) -> list[Block]:
    """Return the blocks; if most of the text is quotes, none of them is set apart."""
    quoted = sum(len(block.text) for block in blocks if block.is_quote)
    if 2 * quoted <= sum(len(block.text) for block in blocks):
        return blocks
    return [replace(block, is_quote=False) if block.is_quote else block for block in blocks]


def _lowest_level(blocks: Sequence[Block]) -> int:
    """Return the lowest level whose headings begin a chapter; 0 if none does.

    A level with fewer headings than a higher one divides only some chapters and is ignored. A single heading is the
    title of the text after it.
    """
    counts = Counter(block.level for block in blocks if block.level)
    characters = sum(len(block.text) for block in blocks)
    most = list(accumulate((counts[level] for level in sorted(counts)), max))
    several = [level for level, so_far in zip(sorted(counts), most, strict=True) if 1 < counts[level] == so_far]
    fine = (level for level in several if characters <= LARGE_CHARACTERS * counts[level])
    only = blocks[0].level if blocks and sum(counts.values()) == 1 else 0
    return next(fine, several[-1] if several else only)


def _parts(blocks: Sequence[Block], lowest: int) -> Iterator[list[Block]]:
    """Yield the blocks of each chapter."""
    part: list[Block] = []
    has_text = False
    for block in blocks:
        if part and (block.matter is not part[-1].matter or (has_text and 0 < block.level <= lowest)):
            yield part
            part, has_text = [], False
        part.append(block)
        has_text = has_text or not block.level
    if part:
        yield part


def _chapter(part: Sequence[Block], lowest: int, title: str) -> Chapter:
    leading = []
    for block in part:
        if not block.level:
            break
        leading.append(block)
    own = [block.text for block in leading if block.level <= lowest]
    matter = part[0].matter
    if own and matter is Matter.TEXT:
        matter = matter_of_title(own[-1])
    untitled = title if matter is Matter.TEXT else matter.capitalize()
    text, notes = (block.text for block in part), (note for block in part for note in block.notes)
    lengths = (len(block.text) + len(BETWEEN_PARAGRAPHS) for block in part)
    placed = list(zip(accumulate(lengths, initial=0), part, strict=False))
    return Chapter(
        _LINE_END.sub(_joint, own[-1]) if own else untitled,
        BETWEEN_PARAGRAPHS.join(text),
        matter,
        BETWEEN_PARAGRAPHS.join(notes),
        in_order(style for place, block in placed for style in block.styles_at(place)),
        tuple(replace(each, start=each.start + place) for place, block in placed for each in block.pictures),
    )


def _joint(line_end: re.Match[str]) -> str:
    """Return the separator between the lines of a title, as in "Chapter 1: The Sea"."""
    return ": " if line_end.string[line_end.start() - 1].isalnum() else " "


def _pieces(chapter: Chapter) -> Iterator[Chapter]:
    """Yield the chapter, divided into pieces of about the same length if it is too long."""
    count = -(-len(chapter.text) // MAX_CHARACTERS)
    if count < 2:
        yield chapter
        return
    aim, rest = len(chapter.text) // count, chapter.text
    pieces: list[Chapter] = []
    starts: list[int] = []
    for number in range(1, count + 1):
        end = _border(rest, aim) if number < count else len(rest)
        notes = chapter.notes if number == count else ""
        starts.append(len(chapter.text) - len(rest.lstrip()))
        pieces.append(Chapter(f"{chapter.title} ({number})", rest[:end].strip(), chapter.matter, notes))
        rest = rest[end:]
    yield from _shared(chapter, pieces, starts)


def _shared(chapter: Chapter, pieces: Sequence[Chapter], starts: Sequence[int]) -> Iterator[Chapter]:
    """Distribute the styles and pictures of a chapter among its pieces, which begin at `starts`."""
    styles: list[list[Styled]] = [[] for _ in pieces]
    pictures: list[list[Picture]] = [[] for _ in pieces]
    for style in chapter.styles:
        for at in range(_piece_at(starts, style.start), bisect_left(starts, style.end)):
            start = max(style.start - starts[at], 0)
            end = min(style.end - starts[at], len(pieces[at].text))
            styles[at] += [replace(style, start=start, end=end)] if start < end else []
    for picture in chapter.pictures:
        at = _piece_at(starts, picture.start)
        start = min(max(picture.start - starts[at], 0), len(pieces[at].text))
        pictures[at].append(replace(picture, start=start))
    for piece, its_styles, its_pictures in zip(pieces, styles, pictures, strict=True):
        yield replace(piece, styles=tuple(its_styles), pictures=tuple(its_pictures))


def _piece_at(starts: Sequence[int], place: int) -> int:
    return max(bisect_right(starts, place) - 1, 0)


def _border(text: str, aim: int) -> int:
    """Return the place to divide a text near `aim`: after a paragraph, line, sentence or word, else at `aim`."""
    for sign in (BETWEEN_PARAGRAPHS, "\n", ". ", " "):
        found = text.rfind(sign, aim // 2, aim)
        if found > 0:
            return found + len(sign)
    return aim
