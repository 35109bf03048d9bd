"""What is spoken and who speaks it, as `Reading` knows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.reading.edits import Edits
from app.reading.opener import OpenedDocument
from engine.documents import Chapter
from engine.speech import SpeechRequest


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
