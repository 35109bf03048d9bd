"""Child processes of a benchmark: they answer questions; some run stages."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from engine.benchmark.job import Length
from engine.benchmark.measurement import ProcessFigures
from engine.benchmark.stage_timing import RUN, WARM_UP
from engine.benchmark.worker import Question, serve
from engine.errors import EngineError
from engine.system.remote import Connection, ProcessEnded

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_END_SECONDS = 10
_LEAVE_OUT = "Omit it, or use shorter lengths."


class WorkerProcess(Connection):
    """The process with the role `name` on the files in `folder`."""

    def __init__(self, name: str, folder: Path, threads: int) -> None:
        super().__init__(serve, name, folder, environment=dict.fromkeys(_THREAD_VARIABLES, str(threads)))
        self.name = name
        self._answers = self.reports()

    def ask(self, question: str, **details: Any) -> dict[str, Any]:
        """Ask a question and return the answer.

        Raises `EngineError` if there is none, or the process reports an error.
        """
        self.send(Question(question, details))
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Return the next answer; the first comes without a question, when the process is ready.

        Raises `EngineError` if there is none, or the process reports an error.
        """
        try:
            (answer,) = next(self._answers)
        except ProcessEnded as ended:
            reason = ended.words.rstrip(".")
            raise EngineError(f"The process of {self.name} ended unexpectedly: {reason}.", _LEAVE_OUT) from ended
        except EngineError as error:
            raise EngineError(f"{self.name}: {error.message}", error.hint) from error
        return answer  # type: ignore[no-any-return]

    def close(self, seconds: float = _END_SECONDS) -> None:
        """End the process, which gets this time to exit by itself."""
        super().close(seconds)


SETTLE_SECONDS = 0.05
"""The wait until other processes are idle: their threads spin for some milliseconds before they sleep."""


class TimedProcess:
    """Runs the stages of a model in a separate process; the constructor waits until the process is ready.

    Raises `EngineError` if the process cannot start.
    """

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
        self._preparation_seconds: dict[float, float] = {}

    def warm_up(self, length: Length) -> None:
        """Run the process at this length until it has reached full speed."""
        self._first_run_seconds = self._process.ask(WARM_UP, frames=length.frames)["first_run_seconds"]

    def measure_length(self, length: Length) -> dict[str, float]:
        """Return the seconds of every stage, or part, on the arrays of this length, while other processes are idle."""
        time.sleep(SETTLE_SECONDS)
        answer = self._process.ask(RUN, frames=length.frames)
        stages: dict[str, float] = answer["stages"]
        self._rest_seconds += answer["rest_seconds"]
        self._rest_processor_seconds += answer["rest_processor_seconds"]
        self._peak_bytes = answer["peak_bytes"]
        self._preparation_seconds[length.seconds] = answer["preparation_seconds"]
        return stages

    def figures(self) -> ProcessFigures:
        """Return the results of the process, apart from the times of its stages."""
        return ProcessFigures(
            seconds_to_ready=self._seconds_to_ready,
            first_run_seconds=self._first_run_seconds,
            peak_bytes=self._peak_bytes,
            idle_share=self._rest_processor_seconds / self._rest_seconds if self._rest_seconds else 0.0,
            preparation_seconds=self._preparation_seconds,
        )

    def close(self) -> None:
        """End the process."""
        self._process.close()
