"""A reference process without a model, whose compiled pitch has a wrong kernel; `serve` is controlled by its text.

A validation finds the stage wrong (`fine`: right). An inspection finds the invented kernels of `inspection_fakes`. With
the text `fail` it reports a failure, with `crash` the process kills itself, with `hold` it waits to be canceled.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.speech import Plan, PlanEvent, PreparationEvent, Utterance
from engine.validator.data.results import (
    FailedEvent,
    FinishedEvent,
    InputSource,
    KernelRequest,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.verdicts import findings
from engine.validator.inspection.results import CodeEvent, GraphEvent, InspectedEvent, KernelEvent, KernelsEvent
from engine.validator.service.service import Command, Hear, Stop
from tests.app.inspection_fakes import CODES, FINDING, GRAPH, MEASUREMENTS, STAGE

REPLACED = "replaced"


def row_of(stage: str, verdict: Verdict, regime: str = "compiled") -> Row:
    return Row(0, stage, "f0", regime, "dynamic", InputSource.ISOLATED, verdict, 0.999)


class Service:
    """Answers requests that are read in a thread, so that a cancellation is noticed immediately."""

    def __init__(self, tell: Callable[[ValidationEvent], None]) -> None:
        self.send = tell
        self.requests: queue.Queue[tuple[ValidationRequest | KernelRequest, threading.Event] | None] = queue.Queue()
        self.canceled = threading.Event()
        """Belongs to the latest request; each has its own, as the next may arrive before the first notices its end."""

    def read(self, commands: Iterator[Command]) -> None:
        for command in commands:
            if isinstance(command, Stop):
                self.canceled.set()
            elif not isinstance(command, Hear):
                self.take(command)
        self.requests.put(None)

    def take(self, request: ValidationRequest | KernelRequest) -> None:
        self.canceled = threading.Event()
        self.requests.put((request, self.canceled))

    def run(self, commands: Iterator[Command]) -> None:
        threading.Thread(target=self.read, args=(commands,), daemon=True).start()
        while (taken := self.requests.get()) is not None:
            request, canceled = taken
            if isinstance(request, ValidationRequest):
                self.validate(request, row_of(STAGE, self.verdict(request)))
            elif request.replacements:
                self.validate(request.validation, row_of(STAGE, Verdict.PASS, REPLACED))
            else:
                self.inspect(request, canceled)

    def verdict(self, request: ValidationRequest) -> Verdict:
        return Verdict.PASS if request.speech.text == "fine" else Verdict.FAIL

    def validate(self, request: ValidationRequest, row: Row) -> None:
        utterance = Utterance(0, request.speech.text, "aaa", 0, len(request.speech.text))
        self.send(PlanEvent(Plan((utterance,))))
        self.send(RowEvent(row))
        self.send(FinishedEvent(Report(request, (utterance,), (), findings([row]), {"python": "3.11"})))

    def inspect(self, request: KernelRequest, canceled: threading.Event) -> None:
        self.send(PreparationEvent("Loading modules", 0, 1))
        for stage in request.stages:
            self.send(GraphEvent(replace(GRAPH, stage=stage)))
            self.misbehave(request.validation.speech.text, canceled)
            for measurement in MEASUREMENTS:
                self.send(KernelEvent(replace(measurement, stage=stage)))
            for code in CODES:
                self.send(CodeEvent(replace(code, stage=stage)))
            self.send(InspectedEvent(stage, (replace(FINDING, stage=stage),)))
        if request.validation.speech.text == "fail":
            self.send(FailedEvent("The module is stale.", "Build it again."))
        elif canceled.is_set():
            self.send(FailedEvent("Stopped", ""))
        else:
            self.send(KernelsEvent(tuple(replace(FINDING, stage=stage) for stage in request.stages)))

    def misbehave(self, text: str, canceled: threading.Event) -> None:
        if text == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "hold":
            canceled.wait()


def serve(commands: Iterator[Command], tell: Callable[[ValidationEvent], None]) -> None:
    """Replaces the function of this name in `engine.validator.service`."""
    Service(tell).run(commands)
