"""Tests of the tools for assistants with the protocol's official client, in this process."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile
from mcp import Client
from mcp.types import CallToolResult

from engine.audio.loudspeaker import BLOCK_SECONDS
from engine.audio.recording import to_pcm
from engine.errors import EngineError
from engine.runtime.synthesizer import Synthesizer
from engine.server.mcp_tools import build_server
from engine.server.speaking import MAX_REQUESTS, ServiceEngine, SpeechService
from engine.speech import SpeechRequest
from tests.engine.server.running import FakeEngine
from tests.patience import PATIENCE_SECONDS, wait_until


class Device:
    """An audio device that takes each block at once, or after `block_seconds`; `ended` is `stop` or `abort`."""

    def __init__(self) -> None:
        self.block_seconds = 0.0
        self.written: list[np.ndarray] = []
        self.ended = ""

    def open(self, **_: object) -> Device:
        return self

    def start(self) -> None:
        self.ended = ""

    def write(self, samples: np.ndarray) -> None:
        time.sleep(self.block_seconds)
        self.written.append(samples[:, 0])

    def stop(self) -> None:
        self.ended = "stop"

    def abort(self) -> None:
        self.ended = "abort"

    def close(self) -> None:
        pass


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device()
    fake = SimpleNamespace(OutputStream=made.open, PortAudioError=OSError)
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    return made


@contextmanager
def served(engine: ServiceEngine, max_requests: int = MAX_REQUESTS) -> Iterator[SpeechService]:
    service = SpeechService(engine, max_requests)
    service.start()
    try:
        yield service
    finally:
        service.close()


def with_client(service: SpeechService, folder: Path, use: Callable[[Client], Awaitable[Any]]) -> Any:
    async def connect() -> Any:
        async with Client(build_server(service, folder), read_timeout_seconds=PATIENCE_SECONDS) as client:
            return await use(client)

    return asyncio.run(connect())


def call(engine: ServiceEngine, folder: Path, tool: str, **arguments: Any) -> CallToolResult:
    with served(engine) as service:
        return with_client(service, folder, lambda client: client.call_tool(tool, arguments))


def text_of(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if part.type == "text")


def test_the_tools_and_the_voices_are_listed(tmp_path: Path) -> None:
    async def use(client: Client) -> tuple[Any, CallToolResult]:
        return await client.list_tools(), await client.call_tool("list_voices")

    with served(FakeEngine()) as service:
        tools, voices = with_client(service, tmp_path, use)
    assert {tool.name for tool in tools.tools} == {"list_voices", "speak", "save"}
    assert all(tool.description for tool in tools.tools)
    listed = voices.structured_content["result"]
    assert listed[0] == {"name": "af_heart", "title": "Heart", "language": "en-US", "gender": "female"}


def test_saved_files_have_the_samples_of_the_engine(starter: Synthesizer, tmp_path: Path) -> None:
    text = "Good morning. It rains."
    result = call(starter, tmp_path, "save", text=text, file="speech.wav", voice="am_michael")
    assert not result.is_error, text_of(result)
    chunks = starter.synthesize(SpeechRequest(text, "am_michael"))
    expected = np.concatenate([to_pcm(chunk.samples) for chunk in chunks])
    np.testing.assert_array_equal(soundfile.read(tmp_path / "speech.wav", dtype="int16")[0], expected)


def test_speaking_plays_everything_and_reports_progress(device: Device, tmp_path: Path) -> None:
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    engine = FakeEngine()
    with served(engine) as service:
        result = with_client(
            service,
            tmp_path,
            lambda client: client.call_tool("speak", {"text": "one two", "speed": 4}, progress_callback=note),
        )
    assert not result.is_error, text_of(result)
    assert device.ended == "stop"
    assert sum(map(len, device.written)) == round(seen[-1] * 24_000) > 0
    assert seen == sorted(seen)
    assert len(seen) == 2
    assert engine.requests[0].speed == 2


@pytest.mark.parametrize("tool", ["speak", "save"])
def test_a_canceled_call_stops_its_work_and_leaves_no_file(tool: str, device: Device, tmp_path: Path) -> None:
    engine = FakeEngine(free=False)
    arguments = {"text": "one two three"} | ({"file": "speech.wav"} if tool == "save" else {})

    async def use(client: Client) -> CallToolResult:
        calling = asyncio.create_task(client.call_tool(tool, arguments))
        engine.permits.release()
        await asyncio.to_thread(wait_until, lambda: engine.spoken == ["one"], "the first word")
        calling.cancel()
        await asyncio.to_thread(wait_until, lambda: engine.canceled, "the engine to stop")
        engine.free = True
        return await client.call_tool("save", {"text": "next", "file": "next.wav"})

    with served(engine) as service:
        result = with_client(service, tmp_path, use)
    assert not result.is_error, text_of(result)
    assert [path.name for path in tmp_path.iterdir()] == ["next.wav"]
    assert device.ended == ("abort" if tool == "speak" else "")


def test_canceling_cuts_audio_that_waits_to_be_played(device: Device, tmp_path: Path) -> None:
    device.block_seconds = BLOCK_SECONDS

    async def use(client: Client) -> None:
        calling = asyncio.create_task(client.call_tool("speak", {"text": "one"}))
        await asyncio.to_thread(wait_until, lambda: device.written, "the audio to begin")
        calling.cancel()
        await asyncio.to_thread(wait_until, lambda: device.ended, "the device to be closed")

    samples = round(PATIENCE_SECONDS * 24_000)
    with served(FakeEngine(samples=samples)) as service:
        with_client(service, tmp_path, use)
    assert device.ended == "abort"
    assert sum(map(len, device.written)) < samples


def test_a_file_is_replaced_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "speech.wav"
    path.write_bytes(b"precious")
    refused = call(FakeEngine(), tmp_path, "save", text="one", file="speech.wav")
    assert refused.is_error
    assert "overwrite" in text_of(refused)
    assert path.read_bytes() == b"precious"
    assert not call(FakeEngine(), tmp_path, "save", text="one", file="speech.wav", overwrite=True).is_error
    assert path.read_bytes() != b"precious"


def test_two_calls_do_not_write_the_same_file(tmp_path: Path) -> None:
    engine = FakeEngine(free=False)
    arguments = {"text": "one", "file": "speech.wav"}

    async def use(client: Client) -> list[CallToolResult]:
        first = asyncio.create_task(client.call_tool("save", arguments))
        await asyncio.to_thread(wait_until, lambda: engine.begun, "the first call")
        second = await client.call_tool("save", arguments)
        engine.free = True
        return [await first, second]

    with served(engine) as service:
        assert [result.is_error for result in with_client(service, tmp_path, use)] == [False, True]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../speech.wav", "outside"),
        ("/tmp/speech.wav", "outside"),
        ("link/speech.wav", "outside"),
        ("dangling.wav", "outside"),
        ("missing/speech.wav", "exist"),
        ("speech.txt", ".wav"),
        ("", ".wav"),
        ("folder.wav", "exists"),
        ("a\0b.wav", "valid"),
        ("a" * 300 + ".wav", "long"),
    ],
)
def test_other_places_are_refused(name: str, expected: str, tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "folder.wav").mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "dangling.wav").symlink_to(outside / "new.wav")
    engine = FakeEngine()
    result = call(engine, folder, "save", text="one", file=name, overwrite=True)
    assert result.is_error
    assert expected in text_of(result)
    assert list(outside.iterdir()) == []
    assert engine.spoken == []


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        ({"text": "one", "voice": "nobody"}, "nobody"),
        ({"text": "one", "speed": 9}, "speed"),
        ({"text": " "}, "text"),
        ({"text": "a" * 100_001}, "100,000"),
        ({"text": 7}, "text"),
        ({}, "text"),
    ],
)
def test_bad_arguments_get_an_error(arguments: dict[str, Any], quoted: str, device: Device, tmp_path: Path) -> None:
    result = call(FakeEngine(), tmp_path, "speak", **arguments)
    assert result.is_error
    assert quoted in text_of(result)


def test_failures_are_reported_without_details_of_bugs(tmp_path: Path) -> None:
    engine = FakeEngine()
    engine.failing = {"one two": EngineError("It is damaged."), "three four": ValueError("bug")}
    assert "damaged" in text_of(call(engine, tmp_path, "save", text="one two", file="a.wav"))
    result = call(engine, tmp_path, "save", text="three four", file="a.wav")
    assert result.is_error
    assert "bug" not in text_of(result)
    assert list(tmp_path.iterdir()) == []


def test_without_an_audio_device_speaking_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(**_: object) -> None:
        raise OSError("no device")

    monkeypatch.setitem(sys.modules, "sounddevice", SimpleNamespace(OutputStream=refuse, PortAudioError=OSError))
    result = call(FakeEngine(), tmp_path, "speak", text="one")
    assert result.is_error
    assert "save" in text_of(result)
