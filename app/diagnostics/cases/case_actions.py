"""What can be done with a failure: copy the command that shows it, reduce it, save it as a case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.diagnostics.cases.case_making import CaseMaking, MadeCase
from app.diagnostics.cases.reduction_page import ReductionPage, fails
from app.diagnostics.panel import DiagnosticsPanel
from app.messages import words_for
from app.widgets.file_dialogs import ask_where_to_save_case
from engine.errors import EngineError
from engine.validator.cases.as_command import as_command
from engine.validator.data.results import ValidationRequest

COPIED = "Command copied. Run it in a terminal to reproduce this run."
SAVING = "Saving a failing case"
REDUCING = "Starting to reduce"
STOPPED = "Stopped."
REDUCING_MEANING = "Find the shortest text and the smallest inputs on which the chosen stage fails"


@dataclass(frozen=True)
class _Failure:
    """The stage that was chosen when somebody asked for a case of it; another run may be shown by then."""

    request: ValidationRequest
    regime: str
    stage: str


class CaseActions(QObject):
    """Adds its actions and its page to the panel. `failed` carries an error, `told` words for the status line."""

    failed = Signal(object)
    told = Signal(str)

    def __init__(
        self, panel: DiagnosticsPanel, making: CaseMaking | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._wanted: Path | None = None
        self._reduced: _Failure | None = None
        self.making = making or CaseMaking(parent=self)
        self.page = ReductionPage()
        self.copy = panel.add_action("Copy as Command", "Copy a terminal command that reproduces this run")
        self.reduce = panel.add_action("Reduce the Failure", REDUCING_MEANING)
        self.save = panel.add_action("Save Failing Case…", "Save the chosen stage with the inputs on which it fails")
        panel.add_page("Reduce", self.page, "The smallest case in which the chosen stage fails")
        self._connect()
        self._refresh()

    def shut_down(self, timeout_ms: int) -> None:
        """End what is being made."""
        self.making.shut_down(timeout_ms)

    def _connect(self) -> None:
        self.copy.triggered.connect(self._on_copy)
        self.reduce.triggered.connect(self._on_reduce)
        self.save.triggered.connect(self._on_save)
        self.page.reduce_wanted.connect(self._on_reduce)
        self.page.stop_wanted.connect(self._on_stop)
        self.page.save_wanted.connect(self._on_save_reduced)
        self.making.progressed.connect(self._on_progress)
        self.making.made.connect(self._on_made)
        self.making.failed.connect(self._on_failed)
        self._panel.refreshed.connect(self._refresh)
        self._panel.controls.status.reduce_button.clicked.connect(self.reduce.trigger)
        self._panel.controls.status.reduce_button.setToolTip(self.reduce.toolTip())

    @Slot()
    def _refresh(self) -> None:
        panel = self._panel
        self.copy.setEnabled(panel.run is not None)
        failing = fails(panel.run, panel.shown, panel.stage) and not self.making.active
        self.reduce.setEnabled(failing)
        self.save.setEnabled(failing)
        panel.controls.status.reduce_button.setVisible(failing)
        reduced = self._reduced
        of_this_run = reduced is not None and panel.run is not None and panel.run.request is reduced.request
        panel.pages.offer(self.page, of_this_run or (reduced is not None and self.making.active))

    @Slot()
    def _on_copy(self) -> None:
        if self._panel.run is not None:
            QGuiApplication.clipboard().setText(as_command(self._panel.run.request))
            self.told.emit(COPIED)

    @Slot()
    def _on_reduce(self) -> None:
        failure = self._failure()
        if failure is not None:
            self._reduced = failure
            self._panel.pages.open(self.page)
            self._make(failure, reduced=True, words=REDUCING)

    @Slot()
    def _on_save(self) -> None:
        failure = self._failure()
        if failure is not None:
            ask_where_to_save_case(self._panel, self._suggestion(), partial(self._save_to, failure))

    @Slot(object)
    def _on_save_reduced(self, case: MadeCase) -> None:
        ask_where_to_save_case(self._panel, self._suggestion(), partial(self._copy, case))

    def _suggestion(self) -> Path:
        return self._panel.export_folder / f"{self._panel.stage or 'stage'} fails.safetensors"

    def _failure(self) -> _Failure | None:
        panel = self._panel
        if panel.run is None or panel.stage is None:
            return None
        return _Failure(panel.run.request, panel.shown.regime, panel.stage)

    def _save_to(self, failure: _Failure, path: Path) -> None:
        self._wanted = path
        self._make(failure, reduced=False, words=SAVING)

    def _copy(self, case: MadeCase, path: Path) -> None:
        try:
            self.making.save(case, path)
        except EngineError as error:
            self.failed.emit(error)
        else:
            self.told.emit(f"Saved {path.name} to {path.parent}. “python -m engine validate --case” runs it again")

    def _make(self, failure: _Failure, reduced: bool, words: str) -> None:
        self.page.show_running(words)
        self._panel.tell(self.making, words)
        self.making.make(failure.request, failure.regime, failure.stage, reduced)
        self._refresh()

    @Slot()
    def _on_stop(self) -> None:
        self.making.stop()
        self._end(STOPPED)

    @Slot(str)
    def _on_progress(self, words: str) -> None:
        self.page.show_running(words)
        self._panel.tell(self.making, words)

    @Slot(object)
    def _on_made(self, case: MadeCase) -> None:
        if self._wanted is None:
            self.page.show_case(case)
            self._end("")
        else:
            self._copy(case, self._wanted)
            self._end(case.words.splitlines()[0])

    @Slot(object)
    def _on_failed(self, error: EngineError) -> None:
        self._end(words_for(error.message, error.hint, error.cure))
        self.failed.emit(error)

    def _end(self, words: str) -> None:
        self._wanted = None
        self._panel.tell(self.making, "")
        if words:
            self.page.show_end(words)
        self._refresh()
