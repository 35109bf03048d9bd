"""A server in a thread of the tests, an engine whose steps a test controls, and plain connections."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.errors import Canceled
from engine.server.events import RequestEvent
from engine.server.serving import SpeechServer
from engine.server.speaking import MAX_REQUESTS, ServiceEngine, SpeechService
from engine.server.wyoming_server import WyomingServer
from engine.speech import AudioChunk, SpeechRequest, SpokenWord, Utterance, VoiceInfo
from engine.system.waiting import POLL_SECONDS, raise_if_set
from tests.patience import PATIENCE_SECONDS, wait_until

RATE_HZ = 24_000
VOICES = (
    VoiceInfo("af_heart", "Heart", "en-US", "female"),
    VoiceInfo("am_michael", "Michael", "en-US", "male"),
    VoiceInfo("bm_george", "George", "en-GB", "male"),
)


class FakeEngine:
    """Speaks each word of a text as an utterance of noise.

    Each takes one of `permits`, unless the engine is `free`. `begun`, `spoken` and `canceled` record texts and words.
    A text in `failing` raises its error after the first word.
    """

    sample_rate_hz = RATE_HZ
    model = "starter"

    def __init__(self, free: bool = True, samples: int = 2400) -> None:
        self.free = free
        self.permits = threading.Semaphore(0)
        self.begun: list[str] = []
        self.spoken: list[str] = []
        self.canceled: list[str] = []
        self.requests: list[SpeechRequest] = []
        self.failing: dict[str, Exception] = {}
        self._samples = np.random.default_rng(0).uniform(-0.5, 0.5, samples).astype(np.float32)

    def voices(self) -> tuple[VoiceInfo, ...]:
        return VOICES

    def prepare(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        pass

    def synthesize(
        self, request: SpeechRequest, observe: Any = None, cancel: threading.Event | None = None
    ) -> Iterator[AudioChunk]:
        self.begun.append(request.text)
        self.requests.append(request)
        words = request.text.split()
        try:
            for index, word in enumerate(words):
                self._wait(cancel)
                if index and request.text in self.failing:
                    raise self.failing[request.text]
                self.spoken.append(word)
                start = request.text.index(word)
                times = (SpokenWord(start, start + len(word), 240, len(self._samples)),)
                yield AudioChunk(
                    Utterance(index, word, word, start, start + len(word)), len(words), self._samples, RATE_HZ, times
                )
        except (Canceled, GeneratorExit):
            self.canceled.append(request.text)
            raise

    def _wait(self, cancel: threading.Event | None) -> None:
        while not self.free and not self.permits.acquire(timeout=POLL_SECONDS):
            raise_if_set(cancel)
        raise_if_set(cancel)


class Running:
    """A running server and its service."""

    def __init__(self, server: SpeechServer, service: SpeechService, wyoming: WyomingServer) -> None:
        self.url = server.url
        self.service = service
        self.address = ("127.0.0.1", int(server.url.rpartition(":")[2].partition("/")[0]))
        self.wyoming_url = wyoming.url
        self.wyoming_address = ("127.0.0.1", int(wyoming.url.rpartition(":")[2]))


@contextmanager
def running(
    engine: ServiceEngine,
    token: str | None = None,
    max_requests: int = MAX_REQUESTS,
    tell: Callable[[RequestEvent], object] = lambda _: None,
) -> Iterator[Running]:
    """Run a server of all protocols on free ports."""
    service = SpeechService(engine, max_requests, tell)
    wyoming = WyomingServer(service, "127.0.0.1", 0)
    server = SpeechServer(service, "127.0.0.1", 0, token, wyoming)
    service.start()
    ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(PATIENCE_SECONDS)
        yield Running(server, service, wyoming)
    finally:
        server.stop()
        thread.join(PATIENCE_SECONDS)
        server.close()
        wyoming.close()
    assert not thread.is_alive()


def speech_request(text: str, **fields: Any) -> bytes:
    """Return the bytes of a request as they are sent."""
    body = json.dumps({"model": "tts-1", "input": text, "voice": "alloy", "response_format": "pcm", **fields}).encode()
    head = (
        "POST /v1/audio/speech HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def connected(
    server: Running, content: bytes, buffer_bytes: int | None = None, address: tuple[str, int] | None = None
) -> Iterator[socket.socket]:
    """Connect, and send these bytes; a small buffer makes the server notice soon that nothing is read."""
    with socket.socket() as connection:
        if buffer_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        connection.settimeout(PATIENCE_SECONDS)
        connection.connect(address or server.address)
        connection.sendall(content)
        yield connection


def received(connection: socket.socket) -> bytes:
    """Return all bytes until the server closes the connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def wait_until_idle(server: Running) -> None:
    """Wait until the server has no request left."""
    wait_until(lambda: not server.service.requests, "the server to finish its requests")
