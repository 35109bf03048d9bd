"""Where the spans of a text are once it is cleaned: the cleaning knows nothing of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from engine.documents.document import Look, Picture, Styled

Mark = tuple[int, int, Look]
"""The first of the parts of a text that have a look, the one after the last, and the look."""
_SEEN = re.compile("[^\\s\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff]+")
"""Characters that count, in a row: cleaning changes the spaces, and takes out what is invisible."""
_GOES_ON = ((8, 400), (4, 40), (2, 10))
"""Behind a difference two texts go on together where so many characters are the same, so far away at most.

The longest of what is taken out of a text at one place are the descriptions of pictures.
"""


def styles_of(marks: Iterable[Mark], parts: Sequence[str], text: str) -> tuple[Styled, ...]:
    """The styles of a text that was made of parts, and cleaned."""
    places = list(accumulate(map(len, parts), initial=0))
    return moved([Styled(places[first], places[end], look) for first, end, look in marks], "".join(parts), text)


def moved(styles: Iterable[Styled], before: str, after: str) -> tuple[Styled, ...]:
    """The styles of a text as those of what cleaning has made of it, in order; joined where only spaces are between."""
    paths = _Paths(before, after)
    made: list[Styled] = []
    last: dict[Look, int] = {}
    for style in sorted(styles, key=lambda style: style.start):
        start, end = paths.start(style.start), paths.end(style.end)
        if style.look in last and not after[made[last[style.look]].end : start].strip():
            before_it = made[last[style.look]]
            made[last[style.look]] = replace(before_it, end=max(before_it.end, end))
        elif start < end:
            last[style.look] = len(made)
            made.append(Styled(start, end, style.look, style.level))
    return in_order(made)


def moved_pictures(pictures: Iterable[Picture], before: str, after: str) -> tuple[Picture, ...]:
    """The pictures in a text as those in what cleaning has made of it."""
    paths = _Paths(before, after)
    return tuple(replace(picture, start=paths.start(picture.start)) for picture in pictures)


def in_order(styles: Iterable[Styled]) -> tuple[Styled, ...]:
    """The styles in the order of the text; of those that begin together, the longest first."""
    return tuple(sorted(styles, key=lambda style: (style.start, -style.end)))


class _Seen:
    """The characters of a text that count, by their numbers."""

    def __init__(self, text: str) -> None:
        runs = list(_SEEN.finditer(text))
        self.text = "".join([run[0] for run in runs])
        self._places = [run.start() for run in runs]
        self._numbers = list(accumulate((run.end() - run.start() for run in runs), initial=0))
        self._end = len(text)

    def number(self, place: int) -> int:
        """The number of the first of these characters that is not before a place."""
        run = bisect_right(self._places, place) - 1
        return min(self._numbers[run] + place - self._places[run], self._numbers[run + 1]) if run >= 0 else 0

    def place(self, number: int) -> int:
        """Where one of these characters is; the end of the text for the number after the last."""
        run = bisect_right(self._numbers, number) - 1
        return self._places[run] + number - self._numbers[run] if run < len(self._places) else self._end


class _Paths:
    """Leads from the places of a text to those of what cleaning has left of it: the rest is in the same order."""

    def __init__(self, before: str, after: str) -> None:
        self._text = after
        in_line = before.replace("\n", " ").strip()
        self._margin = len(before) - len(before.lstrip()) if in_line == after.replace("\n", " ") else None
        if self._margin is None:
            self._before, self._after = _Seen(before), _Seen(after)
            old, new = self._before.text, self._after.text
            self._steps = None if old == new else list(_steps(old, new))

    def start(self, place: int) -> int:
        """Where what begins at a place begins, behind spaces."""
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
        """Where what ends at a place ends, before spaces."""
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
    """Where each character of a text begins and ends in a later one; where it would be, if it is gone."""
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
    """How many characters of a text are gone at a place, or have come in the later one, where the texts differ."""
    for same, farthest in _GOES_ON:
        gone = old.find(new[there : there + same], here + 1, here + farthest) - here
        come = new.find(old[here : here + same], there + 1, there + farthest) - there
        if gone > 0 and (come <= 0 or gone <= come):
            return gone, 0
        if come > 0:
            return 0, come
    return 1, 0
