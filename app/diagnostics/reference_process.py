"""The child process that runs the reference: started on demand, allowed to crash, ended when no longer needed."""

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
"""The time limit for a released process to end before it is killed."""
NICENESS = 10
KILLED_WHY = ", which the system does when memory runs out"
NO_START = "It couldn’t be started."
STALLED_SECONDS = 20.0
"""More than any operation takes that does not compute, such as loading a model from a slow disk."""
LOOK_MS = 500
MIN_COMPUTED_SECONDS = 0.02
"""The minimum CPU time between two pulses; a process that only sends its pulse uses less."""


class ReferenceProcess(QObject):
    """The reference process, which handles one request at a time.

    Events of a canceled or replaced request are not delivered. `died` carries one sentence on why the process
    ended before it had answered. `stalled` carries the number of seconds for which it has done nothing, and 0 once it
    continues.
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
        """The ID of the running process, if any."""
        return None if self._process is None else self._process.process_id

    def validate(self, request: ValidationRequest) -> None:
        """Start this request, canceling the one in progress."""
        self._ask(request)

    def inspect(self, request: KernelRequest) -> None:
        """Start this request, canceling the one in progress."""
        self._ask(request)

    def hear(self, character: int) -> None:
        """Compare the text at this character next, because playback of the request's text has reached it."""
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
        """End every process immediately, and wait for it."""
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
            failed=lambda error: self._end(process, _end_reason(error)),
        )
        return process

    def _send(self, command: Command) -> None:
        """Send a command from a separate thread, because a starting process cannot receive a large request yet."""
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
        """Detach from the process."""
        process, self._process = self._process, None
        self._wanted = False
        self._watchdog.rest()
        return process


def _events(process: Connection) -> Generator[ValidationEvent, None, None]:
    for (event,) in process.reports():
        yield event


def _end_reason(error: Exception) -> str:
    if not isinstance(error, ProcessEnded):
        return str(error)
    if error.code < 0:
        why = KILLED_WHY if error.code == -signal.SIGKILL else ""
        return f"It was terminated by signal {-error.code}{why}."
    return f"It ended with exit code {error.code}. {error.words}".removesuffix(f" code {error.code}")


class Watchdog(QObject):
    """A monitor, from `watch` to `rest`, of whether a process that owes an answer makes progress.

    `stalled` carries the number of seconds without progress, repeatedly, and 0 once progress resumes.
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
        """Start monitoring."""
        self._stalled = False
        self._alive_at = self._clock()
        self._timer.start()

    def rest(self) -> None:
        """Stop monitoring."""
        self._timer.stop()
        self._stalled = False

    def note_answer(self) -> None:
        """Note an answer of the process."""
        self._alive_at = self._clock()
        if self._stalled:
            self._stalled = False
            self.stalled.emit(0)

    def note_pulse(self, computed_seconds: float) -> None:
        """Note a pulse; the process makes progress if its total CPU time has grown."""
        if abs(computed_seconds - self._computed_seconds) >= MIN_COMPUTED_SECONDS:
            self._computed_seconds = computed_seconds
            self.note_answer()

    @Slot()
    def look(self) -> None:
        """Emit `stalled` if nothing has happened for too long."""
        still = self._clock() - self._alive_at
        if still >= self._seconds:
            self._stalled = True
            self.stalled.emit(int(still))
