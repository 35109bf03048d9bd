"""Times one runner's stages on given arrays."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.benchmark.job import Job, utterance_path
from engine.benchmark.utterances import inputs_of, load_utterance
from engine.runners.base import Runner
from engine.speech import Array
from engine.stages import DEVICE_STAGES, Stage
from engine.system.memory import peak_bytes

WARM_UP, RUN = "warm up", "run"


class StageTiming:
    """Answers `warm up` with the seconds of the very first run, and `run` with the median seconds of every stage.

    `Job` says how long each of them lasts.
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
        values = self._utterance(frames)
        first = self._run_all(values)
        began = self._clock()
        while self._clock() - began < self._job.warm_up_seconds:
            self._run_all(values)
        return first

    def _run_all(self, values: Mapping[str, Array]) -> float:
        return sum(self._seconds_of(stage, inputs_of(stage, values)) for stage in DEVICE_STAGES)

    def _run(self, frames: int) -> dict[str, float]:
        values = self._utterance(frames)
        return {stage.name: self._median_seconds(stage, inputs_of(stage, values)) for stage in DEVICE_STAGES}

    def _median_seconds(self, stage: Stage, inputs: Mapping[str, Array]) -> float:
        """The median of runs of the stage, one after the other for `stage_seconds`."""
        runs = [self._seconds_of(stage, inputs)]
        while sum(runs) < self._job.stage_seconds:
            runs.append(self._seconds_of(stage, inputs))
        return statistics.median(runs)

    def _seconds_of(self, stage: Stage, inputs: Mapping[str, Array]) -> float:
        started = self._clock()
        self._runner.run(stage, inputs)
        return self._clock() - started

    def _utterance(self, frames: int) -> dict[str, Array]:
        if self._loaded[0] != frames:
            self._loaded = frames, load_utterance(utterance_path(self._folder, frames))
        return self._loaded[1]


class _Rest:
    """The time between two questions, in which the process should do nothing."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def end(self) -> dict[str, float]:
        """How long the rest was, and how many processor seconds all threads of the process used in it."""
        return {
            "rest_seconds": time.perf_counter() - self._began[0],
            "rest_processor_seconds": time.process_time() - self._began[1],
        }
