"""Events of the server, for a process that displays them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Listening:
    """The port is open; `url` is the base address for clients."""

    url: str


@dataclass(frozen=True)
class RequestBegan:
    """A request that is spoken from now on: its number, the title of its voice, and its client's User-Agent header."""

    number: int
    voice: str
    client: str


@dataclass(frozen=True)
class RequestEnded:
    """The end of a request, because of an `error` unless that is empty."""

    number: int
    error: str = ""


RequestEvent = RequestBegan | RequestEnded
ServerEvent = Listening | RequestBegan | RequestEnded
