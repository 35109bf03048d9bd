"""Steps, and running them one after the other, each in a child process with a time limit: none suffers from another."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.system.child_process import ChildProcess, python_command

LOG = "log.txt"
"""What a step said on standard error, each line with the seconds since its start."""
_CHILD = "engine.report.child"
_LONGEST_REASON = 300
_ERROR = "error: "


def run_step(step: Step, folder: Path) -> StepResult:
    """What comes of a step, whose files are in a folder of its name below `folder`; never raises for what it does."""
    if step.obstacle:
        return StepResult(step.name, Outcome.NOT_HERE, step.obstacle)
    own = folder / step.name
    started = time.monotonic()
    try:
        own.mkdir(parents=True)
        with TemporaryDirectory(prefix="scratch-", dir=folder, ignore_cleanup_errors=True) as scratch:
            reason = _reason_of(step, own, {FOLDER: str(own), SCRATCH: scratch}, started)
    except OSError as error:
        reason = f"it could not be started ({error.strerror})"
    outcome = Outcome.FAILED if reason else Outcome.OK
    return StepResult(step.name, outcome, reason[:_LONGEST_REASON], time.monotonic() - started)


def _reason_of(step: Step, folder: Path, places: Mapping[str, str], started: float) -> str:
    """Why the step failed; empty if it did not."""
    command = python_command(_CHILD, str(folder / step.output), *(_filled(word, places) for word in step.command))
    environment = {name: _filled(value, places) for name, value in step.environment.items()}
    with (folder / LOG).open("w", encoding="utf-8") as log:

        def keep(line: str) -> None:
            log.write(f"{time.monotonic() - started:8.1f} s  {line}\n")
            log.flush()

        with ChildProcess(command, environment, keep) as child, _ended_with_its_children(child.number):
            try:
                code = child.wait(step.limit_seconds)
            except subprocess.TimeoutExpired:
                return f"it was not done after {step.limit_seconds:g} seconds"
            lines = child.error_lines()  # the log is whole then
    if code < 0:
        return f"it was ended by {signal.Signals(-code).name}"
    return (lines[-1].removeprefix(_ERROR) if lines else f"exit code {code}") if code else ""


def _filled(word: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(name, place)
    return word


@contextmanager
def _ended_with_its_children(process: int) -> Iterator[None]:
    try:
        yield
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)


FOLDER, SCRATCH = "{folder}", "{scratch}"
"""In arguments and environment variables: a folder whose files go into the report, and one that is removed after it."""


class Outcome(StrEnum):
    """What came of a step."""

    OK = "ok"
    FAILED = "failed"
    NOT_HERE = "not here"


@dataclass(frozen=True)
class Step:
    """A Python module that runs in a separate process, with its arguments.

    What it prints is kept as the file `output`, what it says on standard error as log. A step with an `obstacle`, as
    text, does not belong to this machine. `name` is short, and that of a folder.
    """

    name: str
    command: tuple[str, ...]
    limit_seconds: float = 300
    obstacle: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    output: str = "output.txt"


@dataclass(frozen=True)
class StepResult:
    """What came of a step, and why, as text, unless all is well."""

    name: str
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """The outcome, the reason and the time, in one line."""
        why = f": {self.reason}" if self.reason else ""
        return f"{self.outcome}{why}, {self.seconds:.1f} s" if self.seconds else f"{self.outcome}{why}"
