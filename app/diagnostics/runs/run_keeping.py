"""What can be done with whole runs: rename and pin them, open them from files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.bundle_export import BundleExport
from app.diagnostics.runs.bundle_opening import BundleOpening, OpenedRun
from app.diagnostics.runs.pinned_runs import PinnedRuns
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.widgets.file_dialogs import ask_which_diagnosis
from engine.errors import EngineError

PIN, UNPIN = "Pin This Run", "Unpin This Run"


class RunKeeping(QObject):
    """Adds its actions to the panel. `failed` carries an error, `told` words for the status line."""

    failed = Signal(object)
    told = Signal(str)

    def __init__(
        self,
        panel: DiagnosticsPanel,
        folders: RunFolders,
        pins: PinnedRuns | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._pins = pins or PinnedRuns()
        self._pinning: DiagnosticsRun | None = None
        self.opening = BundleOpening(folders, parent=self)
        self.export = BundleExport(parent=self)
        self.rename = QAction("Rename This Run…", self)
        self.pin = QAction(PIN, self)
        self.open = QAction("Open a Run…", self)
        self.pinned = QMenu("Pinned Runs", panel)
        self.rename.setToolTip("Give the run that is shown a name of your own")
        self.open.setToolTip("Open a diagnosis that was exported, here or on another computer")
        for action in (self.rename, self.pin, self.open, self.pinned.menuAction()):
            panel.add_action(action)
        self._connect()
        self._refresh()

    def shut_down(self, timeout_ms: int) -> None:
        """End what is being opened or pinned."""
        self.opening.shut_down(timeout_ms)
        self.export.shut_down(timeout_ms)

    def open_file(self, path: Path) -> None:
        """Open an exported run and show it."""
        listed = self._panel.history.pinned_at(path)
        if listed is not None:
            self._panel.look_at(listed)
            return
        if not self.opening.active:
            self._panel.tell(self.opening, f"Opening {path.name}")
        self.opening.open(path)

    def _connect(self) -> None:
        self.rename.triggered.connect(self._on_rename)
        self.pin.triggered.connect(self._on_pin)
        self.open.triggered.connect(self._on_open)
        self.pinned.aboutToShow.connect(self._list_pinned)
        self.opening.opened.connect(self._on_opened)
        self.opening.failed.connect(self._on_not_opened)
        self.export.exported.connect(self._on_pinned)
        self.export.failed.connect(self._on_not_pinned)
        self._panel.refreshed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        run = self._panel.run
        self.rename.setEnabled(run is not None)
        pinned = run is not None and self._panel.history.of(run).pinned is not None
        self.pin.setText(UNPIN if pinned else PIN)
        self.pin.setToolTip("Forget it when the program ends" if pinned else "Keep it when the program ends")
        self.pin.setEnabled(run is not None and run.row_count > 0 and not run.active and not self.export.active)

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

    def give_name(self, run: DiagnosticsRun, name: str) -> None:
        """Name a run, and its file if it is pinned."""
        history = self._panel.history
        history.rename(run, name)
        pinned = history.of(run).pinned
        try:
            if pinned is not None:
                history.pin(run, self._pins.rename(pinned, history.of(run).name))
        except EngineError as error:
            self.failed.emit(error)
        self._show_again()

    @Slot()
    def _on_pin(self) -> None:
        run = self._panel.run
        if run is None:
            return
        listed = self._panel.history.of(run)
        try:
            if listed.pinned is None:
                path, self._pinning = self._pins.new_path(listed.name), run
                self._panel.tell(self.export, f"Pinning {listed.name}")
                self.export.export(run, path, listed.name)
                self._refresh()  # one at a time
            else:
                self._pins.remove(listed.pinned)
                self._panel.history.pin(run, None)
                self._show_again()
        except EngineError as error:
            self._fail(error)

    @Slot(object)
    def _on_pinned(self, path: Path) -> None:
        self._panel.tell(self.export, "")
        run, self._pinning = self._pinning, None
        if run in self._panel.history.runs and run is not None:
            self._panel.history.pin(run, path)
            self._show_again()
            self.told.emit(f"Pinned {path.stem}")

    @Slot()
    def _on_open(self) -> None:
        ask_which_diagnosis(self._panel, self._panel.export_folder, self.open_file)

    @Slot()
    def _list_pinned(self) -> None:
        self.pinned.clear()
        for path in self._pins.paths():
            action = self.pinned.addAction(path.stem)
            action.setData(path)
            action.triggered.connect(self._on_pinned_chosen)
        if self.pinned.isEmpty():
            self.pinned.addAction("None yet").setEnabled(False)

    @Slot()
    def _on_pinned_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.open_file(action.data())

    @Slot(object)
    def _on_opened(self, opened: OpenedRun) -> None:
        self._panel.tell(self.opening, "")
        pinned = opened.path if opened.path in self._pins.paths() else None
        name = opened.path.stem if pinned is not None else opened.name
        self._panel.history.add(opened.run, name, pinned)
        self._panel.look_at(opened.run)

    @Slot(object)
    def _on_not_opened(self, error: EngineError) -> None:
        if not self.opening.active:  # it is not that another is being opened
            self._panel.tell(self.opening, "")
        self._fail(error)

    @Slot(object)
    def _on_not_pinned(self, error: EngineError) -> None:
        self._pinning = None
        self._panel.tell(self.export, "")
        self._fail(error)

    def _fail(self, error: EngineError) -> None:
        self.failed.emit(error)
        self._refresh()

    def _show_again(self) -> None:
        if self._panel.run is not None:
            self._panel.look_at(self._panel.run)
