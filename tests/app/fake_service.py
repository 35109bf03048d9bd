"""A reference process without a model: `serve` does what the text of a request says.

Texts: `rows N` sends N rows and finishes, `hold` continues until it is canceled, `crash N` kills itself after N rows,
`freeze N` stops after N rows like a hanging process, `listen` waits for a playback position and names the utterance of
its row after it, `fail` reports a failure, `leave` ends with a message on stderr, `stubborn` does not end when its
input does.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.speech import Plan, PlanEvent, PreparationEvent, Utterance
from engine.stages import STAGES
from engine.validator.data.results import (
    AlignmentEvent,
    FailedEvent,
    FinishedEvent,
    InputSource,
    Metrics,
    Profile,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.service.service import Command, Hear, Stop

SECONDS_PER_ROW = 0.002
PROFILE_CELLS = 512
FRAMES_PER_TOKEN = (2, 3, 4, 3)


def row_of(number: int) -> Row:
    """Return a row like a real one; `number` counts through stages and readings."""
    stage = STAGES[number // 2 % len(STAGES)]
    metrics = Metrics(1 - number / 1000, 0.999, 60.5 - number, 0.1 * number, 0.001, 100.0)
    errors = tuple(np.linspace(0, 0.1, PROFILE_CELLS).tolist())
    return Row(
        utterance=0,
        stage=stage.name,
        output=stage.outputs[0].name,
        regime="compiled",
        reference="dynamic",
        reading=(InputSource.ISOLATED, InputSource.END_TO_END)[number % 2],
        verdict=Verdict.PASS,
        tolerance=0.999,
        metrics=metrics,
        profile=Profile("frames", errors),
        seconds=0.01,
        reference_seconds=0.1,
    )


class Service:
    """Reads requests in a thread, so that a cancellation is noticed immediately."""

    def __init__(self, tell: Callable[[ValidationEvent], None]) -> None:
        self.send = tell
        self.requests: queue.Queue[tuple[ValidationRequest, threading.Event] | None] = queue.Queue()
        self.cancels: list[threading.Event] = []
        self.heard: queue.Queue[int] = queue.Queue()

    def read(self, commands: Iterator[Command]) -> None:
        for command in commands:
            if isinstance(command, Stop):
                self.cancel()
            elif isinstance(command, Hear):
                self.heard.put(command.character)
            elif isinstance(command, ValidationRequest):
                self.cancels.append(threading.Event())
                self.requests.put((command, self.cancels[-1]))
        self.cancel()
        self.requests.put(None)

    def cancel(self) -> None:
        for cancel in self.cancels:
            cancel.set()

    def run(self, commands: Iterator[Command]) -> None:
        threading.Thread(target=self.read, args=(commands,), daemon=True).start()
        self.send(PreparationEvent("Loading PyTorch", 0, 1))
        while (asked := self.requests.get()) is not None:
            self.answer(*asked)

    def answer(self, request: ValidationRequest, cancel: threading.Event) -> None:
        what, *rest = request.speech.text.replace(".", " ").split()
        count = rest[0] if rest else "1"
        utterance = Utterance(0, request.speech.text, "aaa", 0, len(request.speech.text))
        self.send(PlanEvent(Plan((utterance,))))
        self.send(AlignmentEvent(0, FRAMES_PER_TOKEN))
        self.misbehave(what, cancel)
        if not cancel.is_set():
            self.save_arrays(request)
        for number in range(int(count)):
            if cancel.is_set():
                break
            row = row_of(number)
            self.send(RowEvent(replace(row, utterance=self.heard.get()) if what == "listen" else row))
            time.sleep(SECONDS_PER_ROW)
        if what == "freeze":
            os.kill(os.getpid(), signal.SIGSTOP)
        if what == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if cancel.is_set() or what == "fail":
            self.send(FailedEvent("Stopped" if cancel.is_set() else "No voice.", "Choose one."))
        else:
            self.send(FinishedEvent(Report(request, (utterance,), (), (), {"python": "3.11"})))

    def misbehave(self, what: str, cancel: threading.Event) -> None:
        match what:
            case "leave":
                sys.exit("There is no memory left.")
            case "stubborn":
                time.sleep(600)
            case "hold":
                while not cancel.wait(0.01):
                    self.send(RowEvent(row_of(0)))

    def save_arrays(self, request: ValidationRequest) -> None:
        if request.arrays_folder is not None:
            Path(request.arrays_folder, "arrays").write_bytes(bytes(1000))


def serve(commands: Iterator[Command], tell: Callable[[ValidationEvent], None]) -> None:
    """Replaces the function of this name in `engine.validator.service`."""
    Service(tell).run(commands)
