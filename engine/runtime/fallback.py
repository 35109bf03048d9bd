"""Selects the pipeline: the CPU for utterances at which the GPU fails, and a GPU from the time it is ready.

After several failures in a row, the CPU is used for all that follows.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from engine.errors import Canceled, GpuFailed
from engine.runtime.pipeline import Observer, Pipeline, ignore
from engine.speech import Contours, DeviceEvent, FallbackEvent, PreparationEvent, Speech, Style, Utterance

Result = TypeVar("Result")
MAX_FAILURES_IN_A_ROW = 3
PREPARING_SPARE = PreparationEvent("The GPU failed; preparing the CPU", 0, 1)


@dataclass(frozen=True)
class LoadedPipeline:
    """A pipeline and the name of its device; `identity` names its weights, and the code that computes with them."""

    pipeline: Pipeline
    device: str
    identity: str = ""


Load = Callable[[Observer, threading.Event | None], LoadedPipeline]
"""Loads a pipeline, creating its files if they are missing."""


class FallbackSpeaker:
    """Generates speech with a pipeline, and uses a spare one on the CPU whenever the first pipeline's GPU fails.

    The spare is loaded when it is first needed. After `MAX_FAILURES_IN_A_ROW` utterances, the GPU is not tried again.
    `device` and `identity` are those of the pipeline last used, or of the first one before that.
    """

    def __init__(self, first: LoadedPipeline, load_spare: Load) -> None:
        self.device, self.identity = first.device, first.identity
        self._first = first
        self._load_spare = load_spare
        self._spare: LoadedPipeline | None = None
        self._failures_in_a_row = 0
        self._message = ""

    @property
    def has_given_up(self) -> bool:
        """True if the CPU is used for all that follows."""
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
        """See `Pipeline.speak`; `observe` receives a `FallbackEvent` when the CPU replaces the GPU.

        It then also receives the stages that the GPU completed before its second failure. Raises any error from loading
        the spare.
        """
        return self._run(
            lambda pipeline: pipeline.speak(utterance, style, speed, seed, observe, cancel), observe, cancel
        )

    def contours(
        self,
        utterance: Utterance,
        style: Style,
        speed: float,
        seed: int,
        observe: Observer = ignore,
        cancel: threading.Event | None = None,
    ) -> Contours:
        """See `Pipeline.contours` and `speak`."""
        return self._run(lambda pipeline: pipeline.contours(utterance, style, speed, seed), observe, cancel)

    def _run(self, work: Callable[[Pipeline], Result], observe: Observer, cancel: threading.Event | None) -> Result:
        if not self.has_given_up:
            try:
                result = work(self._first.pipeline)
            except GpuFailed as failure:
                self._note(failure)
            else:
                self._failures_in_a_row = 0
                self.device, self.identity = self._first.device, self._first.identity
                return result
        spare = self._loaded_spare(observe, cancel)
        self.device, self.identity = spare.device, spare.identity
        observe(FallbackEvent(self._message))
        return work(spare.pipeline)

    def take_over(self, better: LoadedPipeline) -> None:
        """Use a different pipeline from the next utterance on, with the first one as its spare."""
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

    def _loaded_spare(self, observe: Observer, cancel: threading.Event | None) -> LoadedPipeline:
        if self._spare is None:
            observe(PREPARING_SPARE)
            self._spare = self._load_spare(observe, cancel)
        return self._spare


@dataclass(frozen=True)
class LoadResult:
    """The event to report about the device that was tried, and its pipeline, if it works."""

    event: DeviceEvent
    loaded: LoadedPipeline | None


class BackgroundLoad:
    """Runs `load` in a new thread; it ends soon after the event passed to it is set."""

    def __init__(self, load: Callable[[threading.Event], LoadResult]) -> None:
        self._load = load
        self._stopped = threading.Event()
        self._arrivals: queue.SimpleQueue[LoadResult] = queue.SimpleQueue()
        # A hanging trial is ended after a minute; it must not keep the program from exiting.
        threading.Thread(target=self._run, name="takeover", daemon=True).start()

    def arrival(self) -> LoadResult | None:
        """Return the loaded device once; None before and after that."""
        try:
            return self._arrivals.get_nowait()
        except queue.Empty:
            return None

    def stop(self) -> None:
        """Stop loading; a loaded pipeline that was not taken is closed."""
        self._stopped.set()
        self._close_untaken()

    def _run(self) -> None:
        try:
            self._arrivals.put(self._load(self._stopped))
        except Canceled:
            return
        if self._stopped.is_set():
            self._close_untaken()

    def _close_untaken(self) -> None:
        arrival = self.arrival()
        if arrival is not None and arrival.loaded is not None:
            arrival.loaded.pipeline.close()
