"""Runs the steps one by one, each in a child process with a time limit, so that they can't affect each other."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.errors import EngineError
from engine.system.remote import CallTimedOut, ProcessEnded, call, run_module

LOG = "log.txt"
"""The standard error output of a step, each line with the seconds since its start."""
_MAX_REASON = 300
_ERROR = "error: "


def run_step(step: ReportStep, folder: Path) -> StepResult:
    """Run a step, with its files in a folder of its name below `folder`. Failures are results, not exceptions."""
    if step.unavailable_reason:
        return StepResult(step.name, StepOutcome.NOT_HERE, step.unavailable_reason)
    own = folder / step.name
    started = time.monotonic()
    try:
        own.mkdir(parents=True)
        with TemporaryDirectory(prefix="scratch-", dir=folder, ignore_cleanup_errors=True) as scratch:
            reason = _reason_of(step, own, {FOLDER: str(own), SCRATCH: scratch}, started)
    except OSError as error:
        reason = f"couldn’t be started ({error.strerror})"
    outcome = StepOutcome.FAILED if reason else StepOutcome.OK
    return StepResult(step.name, outcome, reason[:_MAX_REASON], time.monotonic() - started)


def _reason_of(step: ReportStep, folder: Path, places: Mapping[str, str], started: float) -> str:
    """Return why the step failed; empty if it succeeded."""
    module, *arguments = (_filled(word, places) for word in step.command)
    environment = {name: _filled(value, places) for name, value in step.environment.items()}
    with (folder / LOG).open("w", encoding="utf-8") as log:

        def keep(line: str) -> None:
            log.write(f"{time.monotonic() - started:8.1f} s  {line}\n")
            log.flush()

        try:
            call(
                run_into,
                folder / step.output,
                module,
                arguments,
                seconds=step.limit_seconds,
                environment=environment,
                on_error_line=keep,
                until_exit=True,  # so that the output and the log are complete
            )
        except CallTimedOut:
            return f"timed out after {step.limit_seconds:g} seconds"
        except ProcessEnded as ended:
            return f"terminated by {ended.words}" if ended.code < 0 else ended.words.removeprefix(_ERROR)
        except EngineError as error:
            return str(error)
    return ""


def run_into(output: Path, module: str, arguments: list[str]) -> None:
    """Run a module like `run_module`, with its standard output in the file `output`."""
    faulthandler.enable()
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
    sys.stdout = sys.__stdout__
    run_module(module, arguments)


def _filled(word: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(name, place)
    return word


FOLDER, SCRATCH = "{folder}", "{scratch}"
"""Placeholders in arguments and environment variables: a folder whose files go into the report, and one that is removed
after the step."""


class StepOutcome(StrEnum):
    """The outcome of a step."""

    OK = "ok"
    FAILED = "failed"
    NOT_HERE = "not here"


@dataclass(frozen=True)
class ReportStep:
    """A Python module that runs in a separate process, with its arguments.

    Its standard output is stored in the file `output`, its standard error as the log. A step with an
    `unavailable_reason`, as text, does not apply to this machine. `name` is short and a valid folder name.
    """

    name: str
    command: tuple[str, ...]
    limit_seconds: float = 300
    unavailable_reason: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    output: str = "output.txt"


@dataclass(frozen=True)
class StepResult:
    """The outcome of a step, and the reason as text if it did not succeed."""

    name: str
    outcome: StepOutcome
    reason: str = ""
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """The outcome, the reason and the time, on one line."""
        why = f": {self.reason}" if self.reason else ""
        return f"{self.outcome}{why}, {self.seconds:.1f} s" if self.seconds else f"{self.outcome}{why}"
