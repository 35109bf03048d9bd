"""Work done in a process of its own, which reports on its standard output: a JSON object a line.

So neither the network client nor PyTorch is ever in the process that speaks, a hostile file harms nothing, and the
work ends at once when it is cancelled. It does not know what the work is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from engine.errors import DownloadError, EngineError, StorageError, UnusableModel
from engine.model_store.progress import Activity
from engine.system.paths import project_folder
from engine.system.waiting import lines_of

Report = Callable[[Activity, int, int], None]

REPORT_SECONDS = 0.1
_ERRORS = {kind.__name__: kind for kind in (DownloadError, UnusableModel, StorageError, EngineError)}


@dataclass(frozen=True)
class Work:
    """A module that is run with a plan, in an environment with these changes."""

    module: str
    plan: Mapping[str, Any]
    environment: Mapping[str, str]


def run(work: Work, report: Report, cancel: threading.Event | None = None) -> dict[str, Any]:
    """What the work says its result is; raises its `EngineError`, or `Cancelled` once `cancel` is set."""
    child = subprocess.Popen(
        [sys.executable, "-m", work.module],
        cwd=project_folder(),
        env={**os.environ, **work.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    try:
        return _followed(child, work, report, cancel)
    finally:
        child.kill()  # does nothing to a child that has ended
        child.wait()


def serve(work: Callable[[dict[str, Any], Report], dict[str, Any]]) -> int:
    """The other side: do the work of the plan on standard input, and report."""
    output, sys.stdout = sys.stdout, sys.stderr  # libraries print too
    try:
        result = work(json.loads(sys.stdin.read()), _reporter(output))
    except EngineError as error:
        known = next(name for name, kind in _ERRORS.items() if isinstance(error, kind))
        _tell(output, error=known, message=error.message, hint=error.hint)
        return 1
    _tell(output, result=result)
    return 0


def _followed(
    child: subprocess.Popen[str], work: Work, report: Report, cancel: threading.Event | None
) -> dict[str, Any]:
    words = ""
    _give(child, json.dumps(work.plan))
    for line in lines_of(child.stdout, cancel):
        message = _message(line)
        if "activity" in message:
            report(Activity(message["activity"]), message["done"], message["total"])
        elif "error" in message:
            raise _ERRORS[message["error"]](message["message"], message["hint"])
        elif "result" in message:
            return dict(message["result"])
        else:
            words = line.strip() or words
    raise EngineError(f"The work ended with code {child.wait()} ({words}).", "Try it again.")


def _give(child: subprocess.Popen[str], plan: str) -> None:
    try:
        if child.stdin is not None:
            with child.stdin as stream:
                stream.write(plan)
    except BrokenPipeError:
        pass  # it ended before it read its plan; what it said tells why


def _message(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _reporter(output: TextIO) -> Report:
    """Reports now and then, and always at the end of an activity."""
    last: list[Any] = [None, 0.0]

    def report(activity: Activity, done: int, total: int) -> None:
        now = time.monotonic()
        if activity != last[0] or done >= total or now - last[1] >= REPORT_SECONDS:
            last[:] = [activity, now]
            _tell(output, activity=activity, done=done, total=total)

    return report


def _tell(output: TextIO, **message: Any) -> None:
    output.write(json.dumps(message) + "\n")
    output.flush()
