"""The progress of an experiment of many runs, and its remaining time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.system.durations import format_approximate_duration
from engine.validator.data.results import ValidationEvent


@dataclass(frozen=True)
class ProgressEvent:
    """The progress of an experiment; `seconds_left` is None while there is nothing to estimate it from."""

    title: str
    done: int
    total: int
    seconds_left: float | None = None

    @property
    def words(self) -> str:
        """Text such as `Padding 2 times the length: 3 of 6, about 2 minutes left`."""
        left = "" if self.seconds_left is None else f", {format_approximate_duration(self.seconds_left)} left"
        return f"{self.title}: {self.done} of {self.total}{left}"


ExperimentEvent = ValidationEvent | ProgressEvent
ExperimentObserver = Callable[[ExperimentEvent], None]


class RemainingTime:
    """Estimates the remaining time from `start` on; `weights` say how much work each part is, in any unit."""

    def __init__(self, weights: Sequence[float], clock: Callable[[], float] = time.monotonic) -> None:
        self._weights = weights
        self._clock = clock
        self._started: float | None = None

    def start(self) -> None:
        """Start the clock, as the first part begins; later calls have no effect."""
        if self._started is None:
            self._started = self._clock()

    def seconds_left(self, done: int) -> float | None:
        """Estimate the time left after `done` parts; None before the first."""
        known, left = sum(self._weights[:done]), sum(self._weights[done:])
        if self._started is None or not known:
            return None
        return (self._clock() - self._started) * left / known
