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
class HistoryEntry:
    """An entry of the history; `begun` is in seconds since 1970.

    `seconds` is the length of its generated audio, and `kept_bytes` the size of its saved audio; 0 if there is none.
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


class QueueState(Enum):
    """The state of a queue item. Values are stored in the database; an unknown value counts as failed."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"

    @classmethod
    def _missing_(cls, value: object) -> QueueState:
        return cls.FAILED


@dataclass(frozen=True)
class QueueJob:
    """A request to a model, to be played, or saved to `target`.

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
class QueueItem:
    """A job in the queue; `message` is the reason if it failed."""

    number: int
    title: str
    job: QueueJob
    state: QueueState = QueueState.WAITING
    message: str = ""


def first_words(text: str) -> str:
    """Return the first words of a text, on one line."""
    words = " ".join(text[: 10 * TITLE_CHARACTERS].split())
    if len(words) <= TITLE_CHARACTERS:
        return words
    return f"{words[: TITLE_CHARACTERS + 1].rsplit(' ', 1)[0][:TITLE_CHARACTERS]}…"


def speech_settings_of(request: SpeechRequest) -> str:
    """Return all of a request but its text, as JSON; equal requests give equal strings."""
    values = request_fields(request)
    del values["text"]
    return json.dumps(values, sort_keys=True)


def request_of(text: str, speech_settings: str) -> SpeechRequest:
    """Return the stored request without fields that are unknown to this version, or edits that it cannot read."""
    values = {**_values(speech_settings), "text": text}
    try:
        return request_from_fields(values)
    except ValueError:  # edits or definitions of a newer version
        return request_from_fields({**values, "edits": (), "definitions": {}})


def voice_and_speed(speech_settings: str) -> tuple[str, float]:
    """Return the voice and speed in stored settings, without restoring the request."""
    values = _values(speech_settings)
    return values["voice"], values["speed"]


def _values(speech_settings: str) -> dict[str, Any]:
    """Parse stored settings. Damaged ones get an empty voice, so that the text, and all others, can still be read."""
    try:
        values = json_value(speech_settings)
    except ValueError:
        values = {}
    return {"voice": "", "speed": 1.0, **(values if isinstance(values, dict) else {})}


def key_of(request: SpeechRequest, model: str) -> str:
    """Return a key for the audio of a request; equal requests to the same model have equal keys."""
    return hashlib.sha256(
        "\0".join((request.text, speech_settings_of(request), model)).encode(errors="replace")
    ).hexdigest()


def storable(text: str) -> str:
    """Return the text with question marks for lone surrogates, which cannot be stored."""
    return text.encode(errors="replace").decode()
