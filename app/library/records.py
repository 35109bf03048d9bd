"""Entries of the history and items of the queue, and a request as the library stores it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from engine.runtime.edit_files import request_fields, request_from_fields
from engine.speech import SpeechRequest
from engine.system.json_text import json_value

TITLE_CHARACTERS = 80


@dataclass(frozen=True)
class Entry:
    """A speech in the history; `begun` is in seconds since 1970.

    `seconds` is the length of what was made of it, 0 if nothing was; `kept_bytes` the size of its sound, 0 if that is
    not kept.
    """

    number: int
    title: str
    voice: str
    model: str
    speed: float
    begun: float
    seconds: float = 0.0
    starred: bool = False
    kept_bytes: int = 0


class State(Enum):
    """What has become of an item of the queue; the value is how it is stored, and a damaged one counts as failed."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"

    @classmethod
    def _missing_(cls, value: object) -> State:
        return cls.FAILED


@dataclass(frozen=True)
class QueueJob:
    """What is to be spoken by which model: heard, or saved to `target`.

    The text is that of `document` if there is one, and `request.text` is then empty.
    """

    request: SpeechRequest
    model: str
    target: Path | None = None
    document: Path | None = None

    @property
    def title(self) -> str:
        """The document's name, or the first words."""
        return self.document.name if self.document is not None else first_words(self.request.text[self.request.start :])


@dataclass(frozen=True)
class Item:
    """A wish in the queue; `message` says why it failed."""

    number: int
    title: str
    wish: QueueJob
    state: State = State.WAITING
    message: str = ""


def first_words(text: str) -> str:
    """The first words of a text, on one line."""
    words = " ".join(text[: 10 * TITLE_CHARACTERS].split())
    if len(words) <= TITLE_CHARACTERS:
        return words
    return f"{words[: TITLE_CHARACTERS + 1].rsplit(' ', 1)[0][:TITLE_CHARACTERS]}…"


def manner_of(request: SpeechRequest) -> str:
    """How a request is to be spoken: everything but its text; equal requests give equal lines."""
    values = request_fields(request)
    del values["text"]
    return json.dumps(values, sort_keys=True)


def request_of(text: str, manner: str) -> SpeechRequest:
    """The request that is stored like this; what another version of the program has besides is left out."""
    values = {**_values(manner), "text": text}
    try:
        return request_from_fields(values)
    except ValueError:  # edits of a newer version
        return request_from_fields({**values, "edits": ()})


def voice_and_speed(manner: str) -> tuple[str, float]:
    """What a list shows of a manner, without all of its request."""
    values = _values(manner)
    return values["voice"], values["speed"]


def _values(manner: str) -> dict[str, Any]:
    """What a manner says; one that is damaged names no voice, so that its text, and all others, can still be read."""
    try:
        values = json_value(manner)
    except ValueError:
        values = {}
    return {"voice": "", "speed": 1.0, **(values if isinstance(values, dict) else {})}


def key_of(request: SpeechRequest, model: str) -> str:
    """A name for the sound of this request, which is the same whenever it is made."""
    return hashlib.sha256("\0".join((request.text, manner_of(request), model)).encode(errors="replace")).hexdigest()


def storable(text: str) -> str:
    """The text with a question mark for halves of a character, which cannot be stored."""
    return text.encode(errors="replace").decode()
