"""Actions for whole runs: export, open and rename."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.bundle_files import read, write
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.tasks import Tasks
from app.widgets.file_dialogs import ask_where_to_export, ask_which_diagnosis, suggested_name
from engine.errors import Canceled, EngineError, InvalidRequest, OutputError
from engine.models.checkpoints import model_config
from engine.system.paths import data_folder
from engine.system.remote import call
from engine.validator.data.results import FinishedEvent, RowEvent, ValidationEvent
from engine.validator.runs.arrays import ArrayFolder

NICENESS = 10
PINNED = "pinned diagnoses"
"""The folder of runs that were pinned with earlier versions of the program."""


class BundleExport(QObject):
    """An exporter of runs to files, one at a time; `exported` carries the path, `failed` an error."""

    exported = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = Tasks("export of a diagnosis", self)
        self._stop = threading.Event()

    @property
    def active(self) -> bool:
        """True if an export is in progress."""
        return self._tasks.busy

    def export(self, run: DiagnosticsRun, path: Path, name: str = "") -> None:
        """Write the current results of a run, which may still be active, under a name; emits `exported` or `failed`."""
        if self.active:
            self.failed.emit(InvalidRequest("An export is already in progress.", "Wait until it finishes."))
            return

        def show_failure(error: Exception) -> None:
            if not isinstance(error, Canceled):
                self.failed.emit(OutputError(f"Couldn’t export {path.name}.", str(error)))

        made = run.started.isoformat()
        folder = run.request.arrays_folder
        self._tasks.run(
            partial(call, niceness=NICENESS, cancel=self._stop),
            write,
            replace(run.report_so_far, rows=()),
            iter(run.report_so_far.rows),
            path.absolute(),
            None if folder is None else Path(folder),
            name,
            made,
            done=lambda _: self.exported.emit(path),
            failed=show_failure,
            cancel=self._stop,
        )

    def shut_down(self, timeout_ms: int) -> None:
        """Stop an export in progress, and wait until it has ended."""
        self._stop.set()
        self._tasks.shut_down(timeout_ms)


class BundleOpening(QObject):
    """A reader of exported runs, one at a time.

    `opened` carries a run and its name, that of the file if it had none; `failed` carries an error.
    """

    opened = Signal(object, str)
    failed = Signal(object)

    def __init__(self, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folders = folders
        self._tasks = Tasks("opening of a diagnosis", self)
        self._stop = threading.Event()

    @property
    def active(self) -> bool:
        """True if a file is being read."""
        return self._tasks.busy

    def open(self, path: Path) -> None:
        """Read a file; emits `opened` or `failed`."""
        if self.active:
            self.failed.emit(InvalidRequest("A diagnosis is already being opened.", "Wait until it opens."))
            return
        try:
            folder = self._folders.make()
        except EngineError as error:
            self.failed.emit(error)
            return

        def show_failure(error: Exception) -> None:
            self._folders.delete(folder)
            if not isinstance(error, Canceled):
                self.failed.emit(EngineError(f"Couldn’t open {path.name}. {error}"))

        stop = self._stop
        self._tasks.run(
            _opened,
            path.absolute(),
            folder,
            stop,
            done=lambda run: self.opened.emit(*run),
            failed=show_failure,
            cancel=stop,
        )

    def shut_down(self, timeout_ms: int) -> None:
        """Stop reading."""
        self._stop.set()
        self._tasks.shut_down(timeout_ms)


def _opened(path: Path, folder: Path, cancel: threading.Event) -> tuple[DiagnosticsRun, str]:
    """Return the run in a file, and its name."""
    events: list[ValidationEvent] = []
    about = call(read, path, folder, events.append, niceness=NICENESS, cancel=cancel)
    request = about.request
    arrays = ArrayFolder(request.arrays_folder) if request.arrays_folder else None
    run = DiagnosticsRun(request, model_config(request.model), arrays, _time(about.made, path))
    rows = tuple(event.row for event in events if isinstance(event, RowEvent))
    for event in events:
        run.handle_event(FinishedEvent(replace(event.report, rows=rows)) if isinstance(event, FinishedEvent) else event)
    return run, about.name or path.stem


def _time(made: str, path: Path) -> datetime:
    """Return the time of a run; that of its file if it is missing."""
    try:
        return datetime.fromisoformat(made)
    except ValueError:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone()


class RunFileActions(QObject):
    """The actions for whole runs, added to the panel; `failed` carries an error, `message_sent` a success message."""

    failed = Signal(object)
    message_sent = Signal(str)

    def __init__(self, panel: DiagnosticsPanel, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._export = BundleExport(parent=self)
        self._opening = BundleOpening(folders, parent=self)
        self.export = panel.add_action("Export…", "Save everything about this run as one file")
        self.open = panel.add_action("Open a Run…", "Open an exported diagnosis, from this or any other computer")
        self.rename = panel.add_action("Rename This Run…", "Rename the run that is shown")
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
        """True if a run is being exported."""
        return self._export.active

    def shut_down(self, timeout_ms: int) -> None:
        """Stop exporting and opening."""
        self._export.shut_down(timeout_ms)
        self._opening.shut_down(timeout_ms)

    def export_to(self, path: Path) -> None:
        """Export the run on display, one at a time."""
        run = self._panel.run
        if run is not None:
            if not self._export.active:
                self._panel.show_activity(self._export, f"Exporting {path.name}")
            self._export.export(run, path, self._panel.history.of(run).given_name)

    def open_file(self, path: Path) -> None:
        """Open an exported run and show it, one at a time."""
        if not self._opening.active:
            self._panel.show_activity(self._opening, f"Opening {path.name}")
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
        self._panel.show_activity(self._export, "")
        self.message_sent.emit(f"Exported {path.name} to {path.parent}")

    @Slot(object, str)
    def _on_opened(self, run: DiagnosticsRun, name: str) -> None:
        self._panel.show_activity(self._opening, "")
        self._panel.history.add(run, name)
        self._panel.look_at(run)

    @Slot(object)
    def _on_failed(self, error: EngineError) -> None:
        for part in (self._export, self._opening):
            if not part.active:  # the failure is not that a different one is in progress
                self._panel.show_activity(part, "")
        self.failed.emit(error)
