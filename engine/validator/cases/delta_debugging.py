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


def shortest_run(items: Sequence[Item], lengths: range, places: int, fails: Tries[Item]) -> Candidate[Item] | None:
    """The first run of neighbours that fails, of these lengths, at so many places spread over `items`; None without."""
    for length in lengths:
        for start in _spread(len(items) - length + 1, places):
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


def _spread(count: int, places: int) -> Iterator[int]:
    """At most so many places of `count`, evenly spread from the first to the last; a single one is the first."""
    if count <= places:
        return iter(range(count))
    return iter(dict.fromkeys(round(place * (count - 1) / max(1, places - 1)) for place in range(places)))
