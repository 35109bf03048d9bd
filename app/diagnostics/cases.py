"""Reproducing failures: a run copied as a command, a stage reduced to the shortest failing text, a case saved."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.tasks import Tasks
from app.widgets.file_dialogs import ask_where_to_save_case
from engine.cli import data_of
from engine.errors import Canceled, EngineError, OutputError
from engine.stages import stage_named
from engine.system.atomic_write import atomic_write
from engine.system.remote import call
from engine.validator.cases.as_command import COMMAND, as_arguments, as_command
from engine.validator.cases.stage_trial import only
from engine.validator.data.results import InputSource, ValidationRequest, Verdict

NICENESS = 10
CASE_NAME = "case.safetensors"
NOTHING_FAILS = "This stage no longer fails, so there’s nothing to save."
COPIED = "Command copied. Run it in a terminal to reproduce this run."
SAVING = "Saving a failing case"
REDUCING = "Starting to reduce"
REDUCE_TOOL_TIP = "Find the shortest text on which this stage fails, and the command that shows it"
REPRODUCE = "This command reproduces it:"


@dataclass(frozen=True)
class Failure:
    """The stage selected for a failing case; the panel may show a different run by the time the case is ready."""

    request: ValidationRequest
    regime: str
    stage: str


@dataclass(frozen=True)
class MadeCase:
    """A failing case: its file, a description, the stage and the phonemes."""

    path: Path
    words: str
    stage: str
    phonemes: str


class CaseActions(QObject):
    """The actions for failing cases, in the panel and on the button of a failing stage.

    Cases are created one at a time, in a child process, by the public command. `failed` carries an error,
    `message_sent` a success message.
    """

    failed = Signal(object)
    message_sent = Signal(str)

    def __init__(
        self,
        panel: DiagnosticsPanel,
        data_of: Callable[[list[str]], Any] = data_of,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._data_of = data_of
        self._wanted: Path | None = None
        self._reduced: Failure | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._tasks = Tasks("failing cases", self)
        self._making: threading.Event | None = None
        self._button = panel.status.reduce_button
        self.copy = panel.add_action("Copy as Command", "Copy a terminal command that reproduces this run")
        self.save = panel.add_action("Save Failing Case…", "Save the chosen stage with the inputs on which it fails")
        self.copy.triggered.connect(self._on_copy)
        self.save.triggered.connect(self._on_save)
        self._button.clicked.connect(self._on_button)
        panel.refreshed.connect(self._refresh)
        self._refresh()

    def shut_down(self, timeout_ms: int) -> None:
        """Stop running work, and delete cases that were not saved."""
        self._stop()
        self._tasks.shut_down(timeout_ms)
        if self._folder is not None:
            self._folder.cleanup()

    @Slot()
    def _refresh(self) -> None:
        panel, reducing = self._panel, self._reduced is not None
        failing = fails(panel.run, panel.shown, panel.stage)
        self.copy.setEnabled(panel.run is not None)
        self.save.setEnabled(failing and self._making is None)
        self._button.setText("Stop Reducing" if reducing else "Reduce")
        self._button.setToolTip("" if reducing else REDUCE_TOOL_TIP)
        self._button.setEnabled(reducing or self._making is None)
        self._button.setVisible(reducing or failing)

    @Slot()
    def _on_copy(self) -> None:
        if self._panel.run is not None:
            QGuiApplication.clipboard().setText(as_command(self._panel.run.request))
            self.message_sent.emit(COPIED)

    @Slot()
    def _on_button(self) -> None:
        if self._reduced is not None:
            self._stop()
        elif (failure := self._failure()) is not None:
            self._reduced = failure
            self._make(failure, REDUCING)

    @Slot()
    def _on_save(self) -> None:
        failure = self._failure()
        if failure is not None:
            ask_where_to_save_case(self._panel, self._suggestion(failure.stage), partial(self._save_to, failure))

    def _failure(self) -> Failure | None:
        panel = self._panel
        if panel.run is None or panel.stage is None:
            return None
        return Failure(panel.run.request, panel.shown.regime, panel.stage)

    def _suggestion(self, stage: str) -> Path:
        return self._panel.export_folder / f"{stage} fails{Path(CASE_NAME).suffix}"

    def _save_to(self, failure: Failure, path: Path) -> None:
        self._wanted, self._reduced = path, None
        self._make(failure, SAVING)

    def _make(self, failure: Failure, words: str) -> None:
        """Create a case of a failing stage, reduced to the shortest text if requested."""
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="kokoro-desk-cases-", ignore_cleanup_errors=True)
            path = Path(tempfile.mkdtemp(dir=self._folder.name)) / CASE_NAME
        except OSError as error:
            self._end()
            self.failed.emit(OutputError(f"Couldn’t create the case ({error.strerror}).", "Free up some disk space."))
            return
        wanted = (f"--case-stage={failure.stage}", f"--save-case={path}", *(["--reduce"] if self._reduced else []))
        arguments = [COMMAND, *as_arguments(only(failure.request, failure.regime)), *wanted, "--json"]
        making = self._making = threading.Event()

        def report_line(line: str) -> None:
            self._tasks.call_in_window(self._show_progress, making, line.strip())

        self._tasks.run(
            partial(call, cancel=making, niceness=NICENESS, on_error_line=report_line),
            self._data_of,
            arguments,
            done=self._on_made,
            failed=self._on_failure,
            cancel=making,
        )
        self._show_progress(making, words)
        self._refresh()

    def _show_progress(self, making: threading.Event, words: str) -> None:
        if making is self._making:
            self._panel.show_activity(self._tasks, words)

    def _stop(self) -> None:
        if self._making is not None:
            self._making.set()
            self._end()

    def _on_failure(self, error: Exception) -> None:
        if not isinstance(error, Canceled):
            self._end()
            self.failed.emit(EngineError("Couldn’t create the case.", str(error)))

    def _on_made(self, data: dict[str, Any]) -> None:
        wanted, reduced, case = self._wanted, self._reduced, data.get("case")
        self._end()
        if case is None:
            self.failed.emit(EngineError(NOTHING_FAILS, "Diagnose again."))
            return
        made = MadeCase(Path(case["file"]), case["words"], case["stage"], case["phonemes"])
        if wanted is not None:
            self._copy(made, wanted)
        elif reduced is not None:
            self._show(made, reduced)

    def _end(self) -> None:
        self._wanted = self._reduced = self._making = None
        self._panel.show_activity(self._tasks, "")
        self._refresh()

    def _copy(self, case: MadeCase, path: Path) -> None:
        try:
            with case.path.open("rb") as source, atomic_write(path) as file:
                shutil.copyfileobj(source, file)
        except EngineError as error:
            self.failed.emit(error)
        else:
            self.message_sent.emit(f"Saved {path.name} to {path.parent}. “kokoro-desk validate --case” runs it again")

    def _show(self, case: MadeCase, failure: Failure) -> None:
        """Show the shortest text and its command, which can be copied, and offer to save the inputs."""
        request = only(failure.request, failure.regime)
        command = as_command(replace(request, speech=replace(request.speech, text=""), phonemes=case.phonemes))
        title = f"{stage_named(case.stage).title} fails on “{case.phonemes}”"
        box = QMessageBox(QMessageBox.Icon.Information, "Reduced", title, parent=self._panel)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(f"{REPRODUCE}\n{command}")
        box.setDetailedText(case.words)
        box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        copy = box.addButton("Copy Command", QMessageBox.ButtonRole.ActionRole)
        save = box.addButton("Save Case…", QMessageBox.ButtonRole.ActionRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Close))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(command))
        suggestion = self._suggestion(case.stage)
        save.clicked.connect(lambda: ask_where_to_save_case(self._panel, suggestion, partial(self._copy, case)))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()


def fails(run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> bool:
    """Return whether a stage is itself wrong in this configuration, in any utterance."""
    if run is None or stage is None:
        return False
    row = run.stage_summary(Shown(shown.regime, InputSource.ISOLATED), stage)
    return row is not None and row.verdict is Verdict.FAIL
