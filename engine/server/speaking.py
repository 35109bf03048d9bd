"""One engine for several clients: a thread that speaks their requests, an utterance at a time, in turn."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Protocol

from engine.errors import Canceled, EngineError
from engine.models.installed_voices import with_saved
from engine.runtime.pipeline import Observer, ignore
from engine.server.errors import TOO_MANY, RequestError, unexpected
from engine.server.events import RequestBegan, RequestEnded, RequestEvent
from engine.server.requests import SpeechOrder, shortened
from engine.server.streams import AudioBody, EventBody
from engine.speech import AudioChunk, SpeechRequest, VoiceInfo
from engine.system.waiting import raise_if_set

log = logging.getLogger(__name__)
MAX_REQUESTS = 32
"""The limit on requests at a time; further ones are refused."""
MAX_WAITING_BYTES = 512 * 1024
"""The limit on a response's bytes that its client has not read yet; beyond it, the next utterance waits."""


class ServiceEngine(Protocol):
    """The part of a `Synthesizer` that the service uses."""

    sample_rate_hz: int
    model: str

    def voices(self) -> tuple[VoiceInfo, ...]:
        """Return the voices."""

    def prepare(self, observe: Observer = ignore, cancel: threading.Event | None = None) -> None:
        """Load the model."""

    def synthesize(
        self, request: SpeechRequest, observe: Observer = ignore, cancel: threading.Event | None = None
    ) -> Iterator[AudioChunk]:
        """Generate the audio of a request."""

    def close(self) -> None:
        """Release the model."""


class Job:
    """The response to one request, as it grows: the engine's thread adds bytes, and a coroutine takes them."""

    def __init__(self, media_type: str, content: Iterator[Iterator[bytes]], cancel: threading.Event) -> None:
        self.media_type = media_type
        self.content = content
        self.cancel = cancel
        self._changed = threading.Condition()
        self._parts: deque[bytes] = deque()
        self._bytes = 0
        self._error: EngineError | None = None
        self._ended = False
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    @property
    def error(self) -> EngineError | None:
        """The failure that ended the job, if any."""
        return self._error

    @property
    def has_room(self) -> bool:
        """True if the client has read enough for the engine to continue, or has left."""
        return self.cancel.is_set() or self._bytes < MAX_WAITING_BYTES

    def add(self, part: bytes) -> None:
        """Append bytes; from the engine's thread."""
        with self._changed:
            self._parts.append(part)
            self._bytes += len(part)
        self._tell()

    def end(self, error: EngineError | None = None) -> None:
        """Report that no more bytes follow, because of an `error` if there is one; from the engine's thread."""
        self.content = iter(())
        with self._changed:
            self._error = error
            self._ended = True
        self._tell()

    async def next_bytes(self) -> bytes | None:
        """Return the next bytes, or None at the end. Raises the error that ended the job, once its bytes are taken."""
        while True:
            self._news.clear()
            with self._changed:
                if self._parts:
                    part = self._parts.popleft()
                    self._bytes -= len(part)
                    return part
                if self._error is not None:
                    raise self._error
                if self._ended:
                    return None
            await self._news.wait()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the server has stopped, and its loop is closed
            self._loop.call_soon_threadsafe(self._news.set)


class SpeechService:
    """Speaks the requests of several clients with one engine.

    A single thread uses the engine. It speaks one utterance of each request in turn, so that a long text doesn't delay
    short ones, and a client that reads slowly delays only its own. `requests` are those that have a place. `tell` is
    called in the thread of the server.
    """

    def __init__(
        self,
        engine: ServiceEngine,
        max_requests: int = MAX_REQUESTS,
        tell: Callable[[RequestEvent], object] = lambda _: None,
    ) -> None:
        self.model = engine.model
        self.sample_rate_hz = engine.sample_rate_hz
        self._engine = engine
        self._max_requests = max_requests
        self._tell = tell
        self._numbers = itertools.count(1)
        self.requests = 0
        self._own_voices = tuple(voice for voice in engine.voices() if not voice.recipe)
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, observe: Observer = ignore, *, load: bool = True) -> None:
        """Start the engine's thread, and wait until it has loaded the model; unless `load`, the first request loads it.

        Raises the errors of `Synthesizer.prepare`.
        """
        ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(observe, ready, load), name="engine", daemon=True)
        self._thread.start()
        ready.result()

    def close(self) -> None:
        """Cancel all jobs, end the thread and release the model."""
        self._closing.set()
        with self._changed:
            for job in self._jobs:
                job.cancel.set()
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def voices(self) -> tuple[VoiceInfo, ...]:
        """Return the voices of the model and the blends of them that are saved at the moment."""
        return with_saved(self._own_voices)

    @property
    def job_count(self) -> int:
        """The number of jobs that are not finished."""
        return len(self._jobs)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Count a request while it lasts. Raises `RequestError` if there are too many."""
        if self.requests >= self._max_requests:
            raise RequestError(
                TOO_MANY,
                f"The server is already busy with {self.requests} requests.",
                "Try again later.",
                "rate_limit_exceeded",
            )
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1

    @contextmanager
    def job(self, order: SpeechOrder, client: str = "") -> Iterator[Job]:
        """Speak a client's order while the block lasts; when it ends early, the engine stops within a stage."""
        number, voice = next(self._numbers), order.request.voice
        title = next((each.title for each in self.voices() if each.name == voice), voice)
        cancel = threading.Event()
        body = self._body(order)
        job = Job(body.media_type, self._content(order, body, cancel), cancel)
        with self._changed:
            if self._closing.is_set():
                raise Canceled("The server is shutting down.")
            self._jobs.append(job)
            self._changed.notify_all()
        self._tell(RequestBegan(number, shortened(title), client))
        try:
            yield job
        finally:
            cancel.set()
            self.resume()
            failure = None if isinstance(job.error, Canceled) else job.error
            self._tell(RequestEnded(number, "" if failure is None else failure.message))

    def resume(self) -> None:
        """Look for work again, after a client has read or left."""
        with self._changed:
            self._changed.notify_all()

    def _body(self, order: SpeechOrder) -> AudioBody | EventBody:
        rate_hz, times_faster = self._engine.sample_rate_hz, order.times_faster
        if order.events:
            return EventBody(order.audio_format, order.request.text, rate_hz, times_faster, words=order.words)
        return AudioBody(order.audio_format, rate_hz, times_faster)

    def _content(
        self, order: SpeechOrder, body: AudioBody | EventBody, cancel: threading.Event
    ) -> Iterator[Iterator[bytes]]:
        """Yield the bytes of each utterance, in pieces; those after the last one come with it."""
        ended = False
        for chunk in self._engine.synthesize(order.request, cancel=cancel):
            ended = chunk.utterance.index + 1 == chunk.utterance_count
            yield itertools.chain(body.add(chunk), _end_of(body)) if ended else body.add(chunk)
        if not ended:
            yield _end_of(body)

    def _run(self, observe: Observer, ready: Future[None], load: bool) -> None:
        try:
            if load:
                self._engine.prepare(observe, self._closing)
        except BaseException as error:  # noqa: BLE001 - the caller of `start` gets it
            ready.set_exception(error)
            return
        ready.set_result(None)
        while (job := self._next()) is not None:
            self._speak(job)
        for job in self._jobs:
            job.end(Canceled("The server is shutting down."))
        self._engine.close()

    def _next(self) -> Job | None:
        """Wait for a job whose client is ready for more; None when closing."""
        with self._changed:
            while not self._closing.is_set():
                job = next((each for each in self._jobs if each.has_room), None)
                if job is not None:
                    return job
                self._changed.wait()
        return None

    def _speak(self, job: Job) -> None:
        """Speak one utterance of a job, and move the job behind the others, or remove it at its end."""
        error: EngineError | None = None
        try:
            raise_if_set(job.cancel, "The client has left.")
            pieces = next(job.content, None)
            if pieces is not None:
                for piece in filter(None, pieces):
                    job.add(piece)
                with self._changed:
                    self._jobs.remove(job)
                    self._jobs.append(job)
                return
        except EngineError as failure:
            error = failure
        except Exception:  # the server outlives a request that fails
            log.exception("A request failed.")
            error = unexpected()
        with self._changed:
            self._jobs.remove(job)
        job.end(error)


def _end_of(body: AudioBody | EventBody) -> Iterator[bytes]:
    """Yield the last bytes, which exist only after all others have been taken."""
    yield body.end()
