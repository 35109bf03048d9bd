"""Tests of the server in a separate process."""

from __future__ import annotations

import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import openai
import pytest

from engine.errors import Canceled, EngineError, MissingModel
from engine.server.events import Listening, RequestBegan, RequestEnded, ServerEvent
from engine.server.hosting import HostOptions, host, require_packages
from engine.system.remote import call
from tests.patience import PATIENCE_SECONDS


def ignore(event: ServerEvent) -> None:
    pass


def test_it_speaks_tells_and_ends_with_its_cancellation() -> None:
    told: SimpleQueue[ServerEvent] = SimpleQueue()
    cancel = threading.Event()
    with ThreadPoolExecutor() as pool:
        served = pool.submit(call, host, HostOptions(port=0), told.put, cancel=cancel)
        listening = told.get(timeout=PATIENCE_SECONDS)
        assert isinstance(listening, Listening)
        with openai.OpenAI(base_url=listening.url, api_key="unused", timeout=PATIENCE_SECONDS, max_retries=0) as client:
            given = client.audio.speech.create(model="tts-1", voice="af_heart", input="Good morning.")
        assert given.content
        began, ended = told.get(timeout=PATIENCE_SECONDS), told.get(timeout=PATIENCE_SECONDS)
        cancel.set()
        with pytest.raises(Canceled):
            served.result(PATIENCE_SECONDS)
    assert isinstance(began, RequestBegan)
    assert (began.voice, "OpenAI" in began.client) == ("Heart", True)
    assert ended == RequestEnded(began.number)
    host_name, _, port = listening.url.removeprefix("http://").removesuffix("/v1").partition(":")
    assert host_name == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host_name, int(port)))


def test_a_port_in_use_and_a_missing_model_are_reported() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(EngineError, match=str(port)):
            call(host, HostOptions(port=port), ignore)
    with pytest.raises(MissingModel):
        call(host, HostOptions(model="kokoro-82m", port=0), ignore)


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_missing_packages_are_reported(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    require_packages()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EngineError, match="pip install"):
        require_packages()
