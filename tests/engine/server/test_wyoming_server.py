"""Tests of the Wyoming protocol with its official client, and with clients that break its rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wyoming.audio import AudioChunk, AudioStart
from wyoming.client import AsyncClient
from wyoming.event import Event, Eventable
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeVoice

from engine.audio.recording import to_pcm
from engine.errors import EngineError
from engine.runtime.synthesizer import Synthesizer
from engine.server import wyoming_server
from engine.server.speaking import MAX_WAITING_BYTES
from engine.speech import SpeechRequest
from tests.engine.server.running import FakeEngine, Running, connected, received, running, wait_until_idle
from tests.patience import PATIENCE_SECONDS, wait_until

STOP, STOPPED, ERROR = "audio-stop", "synthesize-stopped", "error"
SENTENCE_PAUSE_SECONDS = 0.25
LONG = " ".join(f"word{index}" for index in range(200))


def with_client(server: Running, use: Callable[[AsyncClient], Awaitable[Any]]) -> Any:
    async def connect() -> Any:
        async with AsyncClient.from_uri(server.wyoming_url, read_timeout=PATIENCE_SECONDS) as client:
            return await use(client)

    return asyncio.run(connect())


def exchange(server: Running, *messages: Eventable | Event, end: str = STOP) -> list[Event]:
    """Send events, and return the answers until one of this type, or until the server closes the connection."""

    async def use(client: AsyncClient) -> list[Event]:
        for message in messages:
            await client.write_event(message if isinstance(message, Event) else message.event())
        answers = []
        while (event := await client.read_event()) is not None:
            answers.append(event)
            if event.type == end:
                break
        return answers

    return with_client(server, use)


def samples(events: list[Event]) -> np.ndarray:
    return np.frombuffer(b"".join(event.payload or b"" for event in events), "<i2")


def kinds(events: list[Event]) -> list[str]:
    """Return the types of events, each once where it repeats."""
    types = [event.type for event in events]
    return [kind for index, kind in enumerate(types) if types[index - 1 : index] != [kind]]


def assert_refused(events: list[Event]) -> str:
    """Check that the only answer is an error, after which the server has closed the connection; return its text."""
    assert kinds(events) == [ERROR]
    return str(events[0].data["text"])


def spoken_by(synthesizer: Synthesizer, text: str, voice: str = "af_heart") -> np.ndarray:
    chunks = synthesizer.synthesize(SpeechRequest(text, voice))
    return np.concatenate([to_pcm(chunk.samples) for chunk in chunks])


def test_the_description_lists_the_voices_and_their_languages(served: Running) -> None:
    program = Info.from_event(exchange(served, Describe(), end="info")[0]).tts[0]
    voices = {voice.name: voice for voice in program.voices}
    assert voices["af_heart"].languages == ["en-US"]
    assert voices["bm_george"].languages == ["en-GB"]
    assert voices["af_heart"].description == "Heart"
    assert program.supports_synthesize_streaming


def test_the_official_client_gets_the_samples_of_the_engine(served: Running, starter: Synthesizer) -> None:
    text = "Good morning. The fox runs over the hill."
    events = exchange(served, Synthesize(text, SynthesizeVoice("am_michael")))
    assert kinds(events) == ["audio-start", "audio-chunk", STOP]
    start, chunk = AudioStart.from_event(events[0]), AudioChunk.from_event(events[1])
    assert (start.rate, start.width, start.channels) == (chunk.rate, chunk.width, chunk.channels) == (24_000, 2, 1)
    np.testing.assert_array_equal(samples(events), spoken_by(starter, text, voice="am_michael"))


def test_a_text_in_parts_is_spoken_by_sentences(served: Running, starter: Synthesizer) -> None:
    parts = ["Good mor", "ning, Mr. ", "Smith. It ", "rains.\n\n", "***\n\n", "Bye"]
    whole = Synthesize("".join(parts))  # Home Assistant sends it as well, for servers that wait for all of a text
    events = exchange(served, SynthesizeStart(), *map(SynthesizeChunk, parts), whole, SynthesizeStop(), end=STOPPED)
    assert kinds(events) == ["audio-start", "audio-chunk", STOP, STOPPED]
    silence = np.zeros(round(SENTENCE_PAUSE_SECONDS * 24_000), np.int16)
    first, second, third = (spoken_by(starter, text) for text in ("Good morning, Mr. Smith. ", "It rains.\n\n", "Bye"))
    np.testing.assert_array_equal(samples(events), np.concatenate([first, silence, second, silence, third]))


def test_the_first_sentence_is_spoken_before_the_text_ends() -> None:
    async def use(client: AsyncClient) -> list[str]:
        await client.write_event(SynthesizeStart(SynthesizeVoice("am_michael")).event())
        await client.write_event(SynthesizeChunk("One two. Three").event())
        first = await client.read_event()
        assert first is not None
        await client.write_event(SynthesizeStop().event())
        types = [first.type]
        while types[-1] != STOPPED and (event := await client.read_event()) is not None:
            types.append(event.type)
        return types

    engine = FakeEngine()
    with running(engine) as server:
        assert with_client(server, use)[0] == "audio-start"
    assert engine.begun == ["One two. ", "Three"]
    assert {request.voice for request in engine.requests} == {"am_michael"}


@pytest.mark.parametrize(
    ("voice", "expected"),
    [
        (None, "af_heart"),
        (SynthesizeVoice("george"), "bm_george"),
        (SynthesizeVoice("alloy"), "af_heart"),
        (SynthesizeVoice("af_heart(2)+am_michael(1)"), "af_heart(2)+am_michael(1)"),
        (SynthesizeVoice(language="en-GB"), "bm_george"),
        (SynthesizeVoice(language="en_gb"), "bm_george"),
        (SynthesizeVoice(language="en"), "af_heart"),
        (SynthesizeVoice(language="en-AU"), "af_heart"),
    ],
)
def test_voices_are_chosen_by_name_or_language(voice: SynthesizeVoice | None, expected: str) -> None:
    engine = FakeEngine()
    with running(engine) as server:
        assert kinds(exchange(server, Synthesize("one", voice)))[-1] == STOP
    assert [request.voice for request in engine.requests] == [expected]


@pytest.mark.parametrize(
    ("data", "quoted"),
    [
        ({"text": "one", "voice": {"name": "nobody"}}, "nobody"),
        ({"text": "one", "voice": {"name": "\ud800"}}, "voice"),
        ({"text": "one", "voice": {"name": 7}}, "voice"),
        ({"text": "one", "voice": {"language": "fr-FR"}}, "en-US"),
        ({"text": "one", "voice": ["af_heart"]}, "voice"),
        ({"text": "<speak>one</speak>", "text_format": "ssml"}, "SSML"),
        ({"text": " "}, "text"),
        ({"text": ["one"]}, "string"),
        ({}, "text"),
        ({"text": "[pause 60s] " * 11}, "pauses"),
        ({"text": "a" * 100_001}, "100,000"),
    ],
)
def test_bad_requests_get_an_error_and_the_server_continues(data: dict[str, Any], quoted: str) -> None:
    engine = FakeEngine()
    content = json.dumps({"type": "synthesize", "data": data}).encode() + b"\n"
    with running(engine) as server:
        with connected(server, content, address=server.wyoming_address) as connection:
            head, _, rest = received(connection).partition(b"\n")
        assert json.loads(head)["type"] == ERROR
        assert quoted in json.loads(rest)["text"]
        assert kinds(exchange(server, Synthesize("one")))[-1] == STOP
    assert engine.begun == ["one"]


def test_a_part_that_is_no_string_gets_an_error() -> None:
    with running(FakeEngine()) as server:
        part = Event("synthesize-chunk", {"text": 7})
        assert "string" in assert_refused(exchange(server, SynthesizeStart(), part))


@pytest.mark.parametrize(("failure", "shown"), [(EngineError("It is damaged."), "damaged"), (ValueError("bug"), "")])
def test_a_failure_while_speaking_gets_an_error(failure: Exception, shown: str) -> None:
    engine = FakeEngine()
    engine.failing["one two"] = failure
    with running(engine) as server:
        events = exchange(server, Synthesize("one two"))
        assert kinds(events) == ["audio-start", "audio-chunk", ERROR]
        assert shown in events[-1].data["text"]
        assert "bug" not in events[-1].data["text"]
        assert kinds(exchange(server, Synthesize("one")))[-1] == STOP


def test_a_busy_server_refuses_requests() -> None:
    engine = FakeEngine(free=False)
    with running(engine, max_requests=1) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(exchange, server, Synthesize("one"))
        wait_until(lambda: engine.begun, "the first request")
        assert "busy" in assert_refused(exchange(server, Synthesize("two")))
        assert exchange(server, Describe(), end="info")
        engine.free = True
        assert kinds(first.result())[-1] == STOP


@pytest.mark.parametrize(
    "content",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b'POST /{"type": "synthesize"} HTTP/1.1\r\n\r\n',
        b"\xff\xfe\x00\n",
        b"{}\n",
        b"[]\n",
        b"7\n",
        b'{"type": "synthesize", "data": []}\n',
        b'{"type": "synthesize", "data": null, "data_length": 2}\n{}',
        b'{"type": "synthesize", "data_length": 1000000000000}\n',
        b'{"type": "synthesize", "payload_length": 1000000000000}\n',
        b'{"type": "synthesize", "data_length": "2"}\n{}',
        b"[" * 200_000 + b"\n",
        b"a" * 2_000_000,
    ],
    ids=lambda content: content[:40],
)
def test_anything_but_events_closes_the_connection(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wyoming_server, "STALL_SECONDS", 2 * PATIENCE_SECONDS)  # not because nothing follows
    engine = FakeEngine()
    with running(engine) as server:
        try:
            with connected(server, content, address=server.wyoming_address) as connection:
                assert received(connection) == b""
        except (BrokenPipeError, ConnectionResetError):
            pass  # closed before all was sent
        assert kinds(exchange(server, Synthesize("one")))[-1] == STOP
    assert engine.begun == ["one"]


KEYS = st.sampled_from(["type", "data", "data_length", "payload_length", "text", "voice", "name", "language"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats(-2, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
TYPES = st.sampled_from(["describe", "synthesize", "synthesize-start", "synthesize-chunk", "synthesize-stop"])
EVENTS = st.builds(lambda kind, rest: json.dumps({"type": kind, **rest}).encode(), TYPES, st.dictionaries(KEYS, VALUES))


@settings(max_examples=8, deadline=None)
@given(st.lists(st.lists(EVENTS | st.binary(max_size=20), max_size=6), min_size=8, max_size=8))
def test_the_server_survives_random_events(conversations: list[list[bytes]]) -> None:
    with running(FakeEngine(samples=10)) as server:
        for lines in conversations:
            with connected(server, b"\n".join([*lines, b""]), address=server.wyoming_address):
                pass
        wait_until_idle(server)
        assert kinds(exchange(server, Synthesize("one")))[-1] == STOP


@pytest.mark.parametrize("streaming", [False, True])
def test_a_client_that_leaves_cancels_its_work(streaming: bool) -> None:
    engine = FakeEngine(free=False)
    messages = [SynthesizeStart(), SynthesizeChunk("one two. Three")] if streaming else [Synthesize("one two. ")]

    async def leave(client: AsyncClient) -> None:
        for message in messages:
            await client.write_event(message.event())
        await asyncio.to_thread(wait_until, lambda: engine.begun, "the request")

    with running(engine) as server:
        with_client(server, leave)
        wait_until(lambda: engine.canceled, "the engine to stop")
        wait_until_idle(server)
        assert engine.spoken == []
        engine.free = True
        assert kinds(exchange(server, Synthesize("next")))[-1] == STOP


def test_a_client_that_stops_reading_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wyoming_server, "STALL_SECONDS", 0.3)
    engine = FakeEngine(samples=MAX_WAITING_BYTES // 2)
    content = json.dumps({"type": "synthesize", "data": {"text": LONG}}).encode() + b"\n"
    with running(engine) as server, connected(server, content, 8192, server.wyoming_address):
        wait_until(lambda: engine.canceled, "the engine to stop")
        wait_until_idle(server)
        assert len(engine.spoken) < len(LONG.split())


@pytest.mark.parametrize("messages", [[], [SynthesizeStart()]], ids=["silent", "in the middle of a text"])
def test_a_client_that_sends_nothing_is_dropped(monkeypatch: pytest.MonkeyPatch, messages: list[Eventable]) -> None:
    monkeypatch.setattr(wyoming_server, "STALL_SECONDS", 0.3)
    with running(FakeEngine()) as server:
        assert exchange(server, *messages) == []
        wait_until_idle(server)


def test_stopping_the_server_cancels_all_work() -> None:
    engine = FakeEngine(free=False)
    with ThreadPoolExecutor(1) as pool:
        with running(engine) as server:
            waiting = pool.submit(exchange, server, Synthesize("one two"))
            wait_until(lambda: engine.begun, "the request")
        assert kinds(waiting.result()) in ([], [ERROR])
    assert engine.canceled == ["one two"]
