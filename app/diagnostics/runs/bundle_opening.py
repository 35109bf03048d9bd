"""Opens an exported diagnosis in the background, by a process that reads it and tells its events again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.system.background_command import BackgroundCommand
from engine.errors import EngineError, InvalidRequest
from engine.model_store.checkpoints import model_config
from engine.system.child_process import python_command
from engine.validator.data.results import FinishedEvent, Row, RowEvent
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder

COMMAND = python_command("app.diagnostics.runs.bundle_reader")


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
        self._reader.start([*COMMAND, str(self._path), str(self._folder)])

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
