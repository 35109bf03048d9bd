"""Exports a diagnostic run in the background, by passing its results to a process that writes them to one file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot

from app.diagnostics.runs.run import DiagnosticsRun
from engine.errors import InvalidRequest, OutputError
from engine.system.child_process import python_command
from engine.system.paths import project_folder
from engine.validator.data.results import FinishedEvent, RowEvent
from engine.validator.data.wire import Wire

COMMAND = python_command("app.diagnostics.runs.bundle_writer")
TURN_SECONDS = 0.004
"""How long passing data on may take before the window gets its turn."""
TURN_EVERY_MS = 5
MOST_WAITING_BYTES = 1 << 22
"""How much data may wait in memory until the process takes it."""


class BundleExport(QObject):
    """One export at a time."""

    exported = Signal(object)
    failed = Signal(object)

    def __init__(self, command: Sequence[str] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._wire = Wire()
        self._path = Path()
        self._lines: Iterator[str] = iter(())
        self._process = QProcess(self)
        self._process.setWorkingDirectory(str(project_folder()))
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._turn = QTimer(self, interval=TURN_EVERY_MS)
        self._turn.timeout.connect(self._hand_over)

    @property
    def active(self) -> bool:
        """Whether an export is in progress."""
        return self._process.state() is not QProcess.ProcessState.NotRunning

    def export(self, run: DiagnosticsRun, path: Path, name: str = "") -> None:
        """Write what is known of a run, which may still be active, under a name; emits `exported` or `failed`."""
        if self.active:
            self.failed.emit(InvalidRequest("Another export is under way.", "Wait until it is done."))
            return
        self._path = path
        self._lines = self._written(run)
        folder = run.request.arrays_folder
        about = [f"--name={name}", f"--made={run.started.isoformat()}"]
        arguments = [*self._command[1:], *about, str(path.absolute()), *([folder] if folder else [])]
        self._process.start(self._command[0], arguments)
        self._turn.start()

    def shut_down(self, timeout_ms: int) -> None:
        """End an export in progress, and wait until it has ended."""
        self._turn.stop()
        if self.active:
            self._process.finished.disconnect(self._on_finished)
            self._process.kill()
            self._process.waitForFinished(timeout_ms)

    def _written(self, run: DiagnosticsRun) -> Iterator[str]:
        report = run.report_so_far
        yield self._wire.encode(FinishedEvent(replace(report, rows=())))
        for row in report.rows:
            yield self._wire.encode(RowEvent(row))

    @Slot()
    def _hand_over(self) -> None:
        """Write lines for a short time, and the rest after the window has had its turn."""
        until = time.perf_counter() + TURN_SECONDS
        while self._process.bytesToWrite() < MOST_WAITING_BYTES:
            line = next(self._lines, None)
            if line is None:
                self._turn.stop()
                self._process.closeWriteChannel()
                return
            self._process.write(f"{line}\n".encode())
            if time.perf_counter() > until:
                return

    @Slot()
    def _on_finished(self) -> None:
        self._turn.stop()
        if self._process.exitStatus() is QProcess.ExitStatus.NormalExit and self._process.exitCode() == 0:
            self.exported.emit(self._path)
        else:
            self.failed.emit(self._failure())

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._turn.stop()
            self.failed.emit(self._failure())

    def _failure(self) -> OutputError:
        said = bytes(self._process.readAllStandardError().data()).decode(errors="replace").splitlines()
        why = next((line.strip() for line in reversed(said) if line.strip()), "The process that writes it ended.")
        return OutputError(f"{self._path.name} was not exported.", why)
