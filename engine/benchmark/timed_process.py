"""A process of a benchmark that runs stages, and what becomes known of it on the way.

It does not know the others.
"""

from __future__ import annotations

import time
from pathlib import Path

from engine.benchmark.lengths import Length
from engine.benchmark.measurement import ProcessFigures
from engine.benchmark.process import WorkerProcess
from engine.benchmark.stage_timing import RUN, WARM_UP
from engine.errors import EngineError

SETTLE_SECONDS = 0.05
"""Threads that have nothing to do spin for some milliseconds before they sleep."""


class TimedProcess:
    """Runs the stages of a model in a process of its own, which is ready once this is made."""

    def __init__(self, name: str, folder: Path, threads: int) -> None:
        self.name = name
        started = time.perf_counter()
        self._process = WorkerProcess(name, folder, threads)
        try:
            self._process.answer()
        except EngineError:
            self._process.close()
            raise
        self._seconds_to_ready = time.perf_counter() - started
        self._first_run_seconds = 0.0
        self._rest_seconds = self._rest_processor_seconds = 0.0
        self._peak_bytes = 0

    def warm_up(self, length: Length) -> None:
        """Have it work at this length until it is as fast as it gets."""
        self._first_run_seconds = self._process.ask(WARM_UP, frames=length.frames)["first_run_seconds"]

    def run(self, length: Length) -> dict[str, float]:
        """The seconds of every stage on the arrays of this length, when everybody else has come to rest."""
        time.sleep(SETTLE_SECONDS)
        answer = self._process.ask(RUN, frames=length.frames)
        stages: dict[str, float] = answer["stages"]
        self._rest_seconds += answer["rest_seconds"]
        self._rest_processor_seconds += answer["rest_processor_seconds"]
        self._peak_bytes = answer["peak_bytes"]
        return stages

    def figures(self) -> ProcessFigures:
        """All but the times of stages."""
        return ProcessFigures(
            seconds_to_ready=self._seconds_to_ready,
            first_run_seconds=self._first_run_seconds,
            peak_bytes=self._peak_bytes,
            idle_share=self._rest_processor_seconds / self._rest_seconds if self._rest_seconds else 0.0,
        )

    def close(self) -> None:
        """End the process."""
        self._process.close()
