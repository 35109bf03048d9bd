"""Runs the server on a port of this machine, and drops clients that stall."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import re
import socket
from collections.abc import Callable
from typing import Protocol

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.errors import EngineError, InvalidRequest
from engine.server.app import build_app
from engine.server.speaking import SpeechService

STALL_SECONDS = 60.0
"""The time in which a client has to read some of the audio that waits for it, 64 KB or less."""
HEADER_SECONDS = 20.0
"""The time in which a client has to send the header of a request."""
GRACE_SECONDS = 5
MIN_TOKEN_CHARACTERS = 16
TOKEN = re.compile(r"[\x21-\x7e]+")
HIGHEST_PORT = 65_535


class OtherServer(Protocol):
    """A server for a different protocol, which runs in the same event loop."""

    async def start(self) -> None:
        """Accept clients."""

    async def stop(self) -> None:
        """Close all connections."""

    def close(self) -> None:
        """Release the port."""


class SpeechServer:
    """A server on a port, which is reserved from the start; the `other` server, if any, runs as long as this one.

    Raises `InvalidRequest` for an address that others can reach if there is no token, and for an unusable token or
    port, and `EngineError` if the port is in use.
    """

    def __init__(
        self,
        service: SpeechService,
        host: str,
        port: int,
        token: str | None = None,
        other: OtherServer | None = None,
    ) -> None:
        check_access(host, token)
        self._service = service
        self._socket = listening_socket(host, port)
        self.url = f"{url_of('http', self._socket)}/v1"
        config = uvicorn.Config(
            build_app(service, token),
            http=_Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # the application logs its failures, and clients choose what uvicorn would log
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._server = _Server(config, service, other)

    def run(self, ready: Callable[[], None]) -> None:
        """Answer requests until `stop` or, in the main thread, an interrupt; call `ready` when the port is open."""
        self._server.ready = ready
        self._server.run([self._socket])

    def stop(self) -> None:
        """Let `run` return soon; from any thread."""
        self._server.should_exit = True

    def close(self) -> None:
        """Release the port and the model."""
        self._socket.close()
        self._service.close()


def check_access(host: str, token: str | None) -> None:
    """Raise `InvalidRequest` for an unusable or missing token."""
    if token is None:
        if not is_loopback(host):
            raise InvalidRequest(
                f"Other computers can reach {host}, so requests need a token.",
                "Set one with --token or KOKORO_DESK_TOKEN, or use --host 127.0.0.1.",
            )
    elif len(token) < MIN_TOKEN_CHARACTERS or TOKEN.fullmatch(token) is None:
        raise InvalidRequest(
            "The token can’t be used.",
            f"Choose at least {MIN_TOKEN_CHARACTERS} English letters, digits, or signs, without spaces.",
        )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the host."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def url_of(scheme: str, bound: socket.socket) -> str:
    """Return the address of a bound socket, such as `tcp://127.0.0.1:80` or `tcp://[::1]:80`."""
    address, port = bound.getsockname()[:2]
    return f"{scheme}://[{address}]:{port}" if ":" in address else f"{scheme}://{address}:{port}"


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address. Raises `EngineError` or `InvalidRequest` if that is impossible."""
    if not 0 <= port <= HIGHEST_PORT:
        raise InvalidRequest(f"The port {port} is out of range.", f"Choose one from 0 to {HIGHEST_PORT}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidRequest(f"The host “{host}” is unknown.", "Use an address of this computer.") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()  # a second server on this port fails now, and clients that come early wait
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise EngineError(
                f"Port {port} is in use.", "Quit the other program, or choose a different port."
            ) from error
        raise EngineError(
            f"The server can’t use port {port} of {host} ({error.strerror}).", "Choose a different address or port."
        ) from error
    return bound


class _Server(uvicorn.Server):
    """uvicorn's server, which reports when it is ready, and cancels all speech before it waits for its clients."""

    def __init__(self, config: uvicorn.Config, service: SpeechService, other: OtherServer | None) -> None:
        super().__init__(config)
        self.ready: Callable[[], None] = lambda: None
        self._service = service
        self._other = other

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._other is not None:
            await self._other.start()
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await asyncio.to_thread(self._service.close)
        if self._other is not None:
            await self._other.stop()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """A connection that is cut when its client does not send a request in time, or does not read the response."""

    _waiting: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # bytes that the system does not take count as unread
        self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        super().resume_writing()

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_request(self) -> None:
        self._waiting = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_answering:
            self.transport.abort()
