"""Times one runner's stages on given arrays.

It does not know whose runner it is.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.benchmark.job import Job, utterance_path
from engine.benchmark.utterances import inputs_of, load_utterance
from engine.memory import peak_bytes
from engine.runners.base import Runner
from engine.speech import Array
from engine.stages import DEVICE_STAGES

WARM_UP, RUN = "warm up", "run"


class StageTiming:
    """Answers `warm up` with the seconds of the very first run, and `run` with the median seconds of every stage.

    How long either goes on is told by `Job`.
    """

    def __init__(
        self,
        job: Job,
        folder: Path,
        runner: Runner,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._job = job
        self._clock = clock
        self._folder = folder
        self._runner = runner
        self._loaded: tuple[int, dict[str, Array]] = (0, {})
        self._rest = _Rest()

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        rest = self._rest.end()
        try:
            if question == WARM_UP:
                return {"first_run_seconds": self._warm_up(int(details["frames"]))}
            if question == RUN:
                return {"stages": self._run(int(details["frames"])), "peak_bytes": peak_bytes(), **rest}
            raise ValueError(question)
        finally:
            self._rest = _Rest()

    def _warm_up(self, frames: int) -> float:
        (first,) = self._runs(frames, 0)
        self._runs(frames, self._job.warm_up_seconds)
        return sum(first.values())

    def _run(self, frames: int) -> dict[str, float]:
        runs = self._runs(frames, self._job.turn_seconds)
        return {stage: statistics.median(run[stage] for run in runs) for stage in runs[0]}

    def _runs(self, frames: int, seconds: float) -> list[dict[str, float]]:
        """What every stage took in each of the runs of so many seconds, one at least."""
        runs: list[dict[str, float]] = []
        values, began = self._utterance(frames), self._clock()
        while not runs or self._clock() - began < seconds:
            runs.append(self._run_once(values))
        return runs

    def _run_once(self, values: Mapping[str, Array]) -> dict[str, float]:
        seconds = {}
        for stage in DEVICE_STAGES:
            inputs = inputs_of(stage, values)
            started = self._clock()
            self._runner.run(stage, inputs)
            seconds[stage.name] = self._clock() - started
        return seconds

    def _utterance(self, frames: int) -> dict[str, Array]:
        if self._loaded[0] != frames:
            self._loaded = frames, load_utterance(utterance_path(self._folder, frames))
        return self._loaded[1]


class _Rest:
    """The time between two questions, in which the process should do nothing."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def end(self) -> dict[str, float]:
        """How long it was, and how many processor seconds all threads of the process used."""
        return {
            "rest_seconds": time.perf_counter() - self._began[0],
            "rest_processor_seconds": time.process_time() - self._began[1],
        }
