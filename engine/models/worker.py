"""Tasks for a child process, which gets a plan and reports progress and a result.

The process that speaks therefore never imports the network client or PyTorch, a hostile file cannot harm it, and a
task ends at once when it is cancelled.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError
from engine.models.progress import Activity
from engine.system.child_process import ChildProcess, Message, error_fields, message_writer, python_command

OnProgress = Callable[[Activity, int, int], None]
PROGRESS_SECONDS = 0.1


@dataclass(frozen=True)
class Task:
    """A module to run with a plan, in this environment with these variables changed."""

    module: str
    plan: Mapping[str, Any]
    environment: Mapping[str, str]


def run(task: Task, on_progress: OnProgress, cancel: threading.Event | None = None) -> Message:
    """The result that the task reports; raises the `EngineError` it reports, or `Cancelled` once `cancel` is set."""
    with ChildProcess(python_command(task.module), task.environment) as child:
        child.send(task.plan)
        for message in child.messages(cancel):
            if "result" in message:
                return dict(message["result"])
            if "activity" in message:
                on_progress(Activity(message["activity"]), message["done"], message["total"])
        raise EngineError(f"The work ended with code {child.wait()} ({child.last_words()}).", "Try again.")


def serve(work: Callable[[dict[str, Any], OnProgress], dict[str, Any]]) -> int:
    """In the child process: do the work of the plan on standard input, and report; returns the exit code."""
    write = message_writer()
    try:
        result = work(json.loads(sys.stdin.readline()), _at_intervals(write))
    except EngineError as error:
        write(error_fields(error))
        return 1
    write({"result": result})
    return 0


def _at_intervals(write: Callable[[Message], None]) -> OnProgress:
    """Writes progress every `PROGRESS_SECONDS` at most, and always at the end of an activity."""
    last: list[Any] = [None, 0.0]

    def on_progress(activity: Activity, done: int, total: int) -> None:
        now = time.monotonic()
        if activity != last[0] or done >= total or now - last[1] >= PROGRESS_SECONDS:
            last[:] = [activity, now]
            write({"activity": activity, "done": done, "total": total})

    return on_progress
