"""What is to be exported, as plain data, who speaks it, and how far that is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from engine.errors import InvalidRequest
from engine.speech import AudioChunk, Event, SpeechRequest
from engine.text.documents import Chapter, Document

CHARACTERS_PER_SECOND = 15
"""How fast an English text is spoken, about."""
PART_CHARACTERS = 3000
"""So much of a chapter, about three minutes of speech, is made at a time, and lost at most by an interruption."""
WRITING_SHARE = 0.1
"""Writing a character's speech counts as much as making this share of it."""
_MIN_SECONDS = 2.0
"""The time left is told only after this long: before, it says nothing."""
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png")
LARGEST_BYTES = 20_000_000
_BEGINNINGS = (b"\x89PNG", b"\xff\xd8")


@dataclass(frozen=True)
class ExportJob:
    """A document, spoken in the manner of a request whose own text does not count, into `path`.

    With `per_chapter` each chapter gets a file of its own, of the format of `path`, in a folder named as `path` is.
    `subtitles` are written, too: into that file, or beside the file of each chapter in the format of its suffix.
    """

    document: Document
    manner: SpeechRequest
    path: Path
    per_chapter: bool = False
    subtitles: Path | None = None

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """What is to be spoken."""
        return self.document.chapters

    @property
    def only_request(self) -> SpeechRequest | None:
        """The request whose sound is all that is wanted, or None for several chapters, or subtitles."""
        alone = len(self.chapters) == 1 and self.subtitles is None
        return replace(self.manner, text=self.chapters[0].text) if alone else None

    @property
    def seconds(self) -> float:
        """About how long the speech becomes."""
        return self.document.characters / CHARACTERS_PER_SECOND / self.manner.speed

    @property
    def result(self) -> Path:
        """The file, or the folder of files, that comes of it."""
        return self.path.with_suffix("") if self.per_chapter else self.path


def order_of_text(path: Path, request: SpeechRequest) -> ExportJob:
    """A text that is no document, spoken into a file."""
    return ExportJob(Document("", "", "", (Chapter("", request.text),)), request, path)


def joined(documents: Sequence[Document]) -> Document:
    """Several documents as one, whose chapters follow each other; its title, author and cover are the first's.

    Its notices are those of all, once each, with the title of the document that they are about.
    """
    first = documents[0]
    if len(documents) == 1:
        return first
    chapters = tuple(chapter for document in documents for chapter in _titled(document))
    cover = next((document.cover for document in documents if document.cover), None)
    notices = dict.fromkeys(notice for document in documents for notice in _placed(document))
    return replace(first, chapters=chapters, cover=cover, notices=tuple(notices))


def _placed(document: Document) -> tuple[str, ...]:
    place = f"“{document.title}”: " if document.title else ""
    return tuple(f"{place}{notice}" for notice in document.notices)


def _titled(document: Document) -> tuple[Chapter, ...]:
    """The chapters; that of a document that has no more than one bears the document's title."""
    if len(document.chapters) > 1 or not document.title:
        return document.chapters
    return (replace(document.chapters[0], title=document.title),)


@dataclass(frozen=True)
class ExportProgress:
    """`step` says what goes on; `fraction` of the work that was left at the beginning is done.

    `seconds_left` is None while it is unknown; `seconds_written` is how much audio the files have so far.
    """

    step: str
    fraction: float
    seconds_left: float | None
    seconds_written: float = 0.0


class Meter:
    """Counts what is done of `total` units of work, on one thread, and what `seconds_written` is told to be."""

    def __init__(self, total: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = max(total, 1.0)
        self._clock = clock
        self._began = clock()
        self._done = 0.0
        self.seconds_written = 0.0

    def add(self, units: float) -> None:
        """So much more is done."""
        self._done = min(self._done + units, self._total)

    def progress(self, step: str) -> ExportProgress:
        """Where it is now."""
        seconds = self._clock() - self._began
        known = self._done > 0 and seconds >= _MIN_SECONDS
        left = seconds * (self._total - self._done) / self._done if known else None
        return ExportProgress(step, self._done / self._total, left, self.seconds_written)


class Speaker(Protocol):
    """What an export needs of the engine; implemented by `engine.runtime.synthesizer.Synthesizer`."""

    sample_rate_hz: int

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        """Get ready to speak; does nothing if it is ready."""

    def fingerprint(self, voice: str) -> str:
        """What, besides the request, the samples depend on."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        """Make speech, one utterance at a time."""


def is_cover(picture: bytes) -> bool:
    """Whether players show this as a cover: JPEG or PNG."""
    return picture.startswith(_BEGINNINGS)


def read_cover(path: Path) -> bytes:
    """A picture in JPEG or PNG; raises `InvalidRequest` for anything else, or more than `LARGEST_BYTES`."""
    try:
        if path.exists() and not path.is_file():  # opening a pipe waits until somebody writes into it
            raise InvalidRequest(f"{path} is not a file.", "Choose a picture.")
        with path.open("rb") as file:
            picture = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read ({error.strerror}).", "Choose a picture.") from error
    if not is_cover(picture):
        raise InvalidRequest(f"{path} is neither JPEG nor PNG.", "Convert it first, or choose a different picture.")
    if len(picture) > LARGEST_BYTES:
        raise InvalidRequest(f"{path} is larger than {LARGEST_BYTES // 1_000_000} MB.", "Choose a smaller picture.")
    return picture
