"""Which pipeline speaks: the processor what the GPU fails at, and a GPU what follows once it is ready.

After several failures in a row the processor speaks all that follows.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import Cancelled, GpuFailed
from engine.runtime.pipeline import Observer, Pipeline, ignore
from engine.speech import DeviceEvent, FallbackEvent, PreparationEvent, Speech, Style, Utterance

MAX_FAILURES_IN_A_ROW = 3
PREPARING_SPARE = PreparationEvent("The GPU failed; preparing the CPU", 0, 1)


@dataclass(frozen=True)
class Loaded:
    """A pipeline and the name of its device; `identity` names its weights, and what computes with them."""

    pipeline: Pipeline
    device: str
    identity: str = ""


Load = Callable[[Observer, threading.Event | None], Loaded]
"""Loads a pipeline, making its files if they are missing."""


class Speaker:
    """Speaks with a pipeline, and with a spare one on the processor the utterances at which the first one's GPU fails.

    The spare is loaded when it is first needed. After `MAX_FAILURES_IN_A_ROW` utterances the GPU is not tried again.
    `device` and `identity` are of what spoke last, or is going to.
    """

    def __init__(self, first: Loaded, load_spare: Load) -> None:
        self.device, self.identity = first.device, first.identity
        self._first = first
        self._load_spare = load_spare
        self._spare: Loaded | None = None
        self._failures_in_a_row = 0
        self._message = ""

    @property
    def has_given_up(self) -> bool:
        """Whether the processor speaks all that follows."""
        return self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW

    def speak(
        self,
        utterance: Utterance,
        style: Style,
        speed: float,
        seed: int,
        observe: Observer = ignore,
        cancel: threading.Event | None = None,
    ) -> Speech:
        """See `Pipeline.speak`; `observe` gets a `FallbackEvent` when the processor begins in place of the GPU.

        It then gets the stages that the GPU did before it failed a second time. Raises what loading the spare raises.
        """
        if not self.has_given_up:
            try:
                speech = self._first.pipeline.speak(utterance, style, speed, seed, observe, cancel)
            except GpuFailed as failure:
                self._note(failure)
            else:
                self._failures_in_a_row = 0
                self.device, self.identity = self._first.device, self._first.identity
                return speech
        spare = self._loaded_spare(observe, cancel)
        self.device, self.identity = spare.device, spare.identity
        observe(FallbackEvent(self._message))
        return spare.pipeline.speak(utterance, style, speed, seed, observe, cancel)

    def take_over(self, better: Loaded) -> None:
        """Let another pipeline speak from the next utterance on, with the first one as its spare."""
        self._first, self._spare = better, self._first
        self.device, self.identity = better.device, better.identity

    def close(self) -> None:
        """Close the pipelines."""
        self._first.pipeline.close()
        if self._spare is not None:
            self._spare.pipeline.close()

    def _note(self, failure: GpuFailed) -> None:
        self._failures_in_a_row += 1
        consequence = (
            f"It failed {self._failures_in_a_row} times in a row. Using the CPU from now on."
            if self.has_given_up
            else "Using the CPU for this part."
        )
        self._message = f"{failure.message} {consequence}"

    def _loaded_spare(self, observe: Observer, cancel: threading.Event | None) -> Loaded:
        if self._spare is None:
            observe(PREPARING_SPARE)
            self._spare = self._load_spare(observe, cancel)
        return self._spare


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
