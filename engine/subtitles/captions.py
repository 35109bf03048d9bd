"""Words in captions: two lines at most, long enough to be read, broken at the ends of clauses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    costs, starts = [0.0], [0]
    for end in range(1, len(words) + 1):
        found = [(costs[start] + _cost(words, start, end), start) for start in _possible_starts(words, end)]
        cost, start = min(found)
        costs.append(cost)
        starts.append(start)
    borders = [len(words)]
    while borders[-1]:
        borders.append(starts[borders[-1]])
    cuts = list(reversed(borders))
    return tuple(_caption(words, start, end) for start, end in pairwise(cuts))


def _possible_starts(words: Sequence[TimedWord], end: int) -> list[int]:
    """Where a caption with this end may begin: a word before it, and further back as long as all fits."""
    starts = [end - 1]
    while starts[-1] and _fits(words[starts[-1] - 1 : end]):
        starts.append(starts[-1] - 1)
    return starts


def _fits(words: Sequence[TimedWord]) -> bool:
    seconds = words[-1].end_seconds - words[0].start_seconds
    return seconds <= LONGEST_SECONDS and _first_line(words) is not None


def _cost(words: Sequence[TimedWord], start: int, end: int) -> float:
    """What a caption of the words `start` to `end` costs: itself, its end, what should be apart in it, its haste."""
    inside = sum(_INNER_COST[words[at - 1].ends] + _SILENCE_COST * _silent(words, at) for at in range(start + 1, end))
    broken = 0.0 if end == len(words) or _silent(words, end) else _BREAK_COST[words[end - 1].ends]
    shown = _latest_end(words, end) - words[start].start_seconds
    return 1.0 + broken + inside + _SHORT_COST * max(0.0, 1.0 - shown / SHORTEST_SECONDS)


def _silent(words: Sequence[TimedWord], at: int) -> bool:
    """Whether there is a long silence before this word."""
    return words[at].start_seconds - words[at - 1].end_seconds >= SILENCE_SECONDS


def _latest_end(words: Sequence[TimedWord], end: int) -> float:
    return words[end].start_seconds if end < len(words) else math.inf


def _caption(words: Sequence[TimedWord], start: int, end: int) -> Caption:
    part = tuple(words[start:end])
    begin = part[0].start_seconds
    shown_until = max(part[-1].end_seconds, min(begin + SHORTEST_SECONDS, _latest_end(words, end)))
    return Caption(part, _first_line(part) or len(part), begin, shown_until)


def _first_line(words: Sequence[TimedWord]) -> int | None:
    """How many words are in the first line: all if they fit, else what gives lines most alike; None if none does."""
    if len(_text(words)) <= LINE_CHARACTERS:
        return len(words)
    found = []
    for count in range(1, len(words)):
        lengths = len(_text(words[:count])), len(_text(words[count:]))
        if max(lengths) <= LINE_CHARACTERS:
            bonus = _CLAUSE_BONUS_CHARACTERS * (words[count - 1].ends > End.WORD)
            found.append((abs(lengths[0] - lengths[1]) - bonus, count))
    return min(found)[1] if found else None


def _text(words: Sequence[TimedWord]) -> str:
    return "".join(word.shown + " " * word.space for word in words).rstrip()
