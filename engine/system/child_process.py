"""Child processes that run Python: started in the project folder, always ended, heard in JSON objects, one per line.

Their errors are `error_fields`; the parent reads all with `ChildProcess.messages`. Functions are called in a child by
`engine.system.remote`.
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
from engine.errors import Cure, EngineError
from engine.system.bundle import MODULE_OPTION, is_bundle
from engine.system.paths import project_folder
from engine.system.waiting import POLL_SECONDS, raise_if_set

Message = Mapping[str, Any]
_ERROR_LINES_KEPT = 200
_DRAIN_SECONDS = 5
"""The longest wait for the last lines of a process that has ended: its own children may keep its pipes open."""


def python_command(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module in a process of its own: by Python, or by the program of a bundle."""
    return (sys.executable, MODULE_OPTION if is_bundle() else "-m", module, *arguments)


def abort_quietly() -> None:
    """End with the number of the signal as exit code when a library aborts: macOS shows a dialog about other ends.

    A handler in Python would run after the library's abort, which is never.
    """
    library = ctypes.CDLL(None)
    library.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    library.signal(signal.SIGABRT, ctypes.cast(library._exit, ctypes.c_void_p))


def ignore(line: str) -> None:
    """Do nothing with a line."""


class ChildProcess:
    """A running command; leaving its `with` block ends it.

    `on_error_line` gets each line, messages and empty ones aside, that it writes to standard error, in another thread.
    One that `is_remote` leads a process group, which ends with it, and its messages are those on standard output alone.
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
        """Write a message to its standard input; nothing happens if that is closed, or it has ended."""
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def messages(
        self, cancel: threading.Event | None = None, idle: Callable[[], None] | None = None
    ) -> Iterator[Message]:
        """The objects it writes until it closes its output; all other lines are skipped.

        `idle` is called every `POLL_SECONDS` in which it writes nothing. Raises the `EngineError` that it reports, or
        `Cancelled` soon after `cancel` is set. With either, a process that has ended is not waited for much longer.
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
        """The exit code, negative for a signal; raises `subprocess.TimeoutExpired`."""
        return int(self._process.wait(seconds))

    def last_words(self) -> str:
        """Why it ended: the signal's name, else its last line on standard error, else its exit code."""
        if (code := self.wait()) < 0:
            return signal.Signals(-code).name
        lines = self.error_lines()
        return lines[-1] if lines else f"code {code}"

    def error_lines(self) -> tuple[str, ...]:
        """The last lines, not messages or empty ones, that it wrote to standard error before it ended."""
        self.wait()
        for reader in self._readers:
            reader.join(_DRAIN_SECONDS)
        return tuple(self._error_lines)

    def finish(self) -> None:
        """Close its standard input."""
        with suppress(BrokenPipeError):  # a message that it did not read
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()  # does nothing to a process that has ended
        if self._is_remote and not self._killed:
            self._killed = True  # its number may be another's before long
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.number, signal.SIGKILL)

    def close(self, seconds: float = 0) -> None:
        """Close its standard input, and kill it unless it ends within this time."""
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
    """An error as a message to the parent, of its own type or the nearest of `engine.errors` without further fields."""
    known = (kind for kind in type(error).__mro__ if kind.__module__ == EngineError.__module__)
    kind = next(kind for kind in known if kind.__init__ is EngineError.__init__)  # type: ignore[misc]
    cure = None if error.cure is None else error.cure.value
    return {"error": kind.__name__, "message": error.message, "hint": error.hint, "cure": cure}


def _error(message: Message) -> EngineError:
    kind: type[EngineError] = getattr(errors, message["error"])
    return kind(message["message"], message["hint"], None if message["cure"] is None else Cure(message["cure"]))


def _message(line: str) -> Message | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
