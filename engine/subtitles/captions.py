"""Words in captions: two lines at most, long enough to be read, broken at the ends of clauses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from engine.subtitles.timed_words import End, TimedWord

LINE_CHARACTERS = 42
SHORTEST_SECONDS = 1.0
LONGEST_SECONDS = 7.0
SILENCE_SECONDS = 0.7
"""So much silence between two words belongs between two captions."""
_BREAK_COST = {End.WORD: 2.0, End.CLAUSE: 0.5, End.SENTENCE: 0.0, End.PARAGRAPH: 0.0}
_INNER_COST = {End.WORD: 0.0, End.CLAUSE: 0.0, End.SENTENCE: 0.3, End.PARAGRAPH: 3.0}
_SILENCE_COST = 3.0
_SHORT_COST = 6.0
_CLAUSE_BONUS_CHARACTERS = 10
"""Lines may differ so much more in length for the break to be at the end of a clause."""


@dataclass(frozen=True)
class Caption:
    """Words that are shown together, `first_line` of them in the first line, for a time in seconds."""

    words: tuple[TimedWord, ...]
    first_line: int
    start_seconds: float
    end_seconds: float

    @property
    def lines(self) -> tuple[str, ...]:
        """The text; a single word too long for a line is cut, and one too long for two is shortened."""
        lines = [_text(part) for part in (self.words[: self.first_line], self.words[self.first_line :]) if part]
        if len(self.words) > 1 or len(lines[0]) <= LINE_CHARACTERS:
            return tuple(lines)
        rest = lines[0][LINE_CHARACTERS:]
        return lines[0][:LINE_CHARACTERS], rest if len(rest) <= LINE_CHARACTERS else f"{rest[: LINE_CHARACTERS - 1]}…"


def captions_of(words: Sequence[TimedWord]) -> tuple[Caption, ...]:
    """The words in the captions that cost least, by a search over all ways to cut them."""
    cuts = _Cuts(words)
    costs, starts = [0.0], [0]
    for end in range(1, len(words) + 1):
        cost, start = min((costs[start] + cuts.cost(start, end), start) for start in cuts.possible_starts(end))
        costs.append(cost)
        starts.append(start)
    borders = [len(words)]
    while borders[-1]:
        borders.append(starts[borders[-1]])
    return tuple(cuts.caption(start, end) for start, end in pairwise(reversed(borders)))


class _Cuts:
    """Ways to cut the words into captions; one has those from a `start` to before an `end`."""

    def __init__(self, words: Sequence[TimedWord]) -> None:
        self._words = words
        self._places = list(accumulate((len(word.shown) + word.space for word in words), initial=0))

    def possible_starts(self, end: int) -> Iterator[int]:
        """Where a caption with this end may start: a word before it, and further back as long as all fits."""
        yield end - 1
        for start in range(end - 2, -1, -1):
            seconds = self._words[end - 1].end_seconds - self._words[start].start_seconds
            if seconds > LONGEST_SECONDS or not self._fits(start, end):
                return
            yield start

    def cost(self, start: int, end: int) -> float:
        """What a caption costs: itself, its end, what should be apart in it, and its haste."""
        words = self._words
        inside = sum(_INNER_COST[words[at - 1].ends] + _SILENCE_COST * self._silent(at) for at in range(start + 1, end))
        broken = 0.0 if end == len(words) or self._silent(end) else _BREAK_COST[words[end - 1].ends]
        shown = self._latest_end(end) - words[start].start_seconds
        return 1.0 + broken + inside + _SHORT_COST * max(0.0, 1.0 - shown / SHORTEST_SECONDS)

    def caption(self, start: int, end: int) -> Caption:
        """The caption of these words, shown for the shortest time at least if the next one leaves it."""
        words = tuple(self._words[start:end])
        begin = words[0].start_seconds
        until = max(words[-1].end_seconds, min(begin + SHORTEST_SECONDS, self._latest_end(end)))
        return Caption(words, self._first_line(start, end), begin, until)

    def _fits(self, start: int, end: int) -> bool:
        if self._width(start, end) > 2 * LINE_CHARACTERS + 1:
            return False
        return self._width(start, end) <= LINE_CHARACTERS or any(self._middles(start, end))

    def _first_line(self, start: int, end: int) -> int:
        """How many words are in the first line: all if they fit, else as many as make the lines most alike."""
        if self._width(start, end) <= LINE_CHARACTERS or end - start == 1:
            return end - start

        def unlike(middle: int) -> int:
            bonus = _CLAUSE_BONUS_CHARACTERS * (self._words[middle - 1].ends > End.WORD)
            return abs(self._width(start, middle) - self._width(middle, end)) - bonus

        return min(self._middles(start, end), key=unlike) - start

    def _middles(self, start: int, end: int) -> Iterator[int]:
        """Where two lines that are short enough can meet."""
        for middle in range(start + 1, end):
            if self._width(start, middle) > LINE_CHARACTERS:
                return
            if self._width(middle, end) <= LINE_CHARACTERS:
                yield middle

    def _width(self, start: int, end: int) -> int:
        return self._places[end] - self._places[start] - self._words[end - 1].space

    def _silent(self, at: int) -> bool:
        """Whether there is a long silence before this word."""
        return self._words[at].start_seconds - self._words[at - 1].end_seconds >= SILENCE_SECONDS

    def _latest_end(self, end: int) -> float:
        return self._words[end].start_seconds if end < len(self._words) else math.inf


def _text(words: Sequence[TimedWord]) -> str:
    return "".join(word.shown + " " * word.space for word in words).rstrip()
