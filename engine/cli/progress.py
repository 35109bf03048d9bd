"""Progress on standard error: lines for people, repeated during a long step; JSON for a parent process."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import asdict
from typing import Self, TextIO

from engine.speech import DeviceEvent, Event, FallbackEvent, PlanEvent, PreparationEvent


def point_nowhere(stream: TextIO) -> None:
    """Discard a stream's buffered and future output, so that Python's final flush does not fail."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


REPEAT_SECONDS = 2.0
"""The interval at which a long step is reported again, with its elapsed time."""
SLOWEST_LINE_SECONDS = 1.0
"""The minimum interval between lines with changing figures."""

_AFTERWARDS = "Resuming"


def show_line(line: str, end: str = "\n") -> None:
    """Write a line of progress, or part of one; failures to write are ignored."""
    if sys.stderr is None:
        return
    try:
        _write(line, end)
    except OSError:
        point_nowhere(sys.stderr)


def show_json(event: PreparationEvent) -> None:
    """Write a preparation step for the parent process. Raises `OSError` if that has ended."""
    _write(json.dumps(asdict(event)))


def _write(line: str, end: str = "\n") -> None:
    sys.stderr.write(f"{line}{end}")
    sys.stderr.flush()


class Steps:
    """Reports the steps of a command, repeating long ones; a thread does this inside its `with` block."""

    def __init__(self, write: Callable[[str], None] = show_line, clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name="progress", daemon=True)
        self._step = ""
        self._kind: Hashable = None
        self._fallback = ""
        self._began = self._wrote = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def write_line(self, line: str) -> None:
        """Write a line and end the current step."""
        with self._lock:
            self._note("", None)
            self._put(line)

    def write_note(self, line: str) -> None:
        """Write a line; the current step continues."""
        with self._lock:
            self._put(line)

    def begin_step(self, step: str) -> None:
        """Write a step, which lasts until the next call; a repeated one is not written again."""
        with self._lock:
            if step != self._step:
                self._note(step, None)
                self._put(step)

    def expect_step(self, step: str) -> None:
        """Begin a step that is written only if it takes long."""
        with self._lock:
            self._note(step, None)
            self._wrote = self._began

    def advance(self, figures: str, kind: Hashable) -> None:
        """Write the latest figures of a step of this kind, unless some were written just before."""
        with self._lock:
            earlier, self._step = self._step, figures
            if kind != self._kind:
                self._note(figures, kind)
                self._put(figures)
            elif figures != earlier and self._clock() - self._wrote >= SLOWEST_LINE_SECONDS:
                self._put(figures)

    def show(self, event: Event) -> None:
        """Write each preparation step, and notes: why a GPU is not used, or what cannot be spoken as written."""
        if isinstance(event, PreparationEvent):
            self.begin_step(f"{event.title} ({event.done} of {event.total})")
            if event.done >= event.total:  # a process that has reported its last step still has to end
                self.expect_step(_AFTERWARDS)
        elif isinstance(event, DeviceEvent) and event.fallback_reason:
            self.write_note(f"note: {event.fallback_reason}")
        elif isinstance(event, PlanEvent) and event.plan.whole:
            for notice in event.plan.notices:
                self.write_note(f"note: {notice.message}")
        elif isinstance(event, FallbackEvent) and event.message != self._fallback:
            self._fallback = event.message
            self.write_note(f"note: {event.message}")

    def tick(self) -> None:
        """Write the current step again if nothing was written for a while."""
        with self._lock:
            now = self._clock()
            if self._step and now - self._wrote >= REPEAT_SECONDS:
                self._put(f"{self._step}, {now - self._began:.0f} s elapsed")

    def _note(self, step: str, kind: Hashable) -> None:
        self._step, self._kind, self._began = step, kind, self._clock()

    def _put(self, line: str) -> None:
        self._wrote = self._clock()
        self._write(line)

    def _repeat(self) -> None:
        while not self._ended.wait(REPEAT_SECONDS / 4):
            self.tick()
