"""What is spoken and who speaks it, as `Reading` knows them, and how places move while a text is edited."""

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
    """At `start`, `removed` characters gave way to `added` others."""

    start: int
    removed: int
    added: int

    def moved(self, character: int) -> int:
        """Where a character is afterwards; what was removed is where it was removed."""
        if character <= self.start:
            return character
        return max(self.start, character - self.removed) + self.added if character >= self.end else self.start

    @property
    def end(self) -> int:
        return self.start + self.removed


class Edits:
    """The edits of a text since some moment, in order."""

    def __init__(self) -> None:
        self._edits: list[_Edit] = []

    def note(self, start: int, removed: int, added: int) -> None:
        """Another edit; typing on in the same place is one edit, however long it lasts."""
        last = self._edits[-1] if self._edits else None
        if last is not None and not removed and start == last.start + last.added:
            self._edits[-1] = _Edit(last.start, last.removed, last.added + added)
        elif removed or added:
            self._edits.append(_Edit(start, removed, added))

    def now(self, character: int) -> int:
        """Where a character of the text as it was is now."""
        for edit in self._edits:
            character = edit.moved(character)
        return character

    def before(self, character: int) -> int:
        """Which character of the text as it was is there now."""
        for edit in reversed(self._edits):
            character = _Edit(edit.start, edit.added, edit.removed).moved(character)
        return character


@dataclass(eq=False)
class OwnText:
    """A text of one's own, which the editor holds; `character` is the place in it."""

    character: int = 0


@dataclass(frozen=True, eq=False)
class Spoken:
    """What a speech is of: a chapter of an open document, a text of one's own, or an item under a title of its own.

    Only speech that goes `to_end` moves the place; a selection does not. `edits` are those of its text since it began.
    """

    title: str
    owner: OpenedDocument | OwnText | None = None
    chapter: Chapter | None = None
    to_end: bool = True
    edits: Edits = field(default_factory=Edits)


class Speaker(Protocol):
    """What makes speech and plays it; implemented by `app.speech.controller.SpeechController`."""

    @property
    def source(self) -> object:
        """The `Spoken` of the latest speech, None if there is none."""

    @property
    def request(self) -> SpeechRequest | None:
        """What the latest speech was asked for with, None if there is none."""

    @property
    def text(self) -> str:
        """The text of the latest speech."""

    @property
    def playback(self) -> Playback:
        """Whether it is playing."""

    @property
    def heard_to_the_end(self) -> bool:
        """Whether it has ended by itself."""

    def speak(self, request: SpeechRequest, source: object) -> None:
        """Make and play another speech."""

    def hear_again(self, request: SpeechRequest, track: AudioTrack, source: object) -> None:
        """Play speech that is made already."""

    def hear_from(self, character: int) -> bool:
        """Play the latest speech from a character of its text on, if that is made."""

    def speak_from(self, character: int) -> None:
        """Make and play the latest speech from a character of its text on, which is not made yet."""

    def go_on(self) -> None:
        """Play on."""

    def pause(self) -> None:
        """Pause."""

    def stop(self) -> None:
        """Stop."""

    def clear(self) -> None:
        """Stop, and have no speech at all."""
