"""A validator for another process: one JSON object a line in, one event a line out."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace

from engine.errors import EngineError
from engine.validator.kernel_inspection import KernelInspection
from engine.validator.kernel_request import KernelRequest
from engine.validator.results import FailedEvent, FinishedEvent, ValidationEvent, ValidationRequest
from engine.validator.validation import Validator
from engine.validator.wire import Wire

VALIDATE, INSPECT, CANCEL = "validate", "inspect", "cancel"


class Service:
    """Answers requests for validation and about kernels; `write` gets every event as a line.

    The last event of a request is a `FinishedEvent`, a `KernelsEvent` or a `FailedEvent`. A request stops the one
    before it. The final report has no rows, as each has been sent before.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._wire = Wire()
        self._validator = Validator()
        self._kernels = KernelInspection(self._validator)
        self._requests: queue.Queue[tuple[ValidationRequest | KernelRequest, threading.Event] | None] = queue.Queue()
        self._cancel = threading.Event()

    def serve(self, lines: Iterable[str]) -> None:
        """Answer until the lines end; they are read in a thread of their own, so that a cancel takes effect at once."""
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while (job := self._requests.get()) is not None:
            self._answer(*job)
        self._validator.close()

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._take(line)
        self._cancel.set()
        self._requests.put(None)

    def _take(self, line: str) -> None:
        """Take a request or a cancel; either stops the request that is under way."""
        self._cancel.set()
        try:
            command = json.loads(line)
            if VALIDATE in command:
                self._put(self._wire.decode_request(json.dumps(command[VALIDATE])))
            elif INSPECT in command:
                self._put(self._wire.decode_kernel_request(json.dumps(command[INSPECT])))
            elif CANCEL not in command:
                raise ValueError("it asks for nothing")
        except (ValueError, TypeError) as error:
            self._tell(FailedEvent(f"The request cannot be read: {error}", "Restart the application."))

    def _put(self, request: ValidationRequest | KernelRequest) -> None:
        self._cancel = threading.Event()
        self._requests.put((request, self._cancel))

    def _answer(self, request: ValidationRequest | KernelRequest, cancel: threading.Event) -> None:
        try:
            if isinstance(request, KernelRequest):
                self._kernels.answer(request, self._tell, cancel)
                return
            self._validator.validate(request, self._tell, cancel)
        except EngineError as error:
            self._tell(FailedEvent(error.message, error.hint, error.cure))

    def _tell(self, event: ValidationEvent) -> None:
        if isinstance(event, FinishedEvent):  # its rows were sent one by one; all at once would freeze a window
            event = FinishedEvent(replace(event.report, rows=()))
        self._write(self._wire.encode(event))
