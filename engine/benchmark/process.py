"""A child process that answers questions: one JSON object a line in, one a line out.

It does not know what is asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.errors import EngineError
from engine.paths import project_folder

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
