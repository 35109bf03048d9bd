"""Estimates the progress of work in steps: the time left, or else the elapsed time, and the fraction done."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.system.durations import format_approximate_duration

MINUTE = 60
MIN_SHOWN_SECONDS = 3
"""The minimum elapsed time to show for work of unknown length."""

DEFAULT_SECONDS = {
    "Compiling text features": 40,
    "Compiling durations": 25,
    "Compiling pitch and energy": 59,
    "Compiling phoneme features": 8,
    "Compiling harmonic source": 2,
    "Compiling decoder": 81,
    "Compiling waveform": 1,
}
"""The duration of each of these steps, in order, on one machine; only the proportions matter."""


class ProgressEstimator:
    """Notes the start of each step and estimates the rest from the steps before, on one thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._step = ("", 0, 0)
        self._began = self._step_began = clock()
        self._told_left: tuple[float, float] | None = None

    def note(self, title: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """Note that a step is in progress after `done` of `total`.

        `seconds_left` is an estimate by the worker itself.
        """
        now = self._clock()
        self._told_left = None if seconds_left is None else (now, seconds_left)
        earlier_title, earlier_done, earlier_total = self._step
        if (title, done, total) == self._step:
            return
        other_work = total != earlier_total or done < earlier_done or (done == 0 and title != earlier_title)
        self._step, self._step_began = (title, done, total), now
        if other_work:
            self._began = now

    @property
    def seconds_left(self) -> float | None:
        """The estimated time left; None while unknown, or once it takes longer than expected."""
        now = self._clock()
        if self._told_left is not None:
            told_at, seconds = self._told_left
            return seconds - (now - told_at) if now - told_at <= seconds else None
        unit = self._seconds_per_unit
        finished, this, whole = self._units
        if unit is None or finished >= whole:
            return None
        rest_of_step = this * unit - (now - self._step_began)
        return rest_of_step + (whole - finished - this) * unit if rest_of_step >= 0 else None

    @property
    def fraction(self) -> float | None:
        """The fraction done, from 0 to 1; None while unknown, or while a step takes longer than expected."""
        unit = self._seconds_per_unit
        finished, this, whole = self._units
        if unit is None:
            return None
        in_step = (self._clock() - self._step_began) / (this * unit)
        return (finished + in_step * this) / whole if in_step < 1 else None

    @property
    def words(self) -> str:
        """The time left or elapsed, such as about 20 seconds left; empty if there is nothing to show yet."""
        left, taken = self.seconds_left, self._clock() - self._began
        if left is not None:
            return f"{format_approximate_duration(left)} left"
        return f"{_counted(taken)} elapsed" if taken >= MIN_SHOWN_SECONDS else ""

    @property
    def _units(self) -> tuple[float, float, float]:
        """The sizes of the steps before, this one and all, in seconds of the reference machine or in steps."""
        title, done, total = self._step
        if title not in DEFAULT_SECONDS:
            return done, 1, total
        titles = list(DEFAULT_SECONDS)
        before = sum(DEFAULT_SECONDS[each] for each in titles[: titles.index(title)])
        return before, DEFAULT_SECONDS[title], sum(DEFAULT_SECONDS.values())

    @property
    def _seconds_per_unit(self) -> float | None:
        finished, _, _ = self._units
        seconds = (self._step_began - self._began) / finished if finished else 0.0
        return seconds or None  # a quotient of tiny times is also 0


def _counted(seconds: float) -> str:
    """Format a duration to the second, so that it visibly advances."""
    minutes, rest = divmod(int(seconds), MINUTE)
    return f"{minutes}:{rest:02} minutes" if minutes else f"{rest} seconds"
