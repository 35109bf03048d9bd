"""Times one runner's stages, or other parts of a peer, on given arrays."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from engine.benchmark.job import BenchmarkJob, utterance_path
from engine.benchmark.utterances import inputs_of, load_utterance
from engine.runtime.runners.base import Runner
from engine.speech import Array
from engine.stages import DEVICE_STAGES
from engine.system.memory import peak_bytes

WARM_UP, RUN = "warm up", "run"


@dataclass(frozen=True)
class TimedPart:
    """A part to time.

    Its work is `times_the_work` times the requested work, and its times are divided by that.
    """

    run: Callable[[], object]
    times_the_work: float = 1.0


Parts = Callable[[Mapping[str, Array]], Mapping[str, TimedPart]]
"""A function that prepares for the arrays of an utterance and returns the parts to time on them, by name."""


def stage_parts(runner: Runner, prepare: Callable[[Mapping[str, Array]], None] = lambda values: None) -> Parts:
    """Return all stages of a runner as parts; `prepare` receives an utterance's arrays before any stage runs."""

    def parts(values: Mapping[str, Array]) -> dict[str, TimedPart]:
        prepare(values)
        return {
            stage.name: TimedPart(partial(runner.run_stage, stage, inputs_of(stage, values))) for stage in DEVICE_STAGES
        }

    return parts


class Timing:
    """Answers `warm up` with the seconds of the first run, and `run` with the median seconds of every part.

    `BenchmarkJob` determines the time of each. Preparation for a length is reported separately.
    """

    def __init__(
        self, job: BenchmarkJob, folder: Path, parts: Parts, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._job = job
        self._clock = clock
        self._folder = folder
        self._prepare = parts
        self._frames = 0
        self._parts: Mapping[str, TimedPart] = {}
        self._preparation_seconds = 0.0
        self._rest = _Rest()

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        rest = self._rest.end()
        try:
            if question == WARM_UP:
                return {"first_run_seconds": self._warm_up(int(details["frames"]))}
            if question == RUN:
                parts = self._at(int(details["frames"]))
                stages = {name: self._median_seconds(part) for name, part in parts.items()}
                preparation = {"preparation_seconds": self._preparation_seconds}
                return {"stages": stages, "peak_bytes": peak_bytes(), **preparation, **rest}
            raise ValueError(question)
        finally:
            self._rest = _Rest()

    def _warm_up(self, frames: int) -> float:
        parts = self._at(frames)
        first = _run_all(parts, self._clock)
        began = self._clock()
        while self._clock() - began < self._job.warm_up_seconds:
            _run_all(parts, self._clock)
        return first

    def _median_seconds(self, part: TimedPart) -> float:
        """Run the part repeatedly for `stage_seconds`; return the median time, scaled to the requested work."""
        runs = [_seconds_of(part, self._clock)]
        while sum(runs) < self._job.stage_seconds:
            runs.append(_seconds_of(part, self._clock))
        return statistics.median(runs) / part.times_the_work

    def _at(self, frames: int) -> Mapping[str, TimedPart]:
        """Return the parts prepared for the utterance of `frames` frames; only those of the latest one are cached."""
        if self._frames != frames:
            values = load_utterance(utterance_path(self._folder, frames))
            started = time.perf_counter()
            self._frames, self._parts = frames, self._prepare(values)
            self._preparation_seconds = time.perf_counter() - started
        return self._parts


def _run_all(parts: Mapping[str, TimedPart], clock: Callable[[], float]) -> float:
    return sum(_seconds_of(part, clock) for part in parts.values())


def _seconds_of(part: TimedPart, clock: Callable[[], float]) -> float:
    started = clock()
    part.run()
    return clock() - started


class _Rest:
    """The time between two questions, in which the process should be idle."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def end(self) -> dict[str, float]:
        """Return the length of the rest, and the CPU seconds that all threads of the process used during it."""
        return {
            "rest_seconds": time.perf_counter() - self._began[0],
            "rest_processor_seconds": time.process_time() - self._began[1],
        }
