"""An export job as plain data, the speaker that it needs, and its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from engine.errors import InvalidRequest
from engine.speech import AudioChunk, Event, SpeechRequest, UtteranceEdit
from engine.text.documents import Chapter, Document

CHARACTERS_PER_SECOND = 15
"""The approximate speed of spoken English."""
PART_CHARACTERS = 3000
"""The maximum length of the parts of a chapter, about three minutes of speech; an interruption loses at most one."""
WRITING_SHARE = 0.1
"""The work of writing a character's audio, as a share of the work of generating it."""
_MIN_SECONDS = 2.0
"""The minimum time before the time left is estimated; earlier estimates are unreliable."""
NARRATED = ".epub"
"""The suffix of a book with narration."""
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png")
MAX_BYTES = 20_000_000
_BEGINNINGS = (b"\x89PNG", b"\xff\xd8")


@dataclass(frozen=True)
class ExportJob:
    """A document to speak into `path`, with the settings of a request, whose own text is ignored.

    The request may give the range of the only chapter to speak, and its edits; `edits` are those of each chapter.

    With `per_chapter`, each chapter gets a separate file in the format of `path`, in a folder with the name of `path`.
    `subtitles` are also written: into that file, or beside each chapter's file in the format of its suffix. If `path`
    is an EPUB, it becomes a copy of the `book` that the document was read from, with narration.
    """

    document: Document
    speech_settings: SpeechRequest
    path: Path
    per_chapter: bool = False
    subtitles: Path | None = None
    edits: tuple[tuple[UtteranceEdit, ...], ...] = ()
    book: Path | None = None

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters to speak."""
        return self.document.chapters

    @property
    def only_request(self) -> SpeechRequest | None:
        """The only request, if its audio is the whole result; None for several chapters, subtitles, or a book."""
        alone = len(self.chapters) == 1 and self.subtitles is None and self.book is None
        return replace(self.speech_settings_of(0), text=self.chapters[0].text) if alone else None

    def speech_settings_of(self, chapter: int) -> SpeechRequest:
        """Return the request that gives the settings of a chapter and its edits."""
        return replace(self.speech_settings, edits=self.edits[chapter]) if self.edits else self.speech_settings

    @property
    def seconds(self) -> float:
        """The approximate length of the audio."""
        whole, (start, end) = self.document.characters, (self.speech_settings.start, self.speech_settings.end)
        return ((whole if end is None else end) - start) / CHARACTERS_PER_SECOND / self.speech_settings.speed

    @property
    def result(self) -> Path:
        """The resulting file, or folder of files."""
        return self.path.with_suffix("") if self.per_chapter else self.path


def order_of_text(path: Path, request: SpeechRequest) -> ExportJob:
    """Return a job that speaks a text that is not a document into a file."""
    return ExportJob(Document("", "", "", (Chapter("", request.text),)), request, path)


def joined(documents: Sequence[Document]) -> Document:
    """Join documents into one, with consecutive chapters, and the first's title and author, and the first cover.

    The notices of all are included, once each, with the title of their document.
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
    """Return the chapters; the only chapter of a document gets the document's title."""
    if len(document.chapters) > 1 or not document.title:
        return document.chapters
    return (replace(document.chapters[0], title=document.title),)


@dataclass(frozen=True)
class ExportProgress:
    """The progress of an export: the current `step`, and the `fraction` done of the work left at the start.

    `seconds_left` is None while unknown; `seconds_written` is the length of the audio in the files; `unmarked_words` is
    the number of words of a narrated book that were not found in its pages.
    """

    step: str
    fraction: float
    seconds_left: float | None
    seconds_written: float = 0.0
    unmarked_words: int = 0


class Meter:
    """Measures progress in `total` units of work, on one thread; the caller sets its public attributes."""

    def __init__(self, total: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = max(total, 1.0)
        self._clock = clock
        self._began = clock()
        self._done = 0.0
        self.seconds_written = 0.0
        self.unmarked_words = 0

    def add(self, units: float) -> None:
        """Count `units` as done."""
        self._done = min(self._done + units, self._total)

    def progress(self, step: str) -> ExportProgress:
        """Return the current progress."""
        seconds = self._clock() - self._began
        known = self._done > 0 and seconds >= _MIN_SECONDS
        left = seconds * (self._total - self._done) / self._done if known else None
        return ExportProgress(step, self._done / self._total, left, self.seconds_written, self.unmarked_words)


class ExportSynthesizer(Protocol):
    """The parts of the engine that an export needs; implemented by `engine.runtime.synthesizer.Synthesizer`."""

    sample_rate_hz: int

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        """Prepare to speak; does nothing if ready."""

    def fingerprint(self, voice: str) -> str:
        """Return a value for everything besides the request that affects the samples of a voice.

        Raises `InvalidRequest` for an unknown voice.
        """

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        """Generate speech, one utterance at a time."""


def is_cover(picture: bytes) -> bool:
    """Return whether players show this as a cover: JPEG or PNG."""
    return picture.startswith(_BEGINNINGS)


def read_cover(path: Path) -> bytes:
    """Return a picture in JPEG or PNG.

    Raises `InvalidRequest` for other formats and files larger than `MAX_BYTES`.
    """
    try:
        if path.exists() and not path.is_file():  # opening a pipe waits for a writer
            raise InvalidRequest(f"{path} isn’t a file.", "Choose a picture.")
        with path.open("rb") as file:
            picture = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{path} can’t be read ({error.strerror}).", "Choose a picture.") from error
    if not is_cover(picture):
        raise InvalidRequest(f"{path} is neither JPEG nor PNG.", "Convert it first, or choose a different picture.")
    if len(picture) > MAX_BYTES:
        raise InvalidRequest(f"{path} is larger than {MAX_BYTES // 1_000_000} MB.", "Choose a smaller picture.")
    return picture
