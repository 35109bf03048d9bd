"""How far fetching, importing or verifying a model is: bytes, speed, and the time that is left.

It does not know who does the work or who watches.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

WINDOW_SECONDS = 5.0
"""The speed is that of the last seconds."""
LEAST_SECONDS = 0.5
"""A speed is told once it has been watched for so long."""


class Activity(StrEnum):
    """What is being done."""

    WAITING = "waiting"
    FETCHING = "fetching"
    CHECKING = "checking"
    CONVERTING = "converting"


@dataclass(frozen=True)
class ModelProgress:
    """`bytes_done` of `bytes_total`; the speed and the time left are None while they are not known."""

    model: str
    activity: Activity
    bytes_done: int
    bytes_total: int
    bytes_per_second: float | None = None
    seconds_left: float | None = None


ModelObserver = Callable[[ModelProgress], None]


def ignore(progress: ModelProgress) -> None:
    """The observer of a caller who wants none."""


class Speedometer:
    """Turns bytes done into progress with a speed; one activity after another, on one thread."""

    def __init__(self, model: str, observe: ModelObserver, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._observe = observe
        self._clock = clock
        self._activity: Activity | None = None
        self._seen: deque[tuple[float, int]] = deque()

    def show(self, activity: Activity, done: int, total: int) -> None:
        """Tell the observer how far this activity is."""
        if activity is not self._activity:
            self._seen.clear()
            self._activity = activity
        speed = self._speed(done)
        left = max(total - done, 0) / speed if speed else None
        self._observe(ModelProgress(self._model, activity, done, total, speed, left))

    def _speed(self, done: int) -> float | None:
        now = self._clock()
        self._seen.append((now, done))
        while now - self._seen[0][0] > WINDOW_SECONDS:
            self._seen.popleft()
        seconds, received = now - self._seen[0][0], done - self._seen[0][1]
        return received / seconds if seconds >= LEAST_SECONDS and received > 0 else None
