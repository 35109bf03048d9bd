"""A request as the library stores it: its text, and everything else as one line of JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from typing import Any

from engine.speech import SpeechRequest
from engine.system.json_text import json_value


def manner_of(request: SpeechRequest) -> str:
    """How a request is to be spoken: everything but its text; equal requests give equal lines."""
    values = asdict(request)
    del values["text"]
    return json.dumps(values, sort_keys=True)


def request_of(text: str, manner: str) -> SpeechRequest:
    """The request that is stored like this; what another version of the program has besides is left out."""
    known = {field.name for field in fields(SpeechRequest)}
    return SpeechRequest(text, **{name: value for name, value in _values(manner).items() if name in known})


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
