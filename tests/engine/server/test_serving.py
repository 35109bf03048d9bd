"""Tests of addresses, ports, and tokens."""

from __future__ import annotations

import socket

import pytest

from engine.errors import EngineError, InvalidRequest
from engine.server.serving import SpeechServer, is_loopback
from engine.server.speaking import SpeechService
from tests.engine.server.running import FakeEngine

TOKEN = "correct-horse-battery"


def server(host: str = "127.0.0.1", port: int = 0, token: str | None = None) -> SpeechServer:
    return SpeechServer(SpeechService(FakeEngine()), host, port, token)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
def test_loopback_addresses_need_no_token(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.com", ""])
def test_other_addresses_need_a_token(host: str) -> None:
    with pytest.raises(InvalidRequest, match="token"):
        server(host)


def test_with_a_token_others_can_reach_the_server() -> None:
    opened = server("0.0.0.0", token=TOKEN)
    assert opened.url.startswith("http://0.0.0.0:")
    opened.close()


@pytest.mark.parametrize(
    "token", ["", "short", "with spaces in between", "with-ünïcödé-letters", "line\nbreak-in-a-token"]
)
def test_unusable_tokens_are_refused(token: str) -> None:
    with pytest.raises(InvalidRequest, match="token"):
        server(token=token)


def test_a_port_in_use_is_refused() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(EngineError, match=f"Port {port} is in use"):
            server(port=port)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_out_of_range_is_refused(port: int) -> None:
    with pytest.raises(InvalidRequest, match="port"):
        server(port=port)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "203.0.113.1"])
def test_an_address_of_a_different_computer_is_refused(host: str) -> None:
    with pytest.raises(EngineError, match=r"--host|address"):
        server(host, token=TOKEN)
