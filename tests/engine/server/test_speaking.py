"""Tests of several clients of one engine: turns, limits, clients that leave or stop reading, and failures."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from engine.errors import DamagedFile, EngineError, NothingToSpeak
from engine.server import serving
from engine.server.events import RequestBegan, RequestEnded
from engine.server.speaking import MAX_WAITING_BYTES
from tests.engine.server.running import (
    FakeEngine,
    Running,
    connected,
    received,
    running,
    speech_request,
    wait_until_idle,
)
from tests.patience import PATIENCE_SECONDS, wait_until

BIG_SAMPLES = MAX_WAITING_BYTES // 2
LONG = " ".join(f"word{index}" for index in range(200))


def speak(server: Running, text: str, client: httpx2.Client | None = None, **fields: object) -> httpx2.Response:
    body = {"input": text, "response_format": "pcm", **fields}
    post = httpx2.post if client is None else client.post
    return post(f"{server.url}/audio/speech", json=body, timeout=PATIENCE_SECONDS)


def test_the_first_bytes_leave_with_the_first_utterance() -> None:
    engine = FakeEngine(free=False)
    with running(engine) as server, connected(server, speech_request("one two three")) as connection:
        engine.permits.release()
        read = b""
        while b"\r\n\r\n" not in read or len(read.partition(b"\r\n\r\n")[2]) < 4800:
            read += connection.recv(65536)
        assert read.startswith(b"HTTP/1.1 200 ")
        assert engine.spoken == ["one"]


def test_requests_take_turns() -> None:
    engine = FakeEngine(free=False)
    with running(engine) as server, ThreadPoolExecutor(2) as pool:
        first = pool.submit(speak, server, "a1 a2 a3")
        wait_until(lambda: engine.begun, "the first request")
        second = pool.submit(speak, server, "b1 b2 b3")
        wait_until(lambda: server.service.job_count == 2, "the second request")
        engine.permits.release(6)
        assert first.result().content == second.result().content
    assert engine.spoken == ["a1", "b1", "a2", "b2", "a3", "b3"]


def test_a_client_that_leaves_cancels_its_work() -> None:
    engine = FakeEngine(free=False)
    with running(engine) as server:
        with connected(server, speech_request("one two three")):
            wait_until(lambda: engine.begun, "the request")
        wait_until(lambda: engine.canceled, "the engine to stop")
        wait_until_idle(server)
        assert engine.spoken == []
        engine.free = True
        assert speak(server, "next").status_code == 200


def test_a_client_that_leaves_while_others_speak_cancels_its_work() -> None:
    engine = FakeEngine(free=False)
    with running(engine) as server, ThreadPoolExecutor(1) as pool:
        speaking = pool.submit(speak, server, "a1 a2")
        wait_until(lambda: engine.begun, "the first request")
        with connected(server, speech_request("b1 b2")):
            wait_until(lambda: server.service.job_count == 2, "the second request")
        engine.free = True
        assert speaking.result().status_code == 200
        wait_until_idle(server)
    assert "b2" not in engine.spoken


def test_too_many_requests_are_refused_and_told_when_to_return() -> None:
    engine = FakeEngine(free=False)
    with running(engine, max_requests=3) as server, ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(speak, server, f"text{index}") for index in range(3)]
        wait_until(lambda: server.service.requests == 3, "three requests")
        refused = speak(server, "more")
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
        assert httpx2.get(f"{server.url}/models").status_code == 200
        engine.free = True
        assert [each.result().status_code for each in waiting] == [200] * 3


def test_a_thousand_requests_at_once_are_all_answered() -> None:
    engine = FakeEngine()
    limits = httpx2.Limits(max_connections=100)
    with running(engine) as server, ThreadPoolExecutor(100) as pool, httpx2.Client(limits=limits) as client:
        answers = list(pool.map(lambda index: speak(server, f"text{index}", client).status_code, range(1000)))
        assert set(answers) <= {200, 429}
        assert answers.count(200) == len(engine.begun)
        wait_until_idle(server)
        assert speak(server, "after").status_code == 200


def test_a_client_that_reads_slowly_pauses_only_its_own_speech() -> None:
    engine = FakeEngine(samples=BIG_SAMPLES)
    with running(engine) as server, connected(server, speech_request(LONG), buffer_bytes=8192) as slow:
        wait_until(lambda: len(engine.spoken) > 1, "the first utterances")
        assert speak(server, "other").status_code == 200
        spoken = len(received_until_close(slow, LONG)) // (2 * BIG_SAMPLES)
        assert spoken == len(LONG.split())


def received_until_close(connection, text: str) -> bytes:
    """Read all of a response in chunks, as HTTP/1.1 frames it, and return its content."""
    stream = connection.makefile("rb")
    while stream.readline() != b"\r\n":
        pass
    parts = []
    while size := int(stream.readline(), 16):
        parts.append(stream.read(size))
        stream.readline()
    return b"".join(parts)


def test_a_client_that_stops_reading_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "STALL_SECONDS", 0.3)
    engine = FakeEngine(samples=BIG_SAMPLES)
    with running(engine) as server, connected(server, speech_request(LONG), buffer_bytes=8192) as stalled:
        wait_until(lambda: engine.canceled, "the engine to stop")
        wait_until_idle(server)
        assert len(engine.spoken) < len(LONG.split())
        assert not received(stalled).endswith(b"0\r\n\r\n")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NothingToSpeak("There’s nothing to speak."), 400),
        (EngineError("The model is damaged."), 500),
        (DamagedFile.__new__(DamagedFile), 500),
        (ValueError("a bug"), 500),
    ],
)
def test_a_failure_before_the_first_audio_is_an_error_object(error: Exception, status: int) -> None:
    if isinstance(error, DamagedFile):
        EngineError.__init__(error, "A file is damaged.")

    class Failing(FakeEngine):
        def synthesize(self, request, observe=None, cancel=None):
            if request.text == "broken":
                raise error
            return super().synthesize(request, observe, cancel)

    with running(Failing()) as server:
        answer = speak(server, "broken")
        assert answer.status_code == status
        assert answer.json()["error"]["message"]
        assert "bug" not in answer.text
        assert speak(server, "whole").status_code == 200


def test_a_failure_after_the_first_audio_ends_the_response_early() -> None:
    engine = FakeEngine()
    engine.failing["one two"] = EngineError("The model is damaged.")
    with running(engine) as server:
        with pytest.raises(httpx2.RemoteProtocolError):
            speak(server, "one two")
        events = speak(server, "one two", stream_format="sse").text.strip().split("\n\n")
        last = json.loads(events[-1].removeprefix("data: "))
        assert (last["type"], last["error"]["message"]) == ("error", "The model is damaged.")
        assert speak(server, "whole").status_code == 200


def test_stopping_the_server_cancels_all_work() -> None:
    engine = FakeEngine(free=False)
    with ThreadPoolExecutor(1) as pool:
        with running(engine) as server:
            waiting = pool.submit(speak, server, "one two")
            wait_until(lambda: engine.begun, "the request")
        answer = waiting.result()
    assert answer.status_code == 503
    assert engine.canceled == ["one two"]


def test_requests_are_reported_with_their_voice_and_client() -> None:
    engine, told = FakeEngine(), []
    engine.failing = {"one two": EngineError("The weights are damaged.")}
    with running(engine, tell=told.append) as server, httpx2.Client(headers={"User-Agent": "A\tTest/1.0"}) as client:
        speak(server, "one", client, voice="am_michael")
        speak(server, "one two", client, voice="af_heart+am_michael", stream_format="sse")
        speak(server, "one", client, voice="unknown")
        wait_until_idle(server)
    assert told[:3] == [
        RequestBegan(1, "Michael", "ATest/1.0"),
        RequestEnded(1),
        RequestBegan(2, told[2].voice, "ATest/1.0"),
    ]
    assert "am_michael" in told[2].voice
    assert [(each.number, "damaged" in each.error) for each in told[3:]] == [(2, True)]


def test_a_client_that_leaves_is_no_failure() -> None:
    engine, told = FakeEngine(free=False), []
    with running(engine, tell=told.append) as server:
        with connected(server, speech_request("one two")):
            wait_until(lambda: told, "the request")
        wait_until(lambda: len(told) == 2, "its end")
    assert told[1] == RequestEnded(1)
