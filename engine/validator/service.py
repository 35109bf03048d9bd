"""A validator for another process: one JSON object a line in, one event a line out."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from engine.errors import EngineError
from engine.validator.experiment_service import experiment_in, run_experiment
from engine.validator.experiments import ExperimentRequest, ServiceEvent
from engine.validator.results import FailedEvent, FinishedEvent, ValidationRequest
from engine.validator.validation import Validator
from engine.validator.wire import Wire

VALIDATE, CANCEL = "validate", "cancel"
AnyRequest = ValidationRequest | ExperimentRequest


class Service:
    """Answers requests; `write` gets every event as a line, ending each with a finished or failed one.

    A request stops the one before it. The final report has no rows, as each has been sent before; an experiment ends
    with one of `EXPERIMENT_ENDS`.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._wire = Wire()
        self._validator = Validator()
        self._requests: queue.Queue[tuple[AnyRequest, threading.Event] | None] = queue.Queue()
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
            request = self._request_in(command)
            if request is not None:
                self._cancel = threading.Event()
                self._requests.put((request, self._cancel))
            elif CANCEL not in command:
                raise ValueError("it asks for nothing")
        except (ValueError, TypeError) as error:
            self._tell(FailedEvent(f"The request cannot be read: {error}", "Restart the application."))

    def _request_in(self, command: Any) -> AnyRequest | None:
        if VALIDATE in command:
            return self._wire.decode_request(json.dumps(command[VALIDATE]))
        return experiment_in(command, self._wire)

    def _answer(self, request: AnyRequest, cancel: threading.Event) -> None:
        try:
            if isinstance(request, ValidationRequest):
                self._validator.validate(request, self._tell, cancel)
            else:
                run_experiment(self._validator, request, self._tell, cancel)
        except EngineError as error:
            self._tell(FailedEvent(error.message, error.hint, error.cure))

    def _tell(self, event: ServiceEvent) -> None:
        if isinstance(event, FinishedEvent):  # its rows were sent one by one; all at once would freeze a window
            event = FinishedEvent(replace(event.report, rows=()))
        self._write(self._wire.encode(event))
