"""A validator for another process: one JSON object a line in, one event a line out."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from engine.errors import EngineError
from engine.speech import PlanEvent
from engine.validator.data.results import (
    FailedEvent,
    FinishedEvent,
    KernelRequest,
    PulseEvent,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.data.wire import Wire
from engine.validator.kernels.kernel_inspection import KernelInspection
from engine.validator.runs.agenda import Listener
from engine.validator.runs.validation import Validator
from engine.validator.service.memory_failure import is_out_of_memory, out_of_memory

VALIDATE, INSPECT, CANCEL, HEAR = "validate", "inspect", "cancel", "hear"
PULSE_SECONDS = 1.0
PIECE_UTTERANCES = 50
"""Reading so many takes a few milliseconds."""

AnyRequest = ValidationRequest | KernelRequest


class Service:
    """Answers requests for validation and about kernels; `write` gets every event as a line.

    The last event of a request is a `FinishedEvent`, a `KernelsEvent` or a `FailedEvent`. A request stops the one
    before it. No line is long, so that a window that reads them stays awake: a plan comes in pieces, each beginning
    where the one before ends, and the final report has no rows and no utterances, as they have been sent before.
    Whatever it does, there is a pulse every `PULSE_SECONDS`, which tells a long computation from a process that is
    stuck.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._writing = threading.Lock()
        self._wire = Wire()
        self._validator = Validator(keep_profiles=False)
        self._kernels = KernelInspection(self._validator)
        self._listener = Listener()
        self._ended = threading.Event()
        self._requests: queue.Queue[tuple[AnyRequest, threading.Event, Listener] | None] = queue.Queue()
        self._cancel = threading.Event()

    def serve(self, lines: Iterable[str]) -> None:
        """Answer until the lines end; they are read in a thread of their own, so that a cancel takes effect at once."""
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        threading.Thread(target=self._pulse, daemon=True).start()
        while (job := self._requests.get()) is not None:
            self._answer(*job)
        self._ended.set()
        self._validator.close()

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._take(line)
        self._cancel.set()
        self._requests.put(None)

    def _pulse(self) -> None:
        while not self._ended.wait(PULSE_SECONDS):
            self._tell(PulseEvent(time.process_time()))

    def _take(self, line: str) -> None:
        """Take what is heard, a request, or a cancel; each but the first stops the request that is under way."""
        try:
            command = json.loads(line)
            if HEAR in command:
                self._listener.character = int(command[HEAR])
                return
            self._cancel.set()
            if (request := self._request_in(command)) is not None:
                self._cancel, self._listener = threading.Event(), Listener()
                self._requests.put((request, self._cancel, self._listener))
            elif CANCEL not in command:
                raise ValueError("it asks for nothing")
        except (ValueError, TypeError) as error:
            self._cancel.set()
            self._tell(FailedEvent(f"The request cannot be read: {error}", "Restart the application."))

    def _request_in(self, command: Any) -> AnyRequest | None:
        if VALIDATE in command:
            return self._wire.decode_request(json.dumps(command[VALIDATE]))
        if INSPECT in command:
            return self._wire.decode_kernel_request(json.dumps(command[INSPECT]))
        return None

    def _answer(self, request: AnyRequest, cancel: threading.Event, listener: Listener) -> None:
        try:
            if isinstance(request, KernelRequest):
                self._kernels.answer(request, self._tell, cancel)
            else:
                self._validator.validate(request, self._tell, cancel, listener)
        except EngineError as error:
            self._tell(FailedEvent(error.message, error.hint, error.cure))
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            self._validator.close()
            failure = out_of_memory()
            self._tell(FailedEvent(failure.message, failure.hint))

    def _tell(self, event: ValidationEvent) -> None:
        if isinstance(event, FinishedEvent):
            event = FinishedEvent(replace(event.report, rows=(), utterances=()))
        lines = [self._wire.encode(each) for each in (_pieces(event) if isinstance(event, PlanEvent) else (event,))]
        with self._writing:
            for line in lines:
                self._write(line)


def _pieces(event: PlanEvent) -> Iterator[PlanEvent]:
    utterances = event.plan.utterances
    for start in range(0, len(utterances), PIECE_UTTERANCES):
        yield PlanEvent(replace(event.plan, utterances=utterances[start : start + PIECE_UTTERANCES]))
