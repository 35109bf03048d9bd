"""Child processes that run Python, start in the project folder and report in JSON objects, one per line.

They are always ended. Their errors are `error_fields`; the parent reads all messages with `ChildProcess.messages`.
`engine.system.remote` calls functions in a child process.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import IO, Any, Self

from engine import errors
from engine.errors import EngineError, RecoveryAction
from engine.system.bundle import MODULE_OPTION, is_bundle
from engine.system.paths import project_folder
from engine.system.waiting import POLL_SECONDS, raise_if_set

Message = Mapping[str, Any]
_ERROR_LINES_KEPT = 200
_DRAIN_SECONDS = 5
"""The maximum wait for the last lines of a process that has ended: its children may keep its pipes open."""


def python_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module in a separate process: with Python, or with the program of a bundle."""
    return (sys.executable, MODULE_OPTION if is_bundle() else "-m", module, *arguments)


def abort_quietly() -> None:
    """Exit with the signal number if a library aborts: macOS shows a dialog for a regular abort.

    A Python handler would run only after the library's abort, which never returns.
    """
    library = ctypes.CDLL(None)
    library.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    library.signal(signal.SIGABRT, ctypes.cast(library._exit, ctypes.c_void_p))


def ignore(line: str) -> None:
    """Ignore a line."""


class ChildProcess:
    """A running command; leaving its `with` block ends it.

    `on_error_line` gets each line that the command writes to standard error, except messages and empty lines, in a
    separate thread. If it `is_remote`, it leads a process group, which ends with it, and only lines on standard output
    count as messages.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] = MappingProxyType({}),
        on_error_line: Callable[[str], None] = ignore,
        *,
        is_remote: bool = False,
    ) -> None:
        self._on_error_line = on_error_line
        self._is_remote, self._killed = is_remote, False
        self._process: Any = subprocess.Popen(
            command,
            cwd=project_folder(),
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            process_group=0 if is_remote else None,
        )
        self.number: int = self._process.pid
        self._messages: queue.Queue[Message | None] = queue.Queue()
        self._error_lines: deque[str] = deque(maxlen=_ERROR_LINES_KEPT)
        streams = (self._process.stdout, self._process.stderr)
        self._readers = [threading.Thread(target=self._read, args=(stream,), daemon=True) for stream in streams]
        for reader in self._readers:
            reader.start()

    def send(self, message: Message) -> None:
        """Write a message to standard input; does nothing if it is closed or the process has ended."""
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def messages(
        self, cancel: threading.Event | None = None, idle: Callable[[], None] | None = None
    ) -> Iterator[Message]:
        """Yield the objects that the process writes until it closes its output; all other lines are skipped.

        `idle` is called after every `POLL_SECONDS` without output. Raises the `EngineError` that the process reports,
        or `Canceled` soon after `cancel` is set. With either argument, the wait ends soon after the process does.
        """
        open_streams, silent_since_end = len(self._readers), 0.0
        while open_streams and silent_since_end < _DRAIN_SECONDS:
            raise_if_set(cancel)
            try:
                message = self._messages.get(timeout=None if cancel is None and idle is None else POLL_SECONDS)
            except queue.Empty:
                if idle is not None:
                    idle()
                if self._process.poll() is not None:
                    silent_since_end += POLL_SECONDS
                continue
            if message is None:
                open_streams -= 1
            elif "error" in message:
                raise _error(message)
            else:
                yield message

    def wait(self, seconds: float | None = None) -> int:
        """Return the exit code, negative for a signal. Raises `subprocess.TimeoutExpired`."""
        return int(self._process.wait(seconds))

    def end_reason(self) -> str:
        """Return why it ended: the signal's name, the last line on standard error, or the exit code."""
        if (code := self.wait()) < 0:
            return signal.Signals(-code).name
        lines = self.error_lines()
        return lines[-1] if lines else f"code {code}"

    def error_lines(self) -> tuple[str, ...]:
        """Wait for the end; return the last lines on standard error, without messages and empty lines."""
        self.wait()
        for reader in self._readers:
            reader.join(_DRAIN_SECONDS)
        return tuple(self._error_lines)

    def finish(self) -> None:
        """Close standard input."""
        with suppress(BrokenPipeError):  # an unread message
            self._process.stdin.close()

    def kill(self) -> None:
        """Kill the process immediately."""
        self._process.kill()  # does nothing to a process that has ended
        if self._is_remote and not self._killed:
            self._killed = True  # the system may soon reuse its number
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.number, signal.SIGKILL)

    def close(self, seconds: float = 0) -> None:
        """Close standard input, and kill the process unless it ends within this time."""
        if seconds:
            self.finish()
            with suppress(subprocess.TimeoutExpired):
                self.wait(seconds)
        self.kill()
        self.finish()
        self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                is_error = stream is self._process.stderr
                message = None if is_error and self._is_remote else _message(line)
                if message is not None:
                    self._messages.put(message)
                elif is_error and line.strip():
                    self._error_lines.append(line.strip())
                    self._on_error_line(line.rstrip())
        self._messages.put(None)


def error_fields(error: EngineError) -> Message:
    """Convert an error to a message to the parent, with its type or the nearest one without further fields."""
    known = (kind for kind in type(error).__mro__ if kind.__module__ == EngineError.__module__)
    kind = next(kind for kind in known if kind.__init__ is EngineError.__init__)  # type: ignore[misc]
    recovery_action = None if error.recovery_action is None else error.recovery_action.value
    return {"error": kind.__name__, "message": error.message, "hint": error.hint, "cure": recovery_action}


def _error(message: Message) -> EngineError:
    kind: type[EngineError] = getattr(errors, message["error"])
    return kind(
        message["message"], message["hint"], None if message["cure"] is None else RecoveryAction(message["cure"])
    )


def _message(line: str) -> Message | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
