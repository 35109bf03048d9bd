"""How long the rest of some work will take, judged by the part that is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


class RemainingTime:
    """`weights` say how much work each part is, in any unit; the time counts from `start`."""

    def __init__(self, weights: Sequence[float], clock: Callable[[], float] = time.monotonic) -> None:
        self._weights = weights
        self._clock = clock
        self._started: float | None = None

    def start(self) -> None:
        """The first part begins now; later calls change nothing."""
        if self._started is None:
            self._started = self._clock()

    def seconds_left(self, done: int) -> float | None:
        """What is left once so many parts are done; None while none is."""
        known, left = sum(self._weights[:done]), sum(self._weights[done:])
        if self._started is None or not known:
            return None
        return (self._clock() - self._started) * left / known
