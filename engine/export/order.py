"""What is to be exported, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.documents import Chapter, Document
from engine.speech import SpeechRequest

CHARACTERS_PER_SECOND = 15
"""How fast an English text is spoken, about."""
PART_CHARACTERS = 3000
"""So much of a chapter, about three minutes of speech, is made at a time, and lost at most by an interruption."""


@dataclass(frozen=True)
class Order:
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


def order_of_text(path: Path, request: SpeechRequest) -> Order:
    """A text that is no document, spoken into a file."""
    return Order(Document("", "", "", (Chapter("", request.text),)), request, path)


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
