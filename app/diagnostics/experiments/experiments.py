"""Runs experiments, such as sweeps, in the reference process, one at a time, and none beside a diagnosis."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.messages import words_for
from engine.errors import EngineError
from engine.system.bundle import require_reference
from engine.validator.data.experiments import EXPERIMENT_ENDS, ExperimentRequest, ServiceEvent
from engine.validator.data.results import FailedEvent

STOPPED = "Stopped."


class Experiments(QObject):
    """`began` carries a request, `event_received` an event of it, `ended` why it ended early, or nothing."""

    began = Signal(object)
    event_received = Signal(object)
    ended = Signal(str)
    failed = Signal(object)

    def __init__(
        self, process: DiagnosticsProcess, controller: DiagnosticsController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._process = process
        self._controller = controller
        self.request: ExperimentRequest | None = None
        """The experiment in progress, or waiting for its turn."""
        self._under_way = False
        process.experiment_received.connect(self._on_event)
        process.cancelled.connect(self._on_cancelled)
        process.died.connect(self._on_death)
        controller.turn_lost.connect(self._on_lost_turn)

    @property
    def active(self) -> bool:
        """Whether an experiment is in progress, or waits for its turn."""
        return self.request is not None

    def begin(self, request: ExperimentRequest) -> None:
        """Stop what is in progress and begin this; emits `failed` if there is no PyTorch."""
        self.stop()
        self._controller.stop()
        try:
            require_reference()
        except EngineError as error:
            self.failed.emit(error)
            return
        self.request = request
        self.began.emit(request)
        self._controller.give_turn(partial(self._start, request))

    @Slot()
    def stop(self) -> None:
        """Stop the experiment in progress."""
        if self.active:
            self._controller.stop()
            self._end(STOPPED)

    def _start(self, request: ExperimentRequest) -> None:
        if request is self.request:
            self._process.cancel()  # before it is under way, so that it is not taken for what is given up
            self._under_way = True
            self._process.experiment(request)

    def _end(self, words: str) -> None:
        if self.active:
            self.request, self._under_way = None, False
            self.ended.emit(words)

    @Slot(object)
    def _on_event(self, event: ServiceEvent) -> None:
        if isinstance(event, FailedEvent):
            self._end(words_for(event.message, event.hint, event.cure))
            return
        self.event_received.emit(event)
        if isinstance(event, EXPERIMENT_ENDS):
            self._end("")

    @Slot()
    def _on_cancelled(self) -> None:
        """The process was to stop, or to do something else, such as a diagnosis."""
        if self._under_way:
            self._end(STOPPED)

    @Slot()
    def _on_lost_turn(self) -> None:
        self._end(STOPPED)

    @Slot(str)
    def _on_death(self, why: str) -> None:
        if self._under_way:
            self._end(f"The reference process ended. {why}")
