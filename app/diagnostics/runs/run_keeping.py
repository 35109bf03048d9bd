"""What can be done with whole runs: export them to files, open them from files, rename them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.system.background_command import BackgroundCommand
from app.widgets.file_dialogs import ask_where_to_export, ask_which_diagnosis, suggested_name
from engine.errors import EngineError, InvalidRequest, OutputError
from engine.models.checkpoints import model_config
from engine.system.child_process import python_command
from engine.system.paths import data_folder, project_folder
from engine.validator.data.results import FinishedEvent, Row, RowEvent
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder

TURN_SECONDS = 0.004
"""How long passing data on may take before the window gets its turn."""
TURN_EVERY_MS = 5
MOST_WAITING_BYTES = 1 << 22
"""How much data may wait in memory until the process takes it."""
PROGRAM = python_command("app.diagnostics.runs.bundle_files")
PINNED = "pinned diagnoses"
"""The folder of runs that were pinned with earlier versions of the program."""


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


class BundleOpening(QObject):
    """One file at a time. `opened` carries a run and its name, that of the file if it had none, `failed` why not."""

    opened = Signal(object, str)
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
            self.opened.emit(run, (self._facts or {}).get("name") or self._path.stem)
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


class RunKeeping(QObject):
    """Adds its actions to the panel. `failed` carries an error, `told` good news."""

    failed = Signal(object)
    told = Signal(str)

    def __init__(self, panel: DiagnosticsPanel, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._export = BundleExport(parent=self)
        self._opening = BundleOpening(folders, parent=self)
        self.export = panel.add_action("Export…", "Save everything about this run as one file")
        self.open = panel.add_action("Open a Run…", "Open a diagnosis that was exported, here or on another computer")
        self.rename = panel.add_action("Rename This Run…", "Give the run that is shown a name of your own")
        self.export.triggered.connect(self._on_export)
        self.open.triggered.connect(self._on_open)
        self.rename.triggered.connect(self._on_rename)
        self._export.exported.connect(self._on_exported)
        self._export.failed.connect(self._on_failed)
        self._opening.opened.connect(self._on_opened)
        self._opening.failed.connect(self._on_failed)
        panel.refreshed.connect(self._refresh)
        self._refresh()

    @property
    def active(self) -> bool:
        """Whether a run is being exported."""
        return self._export.active

    def shut_down(self, timeout_ms: int) -> None:
        """End what is being exported or opened."""
        self._export.shut_down(timeout_ms)
        self._opening.shut_down(timeout_ms)

    def export_to(self, path: Path) -> None:
        """Export the run that is shown, one at a time."""
        run = self._panel.run
        if run is not None:
            if not self._export.active:
                self._panel.tell(self._export, f"Exporting {path.name}")
            self._export.export(run, path, self._panel.history.of(run).given_name)

    def open_file(self, path: Path) -> None:
        """Open an exported run and show it, one at a time."""
        if not self._opening.active:
            self._panel.tell(self._opening, f"Opening {path.name}")
        self._opening.open(path)

    def give_name(self, run: DiagnosticsRun, name: str) -> None:
        """Name a run."""
        self._panel.history.rename(run, name)
        if self._panel.run is not None:
            self._panel.look_at(self._panel.run)

    @Slot()
    def _refresh(self) -> None:
        run = self._panel.run
        self.rename.setEnabled(run is not None)
        self.export.setEnabled(run is not None and run.row_count > 0)

    @Slot()
    def _on_export(self) -> None:
        if self._panel.run is not None:
            name = f"{Path(suggested_name(self._panel.run.request.speech.text)).stem}.zip"
            ask_where_to_export(self._panel, self._panel.export_folder / name, self.export_to)

    @Slot()
    def _on_open(self) -> None:
        pinned = data_folder() / PINNED
        ask_which_diagnosis(self._panel, pinned if pinned.is_dir() else self._panel.export_folder, self.open_file)

    @Slot()
    def _on_rename(self) -> None:
        run = self._panel.run
        if run is None:
            return
        dialog = QInputDialog(self._panel)
        dialog.setWindowTitle("Rename This Run")
        dialog.setLabelText("Name (leave it empty to restore the original one):")
        dialog.setTextValue(self._panel.history.of(run).name)
        dialog.textValueSelected.connect(lambda name: self.give_name(run, name))
        dialog.open()

    @Slot(object)
    def _on_exported(self, path: Path) -> None:
        self._panel.tell(self._export, "")
        self.told.emit(f"Exported {path.name} to {path.parent}")

    @Slot(object, str)
    def _on_opened(self, run: DiagnosticsRun, name: str) -> None:
        self._panel.tell(self._opening, "")
        self._panel.history.add(run, name)
        self._panel.look_at(run)

    @Slot(object)
    def _on_failed(self, error: EngineError) -> None:
        for part in (self._export, self._opening):
            if not part.active:  # it is not that another is under way
                self._panel.tell(part, "")
        self.failed.emit(error)
