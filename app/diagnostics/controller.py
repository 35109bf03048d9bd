"""Runs the diagnosis of a speech: its request, the run that collects its events, and the folder for its arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.diagnostics.process import DiagnosticsProcess
from app.diagnostics.run import DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.run_folders import RunFolders
from engine.errors import EngineError
from engine.model_store.checkpoints import STARTER, model_config
from engine.speech import PreparationEvent, SpeechRequest
from engine.stages import STAGE_NAMES, stage_named
from engine.system.bundle import require_reference
from engine.validator.arrays import ArrayFolder
from engine.validator.drill import drill_speech
from engine.validator.results import FinishedEvent, Reading, Row, RowEvent, ValidationEvent, ValidationRequest

KEPT_RUNS = 5
"""The number of runs whose arrays are kept; older runs still show their metrics."""
WAITING_WORDS = "Waiting until speech is ready"
TRY_AGAIN = "Press Diagnose to start it again."


class DiagnosticsController(QObject):
    """One diagnosis at a time: a new one stops the previous one.

    `event_received`, `crashed` and `stopped` concern the latest run, and are meant for the panel that shows it.
    """

    run_started = Signal(object)
    event_received = Signal(object)
    crashed = Signal(str)
    stopped = Signal()
    failed = Signal(object)

    def __init__(self, process: DiagnosticsProcess, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = process
        self._folders = folders
        self._run: DiagnosticsRun | None = None
        self._rows: list[Row] = []
        self._kept: list[Path] = []
        self._held_back = False
        self._waiting: ValidationRequest | None = None
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._begin)
        process.event_received.connect(self._on_event)
        process.died.connect(self._on_death)

    @property
    def active(self) -> bool:
        """Whether a diagnosis is in progress."""
        return self._run is not None and self._run.active

    def diagnose(self, speech: SpeechRequest, options: DiagnosticsOptions, model: str = STARTER) -> None:
        """Diagnose this speech; emits `failed` if there is no PyTorch, no such model, or no space."""
        self.stop()
        try:
            require_reference()
            config = model_config(model)
            folder = self._folders.make()
        except EngineError as error:
            self.failed.emit(error)
            return
        self._keep(folder)
        request = ValidationRequest(
            drill_speech(speech, options.fault), model, arrays_folder=str(folder), **vars(options)
        )
        self._rows = []
        self._run = DiagnosticsRun(request, config, ArrayFolder(folder))
        self.run_started.emit(self._run)
        self._waiting = request
        if self._held_back:
            self.event_received.emit(PreparationEvent(WAITING_WORDS, 0, 1))
        else:
            self._turn.start()  # starting a process takes a while: the window first shows the new run

    def hold_back(self, held_back: bool) -> None:
        """Keep any diagnosis from starting for now, or start the one that waits.

        The speech engine and the reference both build what is missing on this machine; running together, they would
        build it twice.
        """
        self._held_back = held_back
        self._begin()

    @Slot()
    def stop(self) -> None:
        """Stop the diagnosis in progress; its results so far stay."""
        self._waiting = None
        self._process.cancel()
        if self.active:
            self.stopped.emit()

    @Slot()
    def release(self) -> None:
        """Stop, and end the reference process; the next diagnosis starts another."""
        self.stop()
        self._process.release()

    def shut_down(self, timeout_ms: int) -> None:
        """Stop everything, wait until the process has ended, and delete all arrays."""
        self.stop()
        self._process.shut_down(timeout_ms)
        self._folders.close()

    @Slot()
    def _begin(self) -> None:
        if self._waiting is not None and not self._held_back:
            self._process.validate(self._waiting)
            self._waiting = None

    def _keep(self, folder: Path) -> None:
        self._kept.append(folder)
        while len(self._kept) > KEPT_RUNS:
            self._folders.delete(self._kept.pop(0))

    @Slot(object)
    def _on_event(self, event: ValidationEvent) -> None:
        if isinstance(event, RowEvent):
            self._rows.append(event.row)
        elif isinstance(event, FinishedEvent) and not event.report.rows:  # they have arrived one by one
            event = FinishedEvent(replace(event.report, rows=tuple(self._rows)))
        self.event_received.emit(event)

    @Slot(str)
    def _on_death(self, why: str) -> None:
        if self._run is not None and self._run.active:
            self.crashed.emit(f"The reference process ended while it {under_way(self._run)}. {why} {TRY_AGAIN}")


def under_way(run: DiagnosticsRun) -> str:
    """What a run is doing, as the end of the sentence “… while it …”."""
    row = run.last_row
    if row is None:
        return "was getting ready"
    stage = row.stage
    if all(_is_compared(run, row.utterance, regime, stage) for regime in run.regimes):
        stage = STAGE_NAMES[(STAGE_NAMES.index(stage) + 1) % len(STAGE_NAMES)]
    return f"computed the {stage_named(stage).title.lower()}"


def _is_compared(run: DiagnosticsRun, utterance: int, regime: str, stage: str) -> bool:
    """Whether the last reading of every output of a stage has arrived."""
    there = {row.output for row in run.rows_of(utterance, regime, Reading.OWN_FED, stage)}
    return there >= {tensor.name for tensor in stage_named(stage).outputs if tensor.axes}
