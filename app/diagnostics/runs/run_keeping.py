"""What can be done with whole runs: export them to files, open them from files, rename them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.bundles import BundleExport, BundleOpening, OpenedRun
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.widgets.file_dialogs import ask_where_to_export, ask_which_diagnosis, suggested_name
from engine.errors import EngineError
from engine.system.paths import data_folder

PINNED = "pinned diagnoses"
"""The folder of runs that were pinned with earlier versions of the program."""


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

    @Slot(object)
    def _on_opened(self, opened: OpenedRun) -> None:
        self._panel.tell(self._opening, "")
        self._panel.history.add(opened.run, opened.name)
        self._panel.look_at(opened.run)

    @Slot(object)
    def _on_failed(self, error: EngineError) -> None:
        for part in (self._export, self._opening):
            if not part.active:  # it is not that another is under way
                self._panel.tell(part, "")
        self.failed.emit(error)
