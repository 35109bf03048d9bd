"""The child process that runs the reference: started on demand, free to crash, ended when no longer needed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.tasks import Tasks
from engine.system.remote import Connection, ProcessEnded
from engine.validator.data.results import (
    FailedEvent,
    FinishedEvent,
    KernelRequest,
    PulseEvent,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.inspection.results import KernelsEvent
from engine.validator.service.service import Command, Hear, Stop, serve

Serve = Callable[[Iterator[Command], Callable[[ValidationEvent], None]], None]
END_WITHIN_MS = 2000
"""A process that is no longer needed is killed if it takes longer than this to end."""
NICENESS = 10
KILLED_WHY = ", which the system does when memory runs out"
NO_START = "It couldn’t be started."
STALLED_SECONDS = 20.0
"""Longer than anything takes that computes nothing, such as loading a model from a slow disk."""
LOOK_MS = 500
MIN_COMPUTED_SECONDS = 0.02
"""A process that only sends its pulse computes less than this from one to the next."""


class ReferenceProcess(QObject):
    """Answers one request at a time; events of a cancelled or replaced request are not delivered.

    `died` carries one sentence on why the process ended though it owed an answer, `stalled` for how many seconds it has
    done nothing about it, and 0 if it does something after all.
    """

    event_received = Signal(object)
    died = Signal(str)
    stalled = Signal(int)

    def __init__(
        self,
        function: Serve = serve,
        parent: QObject | None = None,
        stalled_after_seconds: float = STALLED_SECONDS,
    ) -> None:
        super().__init__(parent)
        self._watchdog = Watchdog(stalled_after_seconds, parent=self)
        self._watchdog.stalled.connect(self.stalled)
        self._function = function
        self._reading = Tasks("reference", self, at_once=True)
        self._sending = Tasks("requests", self)
        self._running: list[Connection] = []
        self._process: Connection | None = None
        self._unanswered = 0
        self._wanted = False

    @property
    def process_id(self) -> int | None:
        """The id of the running process, if any."""
        return None if self._process is None else self._process.process_id

    def validate(self, request: ValidationRequest) -> None:
        """Start this request, cancelling the one in progress."""
        self._ask(request)

    def inspect(self, request: KernelRequest) -> None:
        """Start this request, cancelling the one in progress."""
        self._ask(request)

    def hear(self, character: int) -> None:
        """The text of the request in progress is heard at this character, which is compared next."""
        if self._wanted:
            self._send(Hear(character))

    @Slot()
    def cancel(self) -> None:
        """Cancel the request in progress; it delivers no more events."""
        self._watchdog.rest()
        if self._wanted:
            self._wanted = False
            self._send(Stop())

    @Slot()
    def release(self) -> None:
        """End the process, by force if it does not end soon; the next request starts a new one."""
        process = self._let_go()
        if process is not None:
            self._sending.run(process.finish)
            QTimer.singleShot(END_WITHIN_MS, self, self._kill_released)

    def shut_down(self, timeout_ms: int) -> None:
        """End every process at once, and wait until they have."""
        self._let_go()
        for process in self._running:
            process.close()
        for tasks in (self._sending, self._reading):
            tasks.shut_down(timeout_ms)

    @Slot()
    def _kill_released(self) -> None:
        for process in self._running:
            if process is not self._process:
                process.kill()

    def _ask(self, request: ValidationRequest | KernelRequest) -> None:
        self.cancel()
        self._wanted = True
        if self._process is None:
            try:
                self._process = self._started()
            except OSError:
                self._die(NO_START)
                return
        self._unanswered += 1
        self._watchdog.watch()
        self._send(request)

    def _started(self) -> Connection:
        process = Connection(self._function, niceness=NICENESS)
        self._running.append(process)
        self._unanswered = 0
        self._reading.run(
            _events,
            process,
            progress=partial(self._take, process),
            done=lambda _: self._end(process, "It ended by itself."),
            failed=lambda error: self._end(process, _last_words(error)),
        )
        return process

    def _send(self, command: Command) -> None:
        """Send it from a thread of its own: a process that starts is not yet ready to take a large request."""
        if self._process is not None:
            self._sending.run(self._process.send, command)

    def _take(self, process: Connection, event: ValidationEvent) -> None:
        if process is not self._process:
            return
        if isinstance(event, PulseEvent):
            self._watchdog.note_pulse(event.computed_seconds)
            return
        wanted = self._wanted and self._unanswered == 1
        if isinstance(event, (FinishedEvent, FailedEvent, KernelsEvent)):
            self._unanswered -= 1
            self._wanted = self._wanted and not wanted
        self._watchdog.note_answer()
        if not self._wanted:
            self._watchdog.rest()
        if wanted:
            self.event_received.emit(event)

    def _end(self, process: Connection, words: str) -> None:
        process.close()
        self._running.remove(process)
        if process is self._process:
            self._die(words)

    def _die(self, words: str) -> None:
        wanted = self._wanted
        self._let_go()
        if wanted:
            self.died.emit(words)

    def _let_go(self) -> Connection | None:
        """Listen to the process no more."""
        process, self._process = self._process, None
        self._wanted = False
        self._watchdog.rest()
        return process


def _events(process: Connection) -> Generator[ValidationEvent, None, None]:
    for (event,) in process.told():
        yield event


def _last_words(error: Exception) -> str:
    if not isinstance(error, ProcessEnded):
        return str(error)
    if error.code < 0:
        why = KILLED_WHY if error.code == -signal.SIGKILL else ""
        return f"It was terminated by signal {-error.code}{why}."
    return f"It ended with exit code {error.code}. {error.words}".removesuffix(f" code {error.code}")


class Watchdog(QObject):
    """Watches from `watch` to `rest` whether a process that owes an answer does anything.

    `stalled` carries for how many seconds nothing has happened, again and again, and 0 when it goes on after all.
    """

    stalled = Signal(int)

    def __init__(
        self,
        seconds: float = STALLED_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._seconds = seconds
        self._clock = clock
        self._alive_at = 0.0
        self._computed_seconds = 0.0
        self._stalled = False
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)

    def watch(self) -> None:
        """An answer is owed from now on."""
        self._stalled = False
        self._alive_at = self._clock()
        self._timer.start()

    def rest(self) -> None:
        """Nothing is owed any more."""
        self._timer.stop()
        self._stalled = False

    def note_answer(self) -> None:
        """The process has said something."""
        self._alive_at = self._clock()
        if self._stalled:
            self._stalled = False
            self.stalled.emit(0)

    def note_pulse(self, computed_seconds: float) -> None:
        """The process is there, and has computed for so many seconds in all."""
        if abs(computed_seconds - self._computed_seconds) >= MIN_COMPUTED_SECONDS:
            self._computed_seconds = computed_seconds
            self.note_answer()

    @Slot()
    def look(self) -> None:
        """Tell if nothing has happened for too long."""
        still = self._clock() - self._alive_at
        if still >= self._seconds:
            self._stalled = True
            self.stalled.emit(int(still))
