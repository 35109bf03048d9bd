"""The interface through which `Reading` plays text, and positions that move with edits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.reading.opener import OpenedDocument
from engine.speech import SpeechRequest
from engine.text.documents import Chapter


@dataclass(frozen=True)
class _Edit:
    """The replacement of `removed` characters at `start` by `added` ones."""

    start: int
    removed: int
    added: int

    def moved(self, character: int) -> int:
        """Return the position of a character after the edit; a removed one moves to the place of the removal."""
        if character <= self.start:
            return character
        return max(self.start, character - self.removed) + self.added if character >= self.end else self.start

    @property
    def end(self) -> int:
        return self.start + self.removed


class Edits:
    """The edits of a text since a certain moment, in order."""

    def __init__(self) -> None:
        self._edits: list[_Edit] = []

    def note(self, start: int, removed: int, added: int) -> None:
        """Add an edit; continuous typing in one place counts as a single edit."""
        last = self._edits[-1] if self._edits else None
        if last is not None and not removed and start == last.start + last.added:
            self._edits[-1] = _Edit(last.start, last.removed, last.added + added)
        elif removed or added:
            self._edits.append(_Edit(start, removed, added))

    def now(self, character: int) -> int:
        """Map a character of the original text to the current one."""
        for edit in self._edits:
            character = edit.moved(character)
        return character

    def before(self, character: int) -> int:
        """Map a character of the current text to the original one."""
        for edit in reversed(self._edits):
            character = _Edit(edit.start, edit.added, edit.removed).moved(character)
        return character


@dataclass(eq=False)
class OwnText:
    """The user's text, which the editor holds; `character` is the position in it."""

    character: int = 0


@dataclass(frozen=True, eq=False)
class SpeechSource:
    """The source of an utterance: a chapter of an open document, the user's text, or an item with a title.

    Only speech `to_end` moves the position; a selection does not. `edits` are those since the utterance began.
    """

    title: str
    owner: OpenedDocument | OwnText | None = None
    chapter: Chapter | None = None
    to_end: bool = True
    edits: Edits = field(default_factory=Edits)


class SpeechPlayer(Protocol):
    """The interface that generates and plays speech; implemented by `app.speech.controller.SpeechController`."""

    @property
    def source(self) -> object:
        """The `SpeechSource` of the latest utterance; None if there is none."""

    @property
    def request(self) -> SpeechRequest | None:
        """The request for the latest utterance; None if there is none."""

    @property
    def text(self) -> str:
        """The text of the latest utterance."""

    @property
    def playback(self) -> Playback:
        """The playback state."""

    @property
    def heard_to_the_end(self) -> bool:
        """True if playback has reached the end by itself."""

    @property
    def as_requested(self) -> bool:
        """True if the latest utterance is generated entirely with the requested voice, by the model in use."""

    def speak(self, request: SpeechRequest, source: object) -> None:
        """Generate and play a new utterance."""

    def hear_again(self, request: SpeechRequest, track: AudioTrack, source: object) -> None:
        """Play an utterance that has already been generated."""

    def hear_from(self, character: int) -> bool:
        """Play the latest utterance from a character of its text; return False if that is not generated yet."""

    def speak_from(self, character: int) -> None:
        """Generate and play the latest utterance from a character of its text that is not generated yet."""

    def go_on(self) -> None:
        """Resume playback."""

    def pause(self) -> None:
        """Pause playback."""

    def stop(self) -> None:
        """Stop playback."""

    def clear(self) -> None:
        """Stop, and discard the utterance."""
