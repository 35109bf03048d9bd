"""Delta debugging: the smallest part of something that still fails (Zeller and Hildebrandt, 2002, algorithm ddmin)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

from engine.system.waiting import raise_if_set

Item = TypeVar("Item")
Candidate = tuple[Item, ...]

MOST_WINDOWS = 12
"""How many places are tried for each length when short parts are looked for."""


class Budget:
    """How long trying may take, and how often something was tried; one for all steps of a reduction."""

    def __init__(
        self,
        seconds: float,
        cancel: threading.Event | None = None,
        observe: Callable[[int], None] = lambda tries: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._began = clock()
        self._seconds = seconds
        self._cancel = cancel
        self._observe = observe
        self.tries = 0

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self._clock() - self._began

    @property
    def spent(self) -> bool:
        """Whether nothing more may be tried."""
        return self.seconds >= self._seconds

    def count(self) -> None:
        """Count a try; raises `Cancelled` when the user has stopped it."""
        raise_if_set(self._cancel)
        self.tries += 1
        self._observe(self.tries)


class Tries(Generic[Item]):
    """Asks once for each candidate whether it fails; when the budget is spent, no other candidate does."""

    def __init__(self, fails: Callable[[Candidate[Item]], bool], budget: Budget) -> None:
        self._fails = fails
        self._budget = budget
        self._known: dict[Candidate[Item], bool] = {}

    def __call__(self, candidate: Candidate[Item]) -> bool:
        """Whether this candidate fails; an empty one never does."""
        if candidate not in self._known:
            if not candidate or self._budget.spent:
                return False
            self._budget.count()
            self._known[candidate] = self._fails(candidate)
        return self._known[candidate]


def minimised(items: Sequence[Item], fails: Tries[Item]) -> Candidate[Item]:
    """A part of `items`, in order, that fails although it would not without any one of its items.

    `items` themselves must fail. It is the smallest part found until the budget is spent.
    """
    kept, parts = tuple(items), 2
    while len(kept) > 1:
        smaller = next((each for each in _smaller(kept, min(parts, len(kept))) if fails(each)), None)
        if smaller is not None:
            parts = 2 if len(smaller) * 2 <= len(kept) else max(parts - 1, 2)
            kept = smaller
        elif parts >= len(kept):
            break
        else:
            parts = min(parts * 2, len(kept))
    return kept


def short_window(items: Sequence[Item], longest: int, fails: Tries[Item]) -> Candidate[Item] | None:
    """The shortest run of at most `longest` neighbours that fails, at places spread over `items`; None without one."""
    for length in range(1, min(longest, len(items)) + 1):
        for start in _spread(len(items) - length + 1):
            window = tuple(items[start : start + length])
            if fails(window):
                return window
    return None


def _smaller(items: Candidate[Item], parts: int) -> Iterator[Candidate[Item]]:
    """Each of so many equal parts, then everything but each."""
    borders = [len(items) * part // parts for part in range(parts + 1)]
    ranges = list(pairwise(borders))
    yield from (items[start:end] for start, end in ranges)
    if parts > 2:
        yield from (items[:start] + items[end:] for start, end in ranges)


def _spread(count: int) -> Iterator[int]:
    """At most `MOST_WINDOWS` places of `count`, evenly spread, the first and the last among them."""
    if count <= MOST_WINDOWS:
        yield from range(count)
        return
    yield from dict.fromkeys(round(place * (count - 1) / (MOST_WINDOWS - 1)) for place in range(MOST_WINDOWS))
