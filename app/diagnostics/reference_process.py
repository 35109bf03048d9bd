"""The child process that runs the reference: started on demand, free to crash, ended when no longer needed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot

from app.system.processes import child_process
from engine.system.child_process import python_command
from engine.validator.data.results import FailedEvent, FinishedEvent, KernelRequest, PulseEvent, ValidationRequest
from engine.validator.data.wire import Wire
from engine.validator.inspection.results import KernelsEvent

COMMAND = python_command("engine", "validate", "--serve")
TURN_SECONDS = 0.004
"""How long reading may take before the window gets its turn."""
END_WITHIN_MS = 2000
"""A process that is no longer needed is killed if it takes longer than this to end."""
NICENESS = 10
KEPT_ERROR_BYTES = 4096
KILLED_WHY = ", as the system does when memory runs out"
NO_START = "It could not be started."
NONSENSE = "It sent a message that cannot be read."
STALLED_SECONDS = 20.0
"""Longer than anything takes that computes nothing, such as loading a model from a slow disk."""
LOOK_MS = 500
LEAST_COMPUTED_SECONDS = 0.02
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
        command: Sequence[str] = COMMAND,
        parent: QObject | None = None,
        stalled_after_seconds: float = STALLED_SECONDS,
    ) -> None:
        super().__init__(parent)
        self._watchdog = Watchdog(stalled_after_seconds, parent=self)
        self._watchdog.stalled.connect(self.stalled)
        self._command = tuple(command)
        self._wire = Wire()
        self._process: QProcess | None = None
        self._ending: list[QProcess] = []
        self._error_output = b""
        self._unanswered = 0
        self._wanted = False
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._read)

    @property
    def process_id(self) -> int | None:
        """The id of the running process, if any."""
        return self._process.processId() or None if self._process is not None else None

    @property
    def error_output(self) -> str:
        """The end of what the latest process wrote to stderr."""
        return self._error_output.decode(errors="replace")

    def validate(self, request: ValidationRequest) -> None:
        """Start this request, cancelling the one in progress."""
        self._ask("validate", self._wire.encode_request(request))

    def inspect(self, request: KernelRequest) -> None:
        """Start this request, cancelling the one in progress."""
        self._ask("inspect", self._wire.encode_kernel_request(request))

    def hear(self, character: int) -> None:
        """The text of the request in progress is heard at this character, which is compared next."""
        if self._wanted:
            self._send({"hear": character})

    @Slot()
    def cancel(self) -> None:
        """Cancel the request in progress; it delivers no more events."""
        self._watchdog.rest()
        if self._wanted:
            self._wanted = False
            self._send({"cancel": True})

    @Slot()
    def release(self) -> None:
        """End the process, by force if it does not end soon; the next request starts a new one."""
        process = self._let_go()
        if process is not None:
            process.closeWriteChannel()
            QTimer.singleShot(END_WITHIN_MS, process, process.kill)

    def shut_down(self, timeout_ms: int) -> None:
        """End every process at once, and wait until they have."""
        self._let_go()
        for process in tuple(self._ending):
            process.kill()
            process.waitForFinished(timeout_ms)

    def _ask(self, what: str, encoded: str) -> None:
        self.cancel()
        self._wanted = True
        if self._process is None:
            self._process = self._started()
        self._unanswered += 1
        self._watchdog.watch()
        self._send({what: json.loads(encoded)})

    def _started(self) -> QProcess:
        process = child_process(self)
        process.started.connect(self._give_way)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._keep_errors)
        process.errorOccurred.connect(self._on_error)
        process.finished.connect(self._read)
        self._unanswered = 0
        self._error_output = b""
        process.start(self._command[0], list(self._command[1:]))
        return process

    @Slot()
    def _give_way(self) -> None:
        """Give window and sound priority from the start: importing PyTorch alone takes seconds."""
        process_id = self.process_id
        if process_id is not None and hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, process_id, NICENESS)

    def _send(self, message: dict[str, object]) -> None:
        if self._process is not None:
            self._process.write(json.dumps(message).encode() + b"\n")

    @Slot()
    def _read(self) -> None:
        """Read lines for a short time, and the rest after the window has had its turn."""
        until = time.perf_counter() + TURN_SECONDS
        while self._process is not None and self._process.canReadLine():
            self._take(bytes(self._process.readLine().data()))
            if time.perf_counter() > until:
                self._turn.start()
                return
        if self._process is not None and self._process.state() is QProcess.ProcessState.NotRunning:
            self._die(self._last_words(self._process))

    def _take(self, line: bytes) -> None:
        try:
            event = self._wire.decode(line.decode())
        except ValueError:
            self._die(NONSENSE)
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

    @Slot()
    def _keep_errors(self) -> None:
        if self._process is not None:
            output = self._error_output + bytes(self._process.readAllStandardError().data())
            self._error_output = output[-KEPT_ERROR_BYTES:]

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._die(NO_START)

    def _die(self, words: str) -> None:
        wanted, process = self._wanted, self._let_go()
        if process is not None:
            process.kill()
        if wanted:
            self.died.emit(words)

    def _let_go(self) -> QProcess | None:
        """Disconnect from the process, which is deleted once it has ended."""
        process, self._process = self._process, None
        self._wanted = False
        self._watchdog.rest()
        if process is None:
            return None
        process.started.disconnect(self._give_way)
        process.readyReadStandardOutput.disconnect(self._read)
        process.readyReadStandardError.disconnect(self._keep_errors)
        process.errorOccurred.disconnect(self._on_error)
        process.finished.disconnect(self._read)
        if process.state() is QProcess.ProcessState.NotRunning:
            process.deleteLater()
        else:
            self._ending.append(process)
            process.finished.connect(self._forget_ended)
        return process

    @Slot()
    def _forget_ended(self) -> None:
        for process in tuple(self._ending):
            if process.state() is QProcess.ProcessState.NotRunning:
                self._ending.remove(process)
                process.deleteLater()

    def _last_words(self, process: QProcess) -> str:
        if process.exitStatus() is QProcess.ExitStatus.CrashExit:
            why = KILLED_WHY if process.exitCode() == signal.SIGKILL else ""
            return f"It was ended by signal {process.exitCode()}{why}."
        last = next((line for line in reversed(self.error_output.splitlines()) if line.strip()), "")
        return f"It ended with exit code {process.exitCode()}. {last.strip()}".strip()


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
        if abs(computed_seconds - self._computed_seconds) >= LEAST_COMPUTED_SECONDS:
            self._computed_seconds = computed_seconds
            self.note_answer()

    @Slot()
    def look(self) -> None:
        """Tell if nothing has happened for too long."""
        still = self._clock() - self._alive_at
        if still >= self._seconds:
            self._stalled = True
            self.stalled.emit(int(still))
