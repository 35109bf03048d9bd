"""Has modules built for this very machine while nothing is to be done, by a child process of the lowest priority.

It begins after the window has been idle for a while, and does nothing if the modules that speak are the best already.
On Linux it is halted while speech is made: the lowest priority alone would leave it a share of caches and memory.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot

from app.speech.activity import Activity, Readiness
from app.system.processes import child_process
from engine.system.child_process import python_command

log = logging.getLogger(__name__)

BEGIN_AFTER_MS = 10_000
KILLED_WITHIN_MS = 500
"""A killed process ends at once, except one of the lowest priority while others want all of the processor."""


def build_command(model: str, device: str) -> tuple[str, ...]:
    """The command that builds modules for a model in the background, if they may be faster where `device` speaks."""
    return python_command("engine", "compile", "--model", model, "--in-background", device, "--json")


class ModuleBuilder(QObject):
    """Follows what the window does; `improved` says how many times as fast the new modules are, if they are faster.

    `make_command` names the process for the model and device in use; each such command runs once. Nothing is said of
    those that are not in use any more once their modules are built.
    """

    improved = Signal(float)

    def __init__(self, make_command: Callable[[], Sequence[str]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make_command = make_command
        self._done: set[tuple[str, ...]] = set()
        self._process: QProcess | None = None
        self._ended = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._begin)

    @property
    def process_id(self) -> int | None:
        """The id of the running process, if any."""
        return self._process.processId() or None if self._process is not None else None

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Begin after a while without activity; what has begun goes on unless speech is made."""
        self._halt(activity.making)
        if self._ended or not (activity.idle and activity.readiness is Readiness.READY):
            self._timer.stop()
        elif not self._timer.isActive() and self._process is None and tuple(self._make_command()) not in self._done:
            self._timer.start(BEGIN_AFTER_MS)

    def shut_down(self, timeout_ms: int) -> bool:
        """End the process, by force if it takes longer than this; return whether it has ended.

        A process that ends by itself removes what it has not finished. Nothing begins any more, although the window
        goes on telling what it does until all of it has ended.
        """
        self._ended = True
        self._timer.stop()
        process, self._process = self._process, None
        if process is None:
            return True
        _signal(process, signal.SIGCONT)
        process.closeWriteChannel()
        if process.waitForFinished(timeout_ms):
            return True
        process.kill()
        return process.waitForFinished(KILLED_WITHIN_MS)

    def _halt(self, halted: bool) -> None:
        if sys.platform == "linux" and self._process is not None:  # only there a halted process ends with this one
            _signal(self._process, signal.SIGSTOP if halted else signal.SIGCONT)

    @Slot()
    def _begin(self) -> None:
        command = tuple(self._make_command())
        self._done.add(command)
        process = self._process = child_process(self)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        process.start(command[0], list(command[1:]))

    @Slot()
    def _on_finished(self) -> None:
        process = self._let_go()
        if process is None:
            return
        if process.exitStatus() is QProcess.ExitStatus.NormalExit and process.exitCode() == 0:
            self._take(process)
        else:
            said = bytes(process.readAllStandardError().data()).decode(errors="replace").split("\n")
            self._fail(next((line for line in reversed(said) if line.strip()), "it gave no reason"))

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._let_go() is not None:
            self._fail("the process could not be started")

    def _let_go(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        return process

    def _take(self, process: QProcess) -> None:
        comparison = json.loads(bytes(process.readAllStandardOutput().data()))["comparison"]
        in_use = (process.program(), *process.arguments()) == tuple(self._make_command())
        if in_use and comparison is not None and comparison["built_is_faster"]:
            self.improved.emit(comparison["times_faster"])

    def _fail(self, why: str) -> None:
        log.warning("Modules for this machine were not built: %s", why)


def _signal(process: QProcess, number: signal.Signals) -> None:
    if process_id := process.processId():
        with suppress(ProcessLookupError):
            os.kill(process_id, number)
