"""The routes of the server, and what happens to a request on its way to them."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.errors import Canceled, EngineError
from engine.server.errors import (
    BAD_REQUEST,
    FORBIDDEN,
    NOT_FOUND,
    NOT_JSON,
    TIMED_OUT,
    TOO_LARGE,
    UNAUTHORIZED,
    RequestError,
    error_headers,
    error_object,
    status_of,
    unexpected,
)
from engine.server.requests import MODEL_ALIASES, client_name, read_order
from engine.server.speaking import Job, SpeechService
from engine.server.streams import EventBody, error_event

log = logging.getLogger(__name__)
MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_DISCARDED_BYTES = 64 * 1024 * 1024
"""The limit on bytes that are read and forgotten, so that a client that sends too much reads the answer."""
BODY_SECONDS = 20.0
"""The time in which a client has to send its whole request."""
MAX_SENT_BYTES = 64 * 1024
LOCAL_NAMES = frozenset({"localhost", "host.docker.internal"})
"""The names under which programs on this machine reach a loopback address."""
HOST = re.compile(r"(?P<name>\[[^\]]*\]|[^:]*)(?::\d*)?")
TOKEN_PARAMETERS = frozenset({"token", "access_token", "api_key", "apikey", "api-key", "key"})


def build_app(service: SpeechService, token: str | None = None) -> ASGIApp:
    """Return the server's application; with a `token`, requests need it, without one, they have to be local."""

    async def models(request: Request) -> Response:
        return _json({"object": "list", "data": _models(service)})

    async def audio_models(request: Request) -> Response:
        return _json({"models": [{"id": each["id"]} for each in _models(service)]})

    async def voices(request: Request) -> Response:
        return _json({"voices": [{"id": voice.name, "name": voice.title} for voice in service.voices()]})

    async def health(request: Request) -> Response:
        return _json({"status": "ok", "model": service.model})

    app = Starlette(
        routes=[
            Route("/v1/audio/speech", SpeechEndpoint(service), methods=["POST"]),
            Route("/v1/models", models),
            Route("/v1/audio/models", audio_models),
            Route("/v1/audio/voices", voices),
            Route("/health", health),
        ],
        exception_handlers={HTTPException: _on_http_error, Exception: _on_failure},
    )
    return Guard(app, token)


def _models(service: SpeechService) -> list[dict[str, Any]]:
    names = (service.model, *MODEL_ALIASES)
    return [{"id": name, "object": "model", "created": 0, "owned_by": "kokoro-desk"} for name in names]


class Incoming:
    """The messages of a client: its request, and finally that it has left; `ended` is true once either has ended."""

    def __init__(self, receive: Receive) -> None:
        self.ended = False
        self._receive = receive

    async def __call__(self) -> Message:
        """Return the next message."""
        message = await self._receive()
        self.ended = message["type"] == "http.disconnect" or not message.get("more_body", False)
        return message

    async def discard(self) -> None:
        """Read and forget the rest of the request, unless it is too long or takes too long."""
        count = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(BODY_SECONDS):
                while not self.ended and count < MAX_DISCARDED_BYTES:
                    count += len((await self()).get("body", b""))


class Guard:
    """Refuses requests without the token, or, if there is none, those that name a different host than this one.

    A page in a browser can give an outside name to a loopback address; its requests carry that name.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            return
        incoming = Incoming(receive)
        request = Request(scope, incoming)
        try:
            self._check(request)
        except RequestError as error:
            await refuse(error, request, incoming, send)
            return
        await self._app(scope, incoming, send)

    def _check(self, request: Request) -> None:
        if not TOKEN_PARAMETERS.isdisjoint(name.lower() for name in request.query_params):
            raise RequestError(
                BAD_REQUEST,
                "An address can’t contain a token.",
                "Send it as “Authorization: Bearer”.",
            )
        if self._token is None:
            if not _is_local(request.headers.get("host", "")):
                raise RequestError(FORBIDDEN, "This server answers programs on this computer only.", "Use 127.0.0.1.")
        elif request.scope["path"] != "/health" and not self._has_token(request):
            raise RequestError(
                UNAUTHORIZED, "The token is missing or wrong.", "Send it as “Authorization: Bearer”.", "invalid_api_key"
            )

    def _has_token(self, request: Request) -> bool:
        assert self._token is not None
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token.encode())


def _is_local(host: str) -> bool:
    """Return whether a Host header, which may include a port, names this computer."""
    match = HOST.fullmatch(host)
    name = match["name"].strip("[]").lower() if match else ""
    try:
        return name in LOCAL_NAMES or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class SpeechEndpoint:
    """Answers `POST /v1/audio/speech` with audio, or with events."""

    def __init__(self, service: SpeechService) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        assert isinstance(receive, Incoming)
        request = Request(scope, receive)
        try:
            with self._service.place():
                _check_json(request)
                order = read_order(await read_body(request), self._service.model, self._service.voices())
                with self._service.job(order, client_name(request.headers.get("user-agent", ""))) as job:
                    async with _watched(job, receive, self._service):
                        await self._answer(job, send)
        except ClientDisconnect:
            return
        except EngineError as error:
            await refuse(error, request, receive, send)

    async def _answer(self, job: Job, send: Send) -> None:
        """Send the response as it grows; errors before its first bytes are raised, later ones end it early."""
        part = await job.next_bytes()
        await send(_start(job.media_type))
        try:
            while part is not None:
                self._service.resume()
                await _send_body(part, send)
                part = await job.next_bytes()
        except EngineError as error:
            if isinstance(error, Canceled) or job.media_type != EventBody.media_type:
                return  # the incomplete response is the only sign that a client of audio can notice
            await _send_body(error_event(error), send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@asynccontextmanager
async def _watched(job: Job, receive: Receive, service: SpeechService) -> AsyncIterator[None]:
    """Cancel the job as soon as its client disconnects."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        job.cancel.set()
        service.resume()

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def _start(media_type: str) -> Message:
    headers = [(b"content-type", media_type.encode()), (b"cache-control", b"no-store")]
    return {"type": "http.response.start", "status": 200, "headers": headers}


async def _send_body(content: bytes, send: Send) -> None:
    for start in range(0, len(content), MAX_SENT_BYTES):
        piece = content[start : start + MAX_SENT_BYTES]
        await send({"type": "http.response.body", "body": piece, "more_body": True})


def _check_json(request: Request) -> None:
    """Raise `RequestError` for any type but JSON: pages of other sites can send the others without being asked."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise RequestError(NOT_JSON, "The request isn’t marked as JSON.", "Send “Content-Type: application/json”.")


async def read_body(request: Request) -> bytes:
    """Return the body of a request. Raises `RequestError` if it is too long or takes too long to arrive."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    limit = f"{MAX_BODY_BYTES // 1024**2} MB"
                    raise RequestError(TOO_LARGE, "The request is too long.", f"Send at most {limit}.", param="input")
    except TimeoutError as error:
        raise RequestError(TIMED_OUT, "The request took too long to arrive.", "Send it without a break.") from error
    return bytes(body)


async def refuse(error: EngineError, request: Request, incoming: Incoming, send: Send) -> None:
    """Answer with an error after the rest of the request, so that the client reads it; cut off an endless one."""
    if status_of(error) != TIMED_OUT:
        await incoming.discard()
    response = _error_response(error)
    if not incoming.ended:
        response.headers["Connection"] = "close"
    await response(request.scope, incoming, send)


def _json(content: Any, status: int = 200) -> Response:
    """Return a response whose body is in ASCII: messages quote what clients send, which may not be valid Unicode."""
    return Response(json.dumps(content), status, {"Cache-Control": "no-store"}, "application/json")


def _error_response(error: EngineError) -> Response:
    response = _json(error_object(error), status_of(error))
    response.headers.update(error_headers(error))
    return response


async def _on_http_error(request: Request, error: Exception) -> Response:
    """Answer unknown addresses and methods."""
    assert isinstance(error, HTTPException)
    known = error.status_code != NOT_FOUND
    problem = RequestError(
        error.status_code,
        "This address doesn’t accept the method." if known else "This address doesn’t exist.",
        "Use POST /v1/audio/speech, GET /v1/models, or GET /v1/audio/voices.",
    )
    return _error_response(problem)


async def _on_failure(request: Request, error: Exception) -> Response:
    """Answer a request that failed because of a bug, which is logged."""
    log.error("A request failed.", exc_info=error)
    return _error_response(unexpected())
