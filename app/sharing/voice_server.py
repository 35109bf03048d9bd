"""The server for other apps in a child process, and its state."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.messages import message_for
from app.speech.engine_worker import NICENESS
from app.tasks import Tasks
from engine.errors import EngineError
from engine.server.events import Listening, RequestBegan, RequestEnded, ServerEvent
from engine.server.hosting import HostOptions, host
from engine.system.remote import ProcessEnded, call

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerState:
    """The state of the server, which is listening at `url` unless that is empty.

    `requests` are those in progress, `request_count` also counts the completed ones. `problem` is the reason why the
    server or its last request failed.
    """

    running: bool = False
    url: str = ""
    requests: tuple[RequestBegan, ...] = ()
    request_count: int = 0
    problem: str = ""


class VoiceServer(QObject):
    """Runs one server at a time; it ends with this process, and the model is loaded by its first request.

    `failed` carries the error that prevented or ended the server.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ServerState()
        self._tasks = Tasks("server", self)
        self._cancel = threading.Event()

    def start(self, options: HostOptions) -> None:
        """Start the server; one that is running ends first, with its requests."""
        self._cancel.set()
        self._cancel = cancel = threading.Event()
        self._tasks.run(
            self._serve,
            options,
            cancel,
            done=lambda _: self._fail(cancel, _stopped("it ended by itself")),
            failed=partial(self._fail, cancel),
            cancel=cancel,
        )
        self._set(ServerState(running=True))

    def stop(self) -> None:
        """End the server, if it is running."""
        self._cancel.set()
        if self.state.running:
            self._set(ServerState())

    def shut_down(self, timeout_ms: int) -> bool:
        """End the server; return whether it ended in time."""
        self.stop()
        return self._tasks.shut_down(timeout_ms)

    def _serve(self, options: HostOptions, cancel: threading.Event) -> None:
        tell = partial(self._tasks.call_in_window, self._on_event, cancel)
        call(host, options, tell, cancel=cancel, niceness=NICENESS, on_error_line=_log)

    def _on_event(self, cancel: threading.Event, event: ServerEvent) -> None:
        if cancel.is_set():
            return
        state = self.state
        match event:
            case Listening(url):
                self._set(replace(state, url=url))
            case RequestBegan():
                requests = (*state.requests, event)
                self._set(replace(state, requests=requests, request_count=state.request_count + 1, problem=""))
            case RequestEnded(number, error):
                requests = tuple(each for each in state.requests if each.number != number)
                self._set(replace(state, requests=requests, problem=error))

    def _fail(self, cancel: threading.Event, error: Exception) -> None:
        if cancel.is_set():
            return
        cancel.set()
        if isinstance(error, ProcessEnded):
            error = _stopped(error.words)
        self._set(ServerState(problem=message_for(error).text))
        self.failed.emit(error)

    def _set(self, state: ServerState) -> None:
        self.state = state
        self.changed.emit()


def _stopped(reason: str) -> EngineError:
    return EngineError(f"The server has stopped ({reason}).", "Turn it on again in Settings.")


def _log(line: str) -> None:
    log.warning("Server: %s", line)
