"""Errors of requests, as the objects that clients of OpenAI's API expect."""

from __future__ import annotations

from typing import Any

from engine.errors import Canceled, EngineError, InvalidRequest, MissingLanguage, UnknownVoice

BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 400, 401, 403, 404
TIMED_OUT, TOO_LARGE, NOT_JSON, TOO_MANY, SERVER_FAILED, STOPPING = 408, 413, 415, 429, 500, 503
RETRY_SECONDS = 1
"""The time after which a refused client should try again, as the Retry-After header says."""


class RequestError(EngineError):
    """A refused HTTP request: its `status`, and OpenAI's `code` and `param`, the name of the field that is wrong."""

    def __init__(
        self, status: int, message: str, hint: str = "", code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.code = code
        self.param = param


def unexpected() -> EngineError:
    """Return the error for a failure of the program itself, whose details are only logged."""
    return EngineError("The server failed while speaking.", "Try again; if it fails again, run “kokoro-desk doctor”.")


def status_of(error: EngineError) -> int:
    """Return the HTTP status that tells a client the kind of error."""
    if isinstance(error, RequestError):
        return error.status
    if isinstance(error, Canceled):
        return STOPPING
    return BAD_REQUEST if isinstance(error, InvalidRequest | MissingLanguage) else SERVER_FAILED


def error_object(error: EngineError) -> dict[str, Any]:
    """Return the JSON object of an error: `message`, `type`, `param` and `code`."""
    status = status_of(error)
    kind = "server_error" if status >= SERVER_FAILED else "invalid_request_error"
    if status == TOO_MANY:
        kind = "rate_limit_error"
    param, code = (error.param, error.code) if isinstance(error, RequestError) else (None, None)
    if isinstance(error, UnknownVoice):
        param = "voice"
    return {"error": {"message": str(error), "type": kind, "param": param, "code": code}}


def error_headers(error: EngineError) -> dict[str, str]:
    """Return the HTTP headers of an error."""
    status = status_of(error)
    if status in (TOO_MANY, STOPPING):
        return {"Retry-After": str(RETRY_SECONDS)}
    return {"WWW-Authenticate": "Bearer"} if status == UNAUTHORIZED else {}
