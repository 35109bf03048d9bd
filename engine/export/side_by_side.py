"""Speaks the parts of exports side by side in several processes, and caches each as soon as it is finished."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np

from engine.compiler.artifacts.manifest import CPU_DEVICE
from engine.config import SAMPLE_RATE_HZ
from engine.errors import EngineError, InvalidRequest, NothingToSpeak
from engine.export.export_job import ExportSynthesizer
from engine.export.exporting import STOPPED
from engine.export.part_cache import PartCache, RenderedPart, made_of
from engine.runtime.synthesizer import Synthesizer
from engine.speech import (
    AudioChunk,
    Event,
    Notice,
    Plan,
    PlanEvent,
    PreparationEvent,
    Prosody,
    SpeechRequest,
    SpokenWord,
    Utterance,
)
from engine.system.remote import Connection, ProcessEnded
from engine.system.waiting import POLL_SECONDS, raise_if_set

_FULL_SCALE = np.float32(32767)
_SAMPLE = np.dtype("<i2")
_ATTEMPTS = 2
Result = TypeVar("Result")


@dataclass(frozen=True)
class SpeakerSettings:
    """The arguments of the `Synthesizer` that each process creates, for the CPU and one thread."""

    model: str
    weights: str | None = None
    prosody: Prosody = Prosody.LSTM


@dataclass(frozen=True)
class SpokenPart:
    """The audio of a request: `length` samples, 16-bit little-endian in `pcm`, its words, and the notices of its plan.

    A part without any sound has no samples.
    """

    length: int
    pcm: bytes
    words: tuple[SpokenWord, ...] = ()
    notices: tuple[Notice, ...] = ()

    def checked(self, request: SpeechRequest) -> RenderedPart:
        """Return the part as samples; raises `UnusablePart` unless it is complete and its words are of this request."""
        inside = all(
            request.start <= word.start <= word.end <= request.start + len(request.part)
            and 0 <= word.start_sample <= word.end_sample <= self.length
            for word in self.words
        )
        if len(self.pcm) != self.length * _SAMPLE.itemsize or not inside:
            raise UnusablePart("A process sent incomplete audio.", "Try again.")
        return RenderedPart(np.frombuffer(self.pcm, _SAMPLE).astype(np.int16), self.words)


@dataclass(frozen=True)
class Ready:
    """Reports that a process has loaded its model."""


class UnusablePart(EngineError):
    """Audio from another process that is incomplete or belongs to a different text."""


def check_jobs(count: int) -> None:
    """Raise `InvalidRequest` unless the count of processes is in 1 to the number of this machine's CPUs."""
    largest = os.cpu_count() or 1
    if not 1 <= count <= largest:
        choice = f"Choose 1 to {largest}" if largest > 1 else "Choose 1"
        raise InvalidRequest(f"{count} processes can’t speak side by side here.", f"{choice}: each needs a CPU.")


def speak_part(synthesizer: ExportSynthesizer, request: SpeechRequest) -> SpokenPart:
    """Speak all of a request. Raises the errors of the synthesizer."""
    notices: tuple[Notice, ...] = ()

    def observe(event: Event) -> None:
        nonlocal notices
        if isinstance(event, PlanEvent) and event.plan.whole:
            notices = event.plan.notices

    chunks: list[AudioChunk] = []
    with suppress(NothingToSpeak):  # a line of stars between two scenes
        chunks = list(synthesizer.synthesize(request, observe, None))
    made = made_of(chunks)
    return SpokenPart(len(made.pcm), made.pcm.astype(_SAMPLE).tobytes(), made.words, notices)


def speak_parts(
    settings: SpeakerSettings,
    requests: Iterator[SpeechRequest],
    tell: Callable[[PreparationEvent | Ready | SpokenPart], None],
) -> None:
    """Speak requests in a child process, and report how it is prepared."""
    synthesizer = Synthesizer(settings.model, CPU_DEVICE, settings.weights, threads=1, prosody=settings.prosody)
    synthesizer.prepare(lambda event: tell(event) if isinstance(event, PreparationEvent) else None)
    tell(Ready())
    for request in requests:
        tell(speak_part(synthesizer, request))


class SpeakingProcesses:
    """Child processes that speak parts, `count` at a time; leaving the `with` block ends them.

    A part whose process dies or sends incomplete audio is spoken once more, in a new process. The constructor raises
    `InvalidRequest` for a count that is more than the CPUs of this machine.
    """

    def __init__(self, settings: SpeakerSettings, count: int) -> None:
        check_jobs(count)
        self._settings = settings
        self._threads = ThreadPoolExecutor(count, "speaking")
        self._idle: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        self._ended = threading.Event()

    def prepare(self, observe: Callable[[Event], None]) -> None:
        """Start the first process, which builds what is missing, and wait until it is ready; others start when needed.

        Raises the errors of `Synthesizer.prepare`.
        """
        self._done(lambda process: process.prepare(observe))

    def submit(self, request: SpeechRequest) -> Future[SpokenPart]:
        """Speak a request as soon as a process is free."""
        return self._threads.submit(self._done, lambda process: process.speak(request))

    def _done(self, work: Callable[[_Process], Result]) -> Result:
        """Return the result of work in an idle process, or a new one; a process that fails is replaced once."""
        for attempt in range(1, _ATTEMPTS + 1):
            raise_if_set(self._ended, STOPPED)
            process = self._process()
            try:
                result = work(process)
            except (ProcessEnded, UnusablePart) as error:
                process.close()
                if attempt == _ATTEMPTS:
                    raise _failed(error) from error
            except BaseException:
                process.close()
                raise
            else:
                self._idle.put(process)
                break
        return result

    def _process(self) -> _Process:
        with suppress(queue.Empty):
            return self._idle.get_nowait()
        return _Process(self._settings, self._ended)

    def close(self) -> None:
        """End all processes; parts in progress are lost."""
        self._ended.set()
        self._threads.shutdown(cancel_futures=True)
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _failed(error: ProcessEnded | UnusablePart) -> EngineError:
    reason = error.words if isinstance(error, ProcessEnded) else error.message
    return EngineError(
        f"Speaking failed twice in a separate process ({reason.rstrip('.')}).",
        "Use fewer --jobs if memory is low, then run the same command to resume.",
    )


class _Process(Connection):
    """A child process that runs `speak_parts` until `ended` is set.

    Both methods raise `ProcessEnded`, `Canceled`, and the errors of the synthesizer.
    """

    def __init__(self, settings: SpeakerSettings, ended: threading.Event) -> None:
        super().__init__(speak_parts, settings)
        self._reports: Generator[tuple[Any, ...], None, Any] = self.reports(ended)

    def prepare(self, observe: Callable[[Event], None]) -> None:
        """Wait until the process is ready, unless it was before."""
        for (report,) in self._reports:
            if isinstance(report, Ready):
                return
            observe(report)

    def speak(self, request: SpeechRequest) -> SpokenPart:
        """Return the audio of a request; raises `UnusablePart` if it is incomplete."""
        self.send(request)
        part = next((report for (report,) in self._reports if isinstance(report, SpokenPart)), None)
        if part is None:
            raise UnusablePart("A process ended without any audio.", "Try again.")
        part.checked(request)
        return part


class SpokenAhead:
    """An `ExportSynthesizer` for several exports, whose parts are spoken by others, ahead of time.

    `submit` begins to speak a request. Each finished part is added to the cache; `synthesize` waits for it.
    """

    sample_rate_hz = SAMPLE_RATE_HZ

    def __init__(
        self,
        fingerprint: Callable[[str], str],
        submit: Callable[[SpeechRequest], Future[SpokenPart]],
        observe: Callable[[Event], None],
    ) -> None:
        self.fingerprint = fingerprint
        self._made = PartCache(fingerprint)
        self._storing = threading.Lock()
        self._submit = submit
        self._observe = observe
        self._begun: dict[SpeechRequest, Future[None]] = {}

    def speak_ahead(self, requests: Iterable[SpeechRequest]) -> None:
        """Begin to speak the requests that are not cached yet, in order."""
        for request in requests:
            if request not in self._begun and not self._made.has(request):
                self._begun[request] = self._kept(request)

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        """Do nothing: those who speak prepare themselves."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        """Wait for a part, and yield all of it at once."""
        if request not in self._begun:
            self._begun[request] = self._kept(request)
        _wait_for(self._begun[request], cancel)
        if not self._made.has(request):  # a finished export has removed it, and this one has the same text
            self._begun[request] = self._kept(request)
            _wait_for(self._begun[request], cancel)
        made = self._made.read(request)
        if not len(made.pcm):
            raise NothingToSpeak("This part has no sound.", "Choose a different text.")
        utterance = Utterance(0, request.part, "", request.start, request.start + len(request.part))
        yield AudioChunk(utterance, 1, made.pcm.astype(np.float32) / _FULL_SCALE, self.sample_rate_hz, made.words)

    def _kept(self, request: SpeechRequest) -> Future[None]:
        """Begin to speak a request; the returned future is done when the part is in the cache."""
        kept: Future[None] = Future()

        def keep(spoken: Future[SpokenPart]) -> None:
            if spoken.cancelled():
                kept.cancel()
                return
            try:
                part = spoken.result()
                with self._storing:
                    self._made.store_part(request, part.checked(request), self.sample_rate_hz)
                self._observe(PlanEvent(Plan((), part.notices)))
            except BaseException as error:  # noqa: BLE001 - the export raises it
                kept.set_exception(error)
            else:
                kept.set_result(None)

        self._submit(request).add_done_callback(keep)
        return kept


def _wait_for(future: Future[None], cancel: threading.Event | None) -> None:
    """Wait for a future, and raise its error. Raises `Canceled` soon after `cancel` is set."""
    while not wait([future], POLL_SECONDS).done:
        raise_if_set(cancel, STOPPED)
    future.result()
