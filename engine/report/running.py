"""Runs steps one after the other, each in a child process with a time limit: none suffers from another one."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.report.step import FOLDER, SCRATCH, Outcome, Step, StepResult
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
