"""Runs the diagnosis of a speech: its request, the run that collects its events, and the folder for its arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_words import under_way
from engine.errors import EngineError
from engine.model_store.checkpoints import STARTER, model_config
from engine.speech import PreparationEvent, SpeechRequest
from engine.system.bundle import require_reference
from engine.validator.data.kernel_request import KernelRequest, Replacement
from engine.validator.data.results import ValidationRequest
from engine.validator.runs.arrays import ArrayFolder

KEPT_RUNS = 5
"""The number of runs whose arrays are kept; older runs still show their metrics."""
MOST_ARRAY_BYTES = 400_000_000
"""What the arrays of one run may take on disk: those of about 20 sentences."""
WAITING_WORDS = "Waiting until speech is ready"
TRY_AGAIN = "Click Diagnose to try again."


class DiagnosticsController(QObject):
    """One diagnosis at a time: a new one stops the previous one.

    `event_received`, `crashed`, `stopped`, `stalled` and `went_on` concern the latest run, and are meant for the panel
    that shows it.
    """

    run_started = Signal(object)
    event_received = Signal(object)
    crashed = Signal(str)
    stopped = Signal()
    stalled = Signal(int)
    went_on = Signal()
    failed = Signal(object)

    def __init__(self, process: DiagnosticsProcess, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = process
        self._folders = folders
        self._run: DiagnosticsRun | None = None
        self._kept: list[Path] = []
        self._held_back = False
        self._heard: int | None = None
        self._waiting: Callable[[], None] | None = None
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._begin)
        process.event_received.connect(self.event_received)
        process.died.connect(self._on_death)
        process.stalled.connect(self.stalled)
        process.went_on.connect(self.went_on)

    @property
    def active(self) -> bool:
        """Whether a diagnosis is in progress."""
        return self._run is not None and self._run.active

    def diagnose(self, speech: SpeechRequest, options: DiagnosticsOptions, model: str = STARTER) -> None:
        """Diagnose this speech; emits `failed` if there is no PyTorch, no such model, or no space."""
        self._heard = None
        self._compare(ValidationRequest(speech, model, **vars(options)), self._process.validate)

    def substitute(self, request: ValidationRequest, utterance: int, replacements: tuple[Replacement, ...]) -> None:
        """Compare an utterance of an earlier request again, some kernels or stages computed by something else."""

        def ask(again: ValidationRequest) -> None:
            self._process.inspect(KernelRequest(again, utterance, replacements=replacements))

        self._heard = None
        self._compare(request, ask)

    def _compare(self, request: ValidationRequest, ask: Callable[[ValidationRequest], None]) -> None:
        self.stop()
        try:
            require_reference()
            config = model_config(request.model)
            folder = self._folders.make()
        except EngineError as error:
            self.failed.emit(error)
            return
        self._keep(folder)
        request = replace(request, arrays_folder=str(folder), most_array_bytes=MOST_ARRAY_BYTES)
        self._run = DiagnosticsRun(request, config, ArrayFolder(folder))
        self.run_started.emit(self._run)
        self._waiting = partial(ask, request)
        if self._held_back:
            self.event_received.emit(PreparationEvent(WAITING_WORDS, 0, 1))
        else:
            self._turn.start()  # starting a process takes a while: the window first shows the new run

    def hear(self, character: int) -> None:
        """The text is heard at this character, so what is there is compared next."""
        self._heard = character
        self._process.hear(character)

    @Slot()
    def start_again(self) -> None:
        """End a process that does nothing any more, and compare what it should have compared in a new one."""
        if self._run is None or not self._run.active:
            return
        request = self._run.request
        self.crashed.emit(
            f"The reference process was stopped because it wasn’t responding while {under_way(self._run)}."
        )
        self._process.release()
        options = {field.name: getattr(request, field.name) for field in fields(DiagnosticsOptions)}
        self.diagnose(request.speech, DiagnosticsOptions(**options), request.model)

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
            start, self._waiting = self._waiting, None
            start()
            if self._heard is not None:
                self._process.hear(self._heard)

    def _keep(self, folder: Path) -> None:
        self._kept.append(folder)
        while len(self._kept) > KEPT_RUNS:
            self._folders.delete(self._kept.pop(0))

    @Slot(str)
    def _on_death(self, why: str) -> None:
        if self._run is not None and self._run.active:
            self.crashed.emit(f"The reference process ended while {under_way(self._run)}. {why} {TRY_AGAIN}")
