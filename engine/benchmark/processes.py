"""Child processes of a benchmark: they answer questions, one JSON object a line in and out; some run stages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.benchmark.lengths import Length
from engine.benchmark.measurement import ProcessFigures
from engine.benchmark.stage_timing import RUN, WARM_UP
from engine.errors import EngineError
from engine.system.paths import project_folder

_WORKER = "engine.benchmark.worker"
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_END_SECONDS = 10
_LEAVE_OUT = "Leave it out, or take shorter lengths."


class WorkerProcess:
    """The process with the role `name` over the files in `folder`; what it says on standard error is kept there."""

    def __init__(self, name: str, folder: Path, threads: int) -> None:
        self.name = name
        self._log = folder / f"{name}.log"
        with self._log.open("wb") as log:
            self._child = subprocess.Popen(
                [sys.executable, "-m", _WORKER, name, str(folder)],
                cwd=project_folder(),
                env={**os.environ, **dict.fromkeys(_THREAD_VARIABLES, str(threads))},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
            )

    @property
    def number(self) -> int:
        """The system's number of the process."""
        return self._child.pid

    def ask(self, question: str, **details: Any) -> dict[str, Any]:
        """The answer; raises `EngineError` when there is none, or the process says what went wrong."""
        with suppress(BrokenPipeError):  # the missing answer tells
            self._input.write(json.dumps({"do": question, **details}) + "\n")
            self._input.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """The next answer: the first comes by itself, when the process is ready."""
        line = self._output.readline()
        if not line:
            raise EngineError(f"The process of {self.name} ended by itself: {self._last_words()}.", _LEAVE_OUT)
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineError(f"{self.name}: {answer['error']}", answer.get("hint", ""))
        return answer

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):  # a question that nobody read
            self._input.close()
        try:
            self._child.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._output.close()

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _input(self) -> Any:
        return self._child.stdin

    @property
    def _output(self) -> Any:
        return self._child.stdout

    def _last_words(self) -> str:
        code = self._child.wait()
        if code < 0:
            return signal.Signals(-code).name
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return (lines or [f"code {code}"])[-1].rstrip(".")


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
