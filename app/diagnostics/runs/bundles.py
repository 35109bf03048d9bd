"""Exports diagnostic runs to files and opens them from files, in processes that write and read these."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.system.background_command import BackgroundCommand
from engine.errors import EngineError, InvalidRequest, OutputError
from engine.model_store.checkpoints import model_config
from engine.system.child_process import python_command
from engine.system.paths import project_folder
from engine.validator.data.results import FinishedEvent, Row, RowEvent
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder

TURN_SECONDS = 0.004
"""How long passing data on may take before the window gets its turn."""
TURN_EVERY_MS = 5
MOST_WAITING_BYTES = 1 << 22
"""How much data may wait in memory until the process takes it."""
PROGRAM = python_command("app.diagnostics.runs.bundle_files")


class BundleExport(QObject):
    """One export at a time."""

    exported = Signal(object)
    failed = Signal(object)

    def __init__(self, command: Sequence[str] = (*PROGRAM, "write"), parent: QObject | None = None) -> None:
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


@dataclass(frozen=True)
class OpenedRun:
    """A run from a file, and the name it had; the file's own where it had none."""

    run: DiagnosticsRun
    name: str
    path: Path


class BundleOpening(QObject):
    """One file at a time. `opened` carries an `OpenedRun`, `failed` an `EngineError`."""

    opened = Signal(object)
    failed = Signal(object)

    def __init__(self, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folders = folders
        self._wire = Wire()
        self._path = Path()
        self._folder: Path | None = None
        self._facts: dict[str, str] | None = None
        self._run: DiagnosticsRun | None = None
        self._rows: list[Row] = []
        self._reader = BackgroundCommand(self)
        self._reader.line.connect(self._take)
        self._reader.ended.connect(self._end)

    @property
    def active(self) -> bool:
        """Whether a file is being read."""
        return self._reader.active

    def open(self, path: Path) -> None:
        """Read a file; emits `opened` or `failed`."""
        if self.active:
            self.failed.emit(InvalidRequest("Another diagnosis is being opened.", "Wait until it is open."))
            return
        self._path, self._facts, self._run, self._rows = path.absolute(), None, None, []
        try:
            self._folder = self._folders.make()
        except EngineError as error:
            self.failed.emit(error)
            return
        self._reader.start([*PROGRAM, "read", str(self._path), str(self._folder)])

    def shut_down(self, timeout_ms: int) -> None:
        """Stop reading."""
        self._reader.shut_down(timeout_ms)

    @Slot(str)
    def _take(self, line: str) -> None:
        if self._facts is None:
            self._facts = json.loads(line)
        elif self._run is None:
            self._run = self._begun(line, self._facts)
        else:
            event = self._wire.decode(line)
            if isinstance(event, RowEvent):
                self._rows.append(event.row)
            elif isinstance(event, FinishedEvent):
                event = FinishedEvent(replace(event.report, rows=tuple(self._rows)))
            self._run.take(event)

    def _begun(self, line: str, facts: dict[str, str]) -> DiagnosticsRun:
        request = self._wire.decode_request(line)
        arrays = ArrayFolder(request.arrays_folder) if request.arrays_folder else None
        return DiagnosticsRun(request, model_config(request.model), arrays, _time(facts["made"], self._path))

    @Slot(int)
    def _end(self, code: int) -> None:
        run = self._run
        if code == 0 and run is not None and not run.active:
            self.opened.emit(OpenedRun(run, (self._facts or {}).get("name") or self._path.stem, self._path))
            return
        if self._folder is not None:
            self._folders.delete(self._folder)
        why = self._reader.last_words or "The process that reads it ended."
        self.failed.emit(EngineError(f"{self._path.name} was not opened. {why}"))


def _time(made: str, path: Path) -> datetime:
    """When a run was made; when its file was, if it does not say."""
    try:
        return datetime.fromisoformat(made)
    except ValueError:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone()
