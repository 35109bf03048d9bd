"""Loads what is to speak from some utterance on, beside the speech of another device, so that nobody waits for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import Cancelled
from engine.runtime.fallback import Loaded
from engine.speech import DeviceEvent


@dataclass(frozen=True)
class Arrival:
    """What is told about the device that was tried, and its pipeline, if it can speak."""

    event: DeviceEvent
    loaded: Loaded | None


class Takeover:
    """Runs `load`, which ends soon after the event it gets is set, in a new thread."""

    def __init__(self, load: Callable[[threading.Event], Arrival]) -> None:
        self._load = load
        self._stopped = threading.Event()
        self._arrivals: queue.SimpleQueue[Arrival] = queue.SimpleQueue()
        # A trial that hangs, which is ended after a minute, must not keep the program from ending.
        threading.Thread(target=self._run, name="takeover", daemon=True).start()

    def arrival(self) -> Arrival | None:
        """What was loaded, once; None before and after."""
        try:
            return self._arrivals.get_nowait()
        except queue.Empty:
            return None

    def stop(self) -> None:
        """End the loading; what was loaded and not taken is closed."""
        self._stopped.set()
        self._close_untaken()

    def _run(self) -> None:
        try:
            self._arrivals.put(self._load(self._stopped))
        except Cancelled:
            return
        if self._stopped.is_set():
            self._close_untaken()

    def _close_untaken(self) -> None:
        arrival = self.arrival()
        if arrival is not None and arrival.loaded is not None:
            arrival.loaded.pipeline.close()
