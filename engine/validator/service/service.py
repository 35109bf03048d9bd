"""The process that validates for the window: requests in, events out, until the commands end."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

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
from engine.validator.runs.utterance_scheduler import Listener

PULSE_SECONDS = 1.0
PIECE_UTTERANCES = 50
"""The largest piece of a plan; reading it takes a few milliseconds."""
_SIGNS = (
    "not enough memory",
    "can't allocate memory",
    "cannot allocate memory",
    "out of memory",
    "bad_alloc",
    "could not create a primitive",
)
"""Signs of a lack of memory in messages: PyTorch, oneDNN (the last sign) and TVM raise a plain `RuntimeError`."""


@dataclass(frozen=True)
class Hear:
    """The text of the current request is playing at this character, so that the utterance there is compared next."""

    character: int


@dataclass(frozen=True)
class Stop:
    """Stop the current request."""


Command = ValidationRequest | KernelRequest | Hear | Stop


def serve(commands: Iterator[Command], observe: Callable[[ValidationEvent], None]) -> None:
    """Answer requests for validation and about kernels until the commands end, as `Service` does."""
    Service(observe).serve(commands)


class Service:
    """Answers requests for validation and about kernels; `observe` gets every event.

    The last event of a request is a `FinishedEvent`, a `KernelsEvent` or a `FailedEvent`. A request stops the one
    before it. No event is large, so that the window that receives them stays responsive: a plan comes in pieces, each
    beginning where the one before ends, and the final report has no rows and no utterances, as they have been sent
    before. There is a pulse every `PULSE_SECONDS` during any work, which tells a long computation from a process that
    is stuck.
    """

    def __init__(self, observe: Callable[[ValidationEvent], None]) -> None:
        from engine.validator.kernels.kernel_inspection import KernelInspection  # slow to load; clients do not need it
        from engine.validator.runs.validation import Validator

        self._write = observe
        self._validator = Validator(keep_profiles=False)
        self._kernels = KernelInspection(self._validator)
        self._listener = Listener()
        self._ended = threading.Event()
        self._requests: queue.Queue[tuple[ValidationRequest | KernelRequest, threading.Event, Listener] | None]
        self._requests = queue.Queue()
        self._cancel = threading.Event()

    def serve(self, commands: Iterator[Command]) -> None:
        """Answer until the commands end; a separate thread reads them, so that `Stop` takes effect immediately."""
        threading.Thread(target=self._take, args=(commands,), daemon=True).start()
        threading.Thread(target=self._pulse, daemon=True).start()
        while (job := self._requests.get()) is not None:
            self._answer(*job)
        self._ended.set()
        self._validator.close()

    def _take(self, commands: Iterator[Command]) -> None:
        """Handle playback positions, requests, and `Stop`; all but positions stop the current request."""
        for command in commands:
            if isinstance(command, Hear):
                self._listener.character = command.character
                continue
            self._cancel.set()
            if not isinstance(command, Stop):
                self._cancel, self._listener = threading.Event(), Listener()
                self._requests.put((command, self._cancel, self._listener))
        self._cancel.set()
        self._requests.put(None)

    def _pulse(self) -> None:
        while not self._ended.wait(PULSE_SECONDS):
            self._send(PulseEvent(time.process_time()))

    def _answer(self, request: ValidationRequest | KernelRequest, cancel: threading.Event, listener: Listener) -> None:
        try:
            if isinstance(request, KernelRequest):
                self._kernels.answer(request, self._send, cancel)
            else:
                self._validator.validate(request, self._send, cancel, listener)
        except EngineError as error:
            self._send(FailedEvent(error.message, error.hint, error.recovery_action))
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            self._validator.close()
            words = "There isn’t enough memory for this comparison.", "Close other programs, or compare a shorter text."
            self._send(FailedEvent(*words))

    def _send(self, event: ValidationEvent) -> None:
        if isinstance(event, FinishedEvent):
            event = FinishedEvent(replace(event.report, rows=(), utterances=()))
        for each in _pieces(event) if isinstance(event, PlanEvent) else (event,):
            self._write(each)


def _pieces(event: PlanEvent) -> Iterator[PlanEvent]:
    utterances = event.plan.utterances
    for start in range(0, len(utterances), PIECE_UTTERANCES):
        yield PlanEvent(replace(event.plan, utterances=utterances[start : start + PIECE_UTTERANCES]))


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error of Python, NumPy, PyTorch or TVM means a lack of memory."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)
