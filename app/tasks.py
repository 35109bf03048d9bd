"""Background work: runs functions in threads and delivers their progress, results and errors to the window's thread.

Work in a child process is also a function here: one that starts the process and waits for it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVarTuple, runtime_checkable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.system.threads import STACK_BYTES, give_way
from engine.errors import Canceled, EngineError
from engine.system.waiting import raise_if_set

log = logging.getLogger(__name__)

Arguments = TypeVarTuple("Arguments")
Outcome = Callable[[Any], object]
"""Receives a result, progress or an error, in the window's thread."""


@runtime_checkable
class ShowsFailures(Protocol):
    """A window that can show failures."""

    def show_failure(self, error: Exception) -> None:
        """Show an error."""


def ignore(outcome: object) -> None:
    """Ignore an outcome."""


@dataclass(frozen=True, eq=False)
class Task:
    """Requested work. The lowest `urgency` runs first."""

    steps: Generator[Any, None, Any]
    done: Outcome
    failed: Outcome
    progress: Outcome
    canceled: threading.Event
    urgency: int

    def cancel(self) -> None:
        """Let the task fail with `Canceled`, even if it is finished but its outcome has not been delivered."""
        self.canceled.set()


class Tasks(QObject):
    """Runs functions one after the other in a thread called `name`, or, with `at_once`, each in its own thread.

    Outcomes arrive in the window's thread, in order, as long as the owner exists. The threads and their child processes
    have this `niceness`.
    """

    def __init__(self, name: str, owner: QObject | None = None, *, niceness: int = 0, at_once: bool = False) -> None:
        super().__init__(owner)
        self._name, self._niceness, self._at_once = name, niceness, at_once
        self._threads: list[threading.Thread] = []
        self._waiting: list[Task] = []
        self._unfinished: list[Task] = []
        self._changed = threading.Condition()
        self._ending = False
        self._post = _Post()
        self._post.arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """True if any work is unfinished, or its outcome not delivered."""
        return bool(self._unfinished)

    def run(
        self,
        work: Callable[[*Arguments], object],
        *arguments: *Arguments,
        done: Outcome = ignore,
        failed: Outcome | None = None,
        progress: Outcome = ignore,
        cancel: threading.Event | None = None,
        urgency: int = 0,
    ) -> Task:
        """Call `work` in a thread; finally, `done` gets its result or `failed` its error. Any thread may call this.

        If `work` returns a generator, `progress` receives the values that it yields, and more urgent work can run
        between its steps. Without `failed`, the next window above the owner shows the error. Setting `cancel`, which
        `work` may check, cancels the task. After `shut_down`, new work is ignored.
        """
        task = Task(_steps(work, arguments), done, failed or self._show, progress, cancel or threading.Event(), urgency)
        with self._changed:
            if not self._ending:
                self._unfinished.append(task)
                self._waiting.append(task)
                if self._at_once or not self._threads:
                    self._start_thread()
                self._changed.notify()
        return task

    def call_in_window(self, receiver: Callable[..., object], *values: object) -> None:
        """Call a function in the window's thread, after all earlier calls; any thread may call this."""
        with suppress(RuntimeError):  # at the end of the program
            self._post.arrived.emit(partial(receiver, *values))

    def cancel(self) -> None:
        """Cancel all work whose outcome has not been delivered."""
        for task in tuple(self._unfinished):
            task.cancel()

    def shut_down(self, timeout_ms: int) -> bool:
        """Complete work that has not been canceled, and end; return whether that succeeded in time."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        until = time.monotonic() + timeout_ms / 1000
        for thread in tuple(self._threads):
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        before = threading.stack_size(STACK_BYTES)
        thread.start()
        threading.stack_size(before)

    def _serve(self) -> None:
        """Run waiting steps in this thread, the most urgent first; return when there is nothing left to wait for."""
        if self._niceness:
            give_way(self._niceness)
        while (task := self._next()) is not None:
            self._take_step(task)

    def _next(self) -> Task | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ending or self._at_once)
            if not self._waiting:
                return None
            task = min(self._waiting, key=lambda each: (not each.canceled.is_set(), each.urgency))
            self._waiting.remove(task)
            return task

    def _take_step(self, task: Task) -> None:
        try:
            raise_if_set(task.canceled)
            progress = next(task.steps)
        except StopIteration as end:
            self.call_in_window(self._end, task, end.value)
        except Exception as error:
            if not isinstance(error, EngineError):
                log.exception("Unexpected failure in the thread “%s”", self._name)
            task.steps.close()
            self.call_in_window(self._end, task, None, error)
        else:
            with self._changed:
                self._waiting.insert(0, task)
            self.call_in_window(self._advance, task, progress)

    def _advance(self, task: Task, progress: object) -> None:
        if not task.canceled.is_set():
            task.progress(progress)

    def _end(self, task: Task, result: object, error: Exception | None = None) -> None:
        self._unfinished.remove(task)
        if task.canceled.is_set() and not isinstance(error, Canceled):
            error = Canceled("Stopped")
        if error is None:
            task.done(result)
        else:
            task.failed(error)

    def _show(self, error: Exception) -> None:
        above = self.parent()
        while above is not None and not isinstance(above, ShowsFailures):
            above = above.parent()
        if isinstance(error, Canceled):
            return
        if above is None:
            raise error
        above.show_failure(error)

    @Slot(object)
    def _on_arrived(self, call: Callable[[], object]) -> None:
        call()


class _Post(QObject):
    """The signal to the window's thread; it has no parent, so that threads may outlive their tasks' owner."""

    arrived = Signal(object)


def _steps(work: Callable[..., object], arguments: tuple[object, ...]) -> Generator[Any, None, Any]:
    result = work(*arguments)
    if isinstance(result, Generator):
        result = yield from result
    return result
