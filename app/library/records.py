"""Entries of the history and items of the queue, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engine.speech import SpeechRequest

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
class Wish:
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
    wish: Wish
    state: State = State.WAITING
    message: str = ""


def first_words(text: str) -> str:
    """The first words of a text, on one line."""
    words = " ".join(text[: 10 * TITLE_CHARACTERS].split())
    if len(words) <= TITLE_CHARACTERS:
        return words
    return f"{words[: TITLE_CHARACTERS + 1].rsplit(' ', 1)[0][:TITLE_CHARACTERS]}…"
