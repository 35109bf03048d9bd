"""The progress of downloading, importing or verifying a model: bytes, speed, and the time left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

WINDOW_SECONDS = 10.0
"""The time over which the speed is averaged."""
MIN_SECONDS = 0.5
"""The minimum time of measurement before a speed is reported."""
MIN_SHARE = 0.01
"""The share of the work before the time left is reported; the startup time would distort it."""


class ModelActivity(StrEnum):
    """The kind of work in progress."""

    WAITING = "waiting"
    FETCHING = "fetching"
    CHECKING = "checking"
    CONVERTING = "converting"


@dataclass(frozen=True)
class ModelProgress:
    """The progress of an activity, in bytes; the speed and the time left are None while unknown."""

    model: str
    activity: ModelActivity
    bytes_done: int
    bytes_total: int
    bytes_per_second: float | None = None
    seconds_left: float | None = None


ModelObserver = Callable[[ModelProgress], None]
OnProgress = Callable[[ModelActivity, int, int], None]
"""A callback that receives the activity, the bytes done and the total."""


def ignore(progress: ModelProgress) -> None:
    """Do nothing: the default observer."""


class TransferMeter:
    """Converts byte counts into progress with a speed, for consecutive activities, on one thread."""

    def __init__(self, model: str, observe: ModelObserver, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._observe = observe
        self._clock = clock
        self._activity: ModelActivity | None = None
        self._seen: deque[tuple[float, int]] = deque()

    def show(self, activity: ModelActivity, done: int, total: int) -> None:
        """Report the progress of this activity, in bytes, to the observer."""
        if activity is not self._activity:
            self._seen.clear()
            self._activity = activity
        speed = self._speed(done)
        left = max(total - done, 0) / speed if speed and done >= MIN_SHARE * total else None
        self._observe(ModelProgress(self._model, activity, done, total, speed, left))

    def _speed(self, done: int) -> float | None:
        now = self._clock()
        if self._seen and self._seen[0][1] == done:
            self._seen.clear()  # time spent waiting for a connection does not count
        self._seen.append((now, done))
        while now - self._seen[0][0] > WINDOW_SECONDS:
            self._seen.popleft()
        seconds, received = now - self._seen[0][0], done - self._seen[0][1]
        return received / seconds if seconds >= MIN_SECONDS and received > 0 else None
