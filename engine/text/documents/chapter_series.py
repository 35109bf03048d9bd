"""Finds the headings of plain text: those with a chapter keyword, and those whose numbers ascend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.text.documents.document import Matter
from engine.text.documents.heading_lines import (
    HEADING_CHARACTERS,
    HeadingKind,
    HeadingLine,
    has_page,
    heading_line,
    is_title,
    key_of,
    stands_out,
    without_page,
)
from engine.text.documents.matter import matter_of_title

_FEWEST_ENTRIES = 2
_MAX_LINES = 3
FULL_LINE_CHARACTERS = 55
_TEXT_CHARACTERS = 200
"""The length of a paragraph that counts as text below a heading."""


@dataclass(frozen=True)
class Outline:
    """The levels of the paragraphs that are headings, by number, and the paragraphs that are a list of contents."""

    levels: dict[int, int]
    contents: range
    titles: frozenset[int]
    """The headings that belong to the one before them."""


@dataclass
class _Series:
    """Headings whose numbers ascend by one."""

    level: int
    places: list[int]
    last: int

    def add(self, place: int) -> None:
        """Add the next heading."""
        self.places.append(place)
        self.last += 1


def outline_of(paragraphs: Sequence[Sequence[str]]) -> Outline:
    """Find the headings among paragraphs, each given by its lines."""
    candidates = [_candidate(lines) for lines in paragraphs]
    keys = [_keys(lines, candidate) for lines, candidate in zip(paragraphs, candidates, strict=True)]
    contents = _contents(paragraphs, candidates, keys)
    levels = _Ascent(candidates, contents.stop).levels()
    found = {key for place in levels for key in keys[place]}
    promised = {key for place in contents for key in keys[place]} - found
    for place in contents:
        if _announces(paragraphs[place]):
            levels[place] = 1
    for place in range(contents.stop, len(paragraphs)):
        if promised.issuperset(keys[place]) and len(keys[place]) == len(paragraphs[place]) == 1:
            levels.setdefault(place, 1)
            promised.difference_update(keys[place])
    titles = {
        place + 1
        for place in levels
        if (candidate := candidates[place]) and not candidate.title and _is_title_below(paragraphs, candidates, place)
    }
    return Outline(levels, contents, frozenset(titles))


def _candidate(lines: Sequence[str]) -> HeadingLine | None:
    """Parse a paragraph as a heading: its first line has the number, the other lines, if any, the title."""
    first = heading_line(lines[0])
    if first is None or len(lines) == 1:
        return first
    rest = " ".join(line.strip() for line in lines[1:])
    if len(lines) > _MAX_LINES or any(heading_line(line) or has_page(line) for line in lines[1:]):
        return None
    if first.title:
        return HeadingLine(first.kind, first.number, f"{first.title} {rest}") if _is_wrapped(first, lines) else None
    return HeadingLine(first.kind, first.number, rest) if is_title(rest) else None


def _is_wrapped(first: HeadingLine, lines: Sequence[str]) -> bool:
    """Return whether a keyword heading with a number was wrapped: all lines but the last are full."""
    full = all(len(line.strip()) >= FULL_LINE_CHARACTERS for line in lines[:-1])
    return full and first.kind is not HeadingKind.NUMBER and first.number is not None


def _keys(lines: Sequence[str], candidate: HeadingLine | None) -> tuple[str, ...]:
    """Return the keys of the titles in a paragraph: one, or one per line in a list of contents."""
    if candidate is not None:
        return (candidate.key,)
    if any(len(line.strip()) > HEADING_CHARACTERS for line in lines):
        return ()
    found = [(heading_line(line), without_page(line)) for line in lines]
    return tuple(heading.key if heading else key_of(text) for heading, text in found)


def _contents(
    paragraphs: Sequence[Sequence[str]], candidates: Sequence[HeadingLine | None], keys: Sequence[tuple[str, ...]]
) -> range:
    """Return the paragraphs of the list of contents: entries at the front that recur as headings."""
    last_places: dict[str, int] = {}
    for place, found in enumerate(keys):
        last_places.update({key: place for key in found if len(found) == 1})
    start = 0
    while start < len(paragraphs):
        end = _list_end(paragraphs, candidates, keys, start)
        end = _without_first_headings(candidates, keys, last_places, range(start, end))
        entries = [(key, place) for place in range(start, end) for key in keys[place]]
        again = sum(last_places.get(key, -1) >= end for key, _ in entries)
        announced = _announces(paragraphs[start])
        if again >= _FEWEST_ENTRIES and (announced or 2 * again >= len(entries)):
            return range(start, end)
        if announced and end - start > 1:
            return range(start, end)
        candidate = candidates[start]
        if candidate and candidate.number is not None and _begins_text(paragraphs, start):
            break
        start = max(end, start + 1)
    return range(0)


def _begins_text(paragraphs: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether a heading has text below it, so that no list of contents can follow."""
    return any(sum(map(len, lines)) >= _TEXT_CHARACTERS for lines in paragraphs[place + 1 : place + 3])


def _announces(lines: Sequence[str]) -> bool:
    return len(lines) == 1 and heading_line(lines[0]) is not None and matter_of_title(lines[0]) is not Matter.TEXT


def _list_end(
    paragraphs: Sequence[Sequence[str]],
    candidates: Sequence[HeadingLine | None],
    keys: Sequence[tuple[str, ...]],
    start: int,
) -> int:
    """Return the end of a list of titles that begins at `start`, where an entry recurs as a heading or text begins.

    Two entries may have the same title and different numbers, and one the title of a part.
    """
    announced = _announces(paragraphs[start])
    seen: set[tuple[int | None, str]] = set()
    for place in range(start, len(paragraphs)):
        lines = paragraphs[place]
        is_list = candidates[place] is None and _is_list(lines)
        entry = candidates[place] is not None or is_list or (announced and all(map(is_title, map(str.strip, lines))))
        numbered = _numbered(lines, candidates[place], keys[place])
        again = {*numbered, *(() if is_list else ((None, key) for key in keys[place]))}
        if not entry or not seen.isdisjoint(again):
            return place
        seen.update(numbered)
    return len(paragraphs)


def _numbered(lines: Sequence[str], candidate: HeadingLine | None, keys: Sequence[str]) -> list[tuple[int | None, str]]:
    """Return the titles in a paragraph with their numbers."""
    if candidate is not None:
        return [(candidate.number, key) for key in keys]
    found = [heading_line(line) for line in lines]
    return [(heading.number if heading else None, key) for heading, key in zip(found, keys, strict=False)]


def _without_first_headings(
    candidates: Sequence[HeadingLine | None],
    keys: Sequence[tuple[str, ...]],
    last_places: Mapping[str, int],
    entries: range,
) -> int:
    """Return the end of a list without the first headings of the following text, which do not recur."""
    end = entries.stop
    counts = Counter(key for place in entries for key in keys[place])
    while end - entries.start > 1 and (last := candidates[end - 1]) is not None and last.number in (None, 1):
        if counts[last.key] > 1 or last_places.get(last.key, 0) >= entries.stop:
            break
        counts[last.key] -= 1
        end -= 1
    return end


def _is_list(lines: Sequence[str]) -> bool:
    """Return whether most lines of a paragraph are entries of a list of contents."""
    entries = sum(heading_line(line) is not None or has_page(line) for line in lines)
    return len(lines) >= _FEWEST_ENTRIES and 2 * entries > len(lines)


def _is_title_below(paragraphs: Sequence[Sequence[str]], candidates: Sequence[HeadingLine | None], place: int) -> bool:
    """Return whether the paragraph below a heading is its title: it stands out, and text follows."""
    if place + 2 >= len(paragraphs) or candidates[place + 1] or candidates[place + 2]:
        return False
    lines = [line.strip() for line in paragraphs[place + 1]]
    return len(lines) < _MAX_LINES and stands_out(" ".join(lines)) and not stands_out(paragraphs[place + 2][0].strip())


class _Ascent:
    """Finds the headings among candidates from a place on."""

    def __init__(self, candidates: Sequence[HeadingLine | None], start: int) -> None:
        self._candidates = candidates
        self._start = start
        self._texts = list(accumulate((candidate is None for candidate in candidates), initial=0))
        self._all: list[_Series] = []
        self._named: dict[int, int] = {}
        self._chapters: _Series | None = None
        self._outer: dict[tuple[int, bool], _Series] = {}
        self._inner: dict[tuple[int, bool], _Series] = {}
        """Unfinished series, by the next number and by the presence of titles; the inner ones end with a chapter."""

    def levels(self) -> dict[int, int]:
        """Return the levels of the headings by their places."""
        for place in range(self._start, len(self._candidates)):
            candidate = self._candidates[place]
            if candidate is None:
                continue
            if candidate.kind is HeadingKind.NUMBER:
                self._add(place, candidate)
            else:
                self._named[place] = 1
                self._inner.clear()
                if candidate.kind is HeadingKind.PART:
                    self._chapters = None
                elif candidate.number is not None:
                    self._chapters = _Series(1, [place], candidate.number)
        return {place: each.level for each in self._all if len(each.places) > 1 for place in each.places} | self._named

    def _add(self, place: int, candidate: HeadingLine) -> None:
        """Add a number to the series that it continues, or begin a series."""
        number, has_title = candidate.number or 0, bool(candidate.title)
        for titles in (has_title, not has_title):
            for group in (self._inner, self._outer):
                series = group.get((number, titles))
                if series is not None and self._continues(series, place):
                    del group[number, titles]
                    series.add(place)
                    group[number + 1, has_title] = series
                    return
            if (
                self._chapters is not None
                and self._chapters.last + 1 == number
                and self._continues(self._chapters, place)
            ):
                self._named[place] = 1
                self._chapters.add(place)
                return
        if number == 1:
            series = _Series(1 if self._chapters is None else 2, [place], 1)
            self._all.append(series)
            (self._outer if self._chapters is None else self._inner)[2, has_title] = series

    def _continues(self, series: _Series, place: int) -> bool:
        """Return whether there is text since the last heading of a series."""
        return self._texts[place] > self._texts[series.places[-1] + 1]
