"""How far an export is, and how long the rest of it may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

WRITING_SHARE = 0.1
"""Writing a character's speech counts as much as making this share of it."""
_LEAST_SECONDS = 2.0
"""The time left is told only after this long: before, it says nothing."""


@dataclass(frozen=True)
class ExportProgress:
    """`step` says what goes on; `fraction` of the work that was left at the beginning is done.

    `seconds_left` is None while it is unknown; `seconds_written` is how much audio the files have so far.
    """

    step: str
    fraction: float
    seconds_left: float | None
    seconds_written: float = 0.0


class Meter:
    """Counts what is done of `total` units of work, on one thread, and what `seconds_written` is told to be."""

    def __init__(self, total: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = max(total, 1.0)
        self._clock = clock
        self._began = clock()
        self._done = 0.0
        self.seconds_written = 0.0

    def add(self, units: float) -> None:
        """So much more is done."""
        self._done = min(self._done + units, self._total)

    def progress(self, step: str) -> ExportProgress:
        """Where it is now."""
        seconds = self._clock() - self._began
        known = self._done > 0 and seconds >= _LEAST_SECONDS
        left = seconds * (self._total - self._done) / self._done if known else None
        return ExportProgress(step, self._done / self._total, left, self.seconds_written)
