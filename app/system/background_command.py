"""A command that runs in the background at low priority: its output line by line, its progress, how it ended."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot

from app.system.processes import child_process

NICENESS = 10
TURN_SECONDS = 0.004
"""How long reading may take before the window gets its turn."""
NO_START = "It could not be started."


class BackgroundCommand(QObject):
    """One command at a time. `line` carries each line of its output, `progressed` the latest one on standard error.

    `ended` carries the exit code once all lines are delivered, or -1 where it was killed or did not start; `last_words`
    then is the last line on standard error. A command that was stopped tells nothing more.
    """

    line = Signal(str)
    progressed = Signal(str)
    ended = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.last_words = ""
        self._process: QProcess | None = None
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._read)

    @property
    def active(self) -> bool:
        """Whether a command is running."""
        return self._process is not None

    def start(self, command: Sequence[str]) -> None:
        """Run a command, in place of one that is running."""
        self.stop()
        self.last_words = ""
        process = self._process = child_process(self)
        process.started.connect(self._give_way)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_progress)
        process.finished.connect(self._read)
        process.errorOccurred.connect(self._on_error)
        process.start(command[0], list(command[1:]))
        process.closeWriteChannel()

    @Slot()
    def stop(self) -> None:
        """End the command that is running, if any."""
        process, self._process = self._process, None
        self._turn.stop()
        if process is not None:
            self._disconnect(process)
            process.finished.connect(process.deleteLater)
            process.kill()

    def shut_down(self, timeout_ms: int) -> None:
        """End the command that is running, and wait until it and all that were stopped before have ended."""
        self.stop()
        for process in self.findChildren(QProcess):
            process.waitForFinished(timeout_ms)

    def _disconnect(self, process: QProcess) -> None:
        process.started.disconnect(self._give_way)
        process.readyReadStandardOutput.disconnect(self._read)
        process.readyReadStandardError.disconnect(self._read_progress)
        process.finished.disconnect(self._read)
        process.errorOccurred.disconnect(self._on_error)

    @Slot()
    def _give_way(self) -> None:
        process_id = self._process.processId() if self._process is not None else 0
        if process_id and hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, process_id, NICENESS)

    @Slot()
    def _read(self) -> None:
        """Deliver lines for a short time, and the rest after the window has had its turn."""
        until = time.perf_counter() + TURN_SECONDS
        while (process := self._process) is not None and process.canReadLine():
            self.line.emit(bytes(process.readLine().data()).decode(errors="replace").rstrip("\n"))
            if time.perf_counter() > until:
                self._turn.start()
                return
        if process is not None and process.state() is QProcess.ProcessState.NotRunning:
            self._end(process)

    def _end(self, process: QProcess) -> None:
        if rest := bytes(process.readAllStandardOutput().data()).decode(errors="replace"):
            self.line.emit(rest)
        self._read_progress()
        self._process = None
        process.deleteLater()
        crashed = process.exitStatus() is QProcess.ExitStatus.CrashExit
        self.ended.emit(-1 if crashed else process.exitCode())

    @Slot()
    def _read_progress(self) -> None:
        if self._process is None:
            return
        said = bytes(self._process.readAllStandardError().data()).decode(errors="replace")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        if lines:
            self.last_words = lines[-1]
            self.progressed.emit(self.last_words)

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        process = self._process
        if error is QProcess.ProcessError.FailedToStart and process is not None:
            self._process = None
            process.deleteLater()
            self.last_words = NO_START
            self.ended.emit(-1)
