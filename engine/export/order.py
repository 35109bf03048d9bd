"""What is to be exported, and the files that come of it, as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.audio.recording import Tags
from engine.audio.sound_file import format_for
from engine.documents import Chapter, Document
from engine.errors import OutputError
from engine.speech import SpeechRequest
from engine.system.whole_file import ensure_writable

_NAME_CHARACTERS = 80
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]+')


@dataclass(frozen=True)
class Order:
    """A document, spoken in the manner of a request whose own text does not count, into `path`.

    With `per_chapter` each chapter gets a file of its own, of the format of `path`, in a folder named as `path` is.
    """

    document: Document
    manner: SpeechRequest
    path: Path
    per_chapter: bool = False

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """What is to be spoken."""
        return self.document.chapters


@dataclass(frozen=True)
class Output:
    """A file and the chapters, by index, that are to be in it."""

    path: Path
    tags: Tags
    chapters: range


def outputs_of(order: Order) -> tuple[Output, ...]:
    """The files that are to be written, in order."""
    document, count = order.document, len(order.chapters)
    tags = Tags(document.title, document.author, cover=document.cover)
    if not order.per_chapter:
        return (Output(order.path, tags, range(count)),)
    folder, digits = order.path.with_suffix(""), len(str(count))
    return tuple(
        Output(
            folder / f"{f'{number:0{digits}} {file_name(chapter.title)}'.strip()}{order.path.suffix}",
            replace(tags, title=chapter.title, album=document.title, track=number),
            range(number - 1, number),
        )
        for number, chapter in enumerate(order.chapters, 1)
    )


def check_writable(path: Path, *, per_chapter: bool = False) -> None:
    """Raise `OutputError` for a suffix that names no format or a place that cannot be written; make the folder."""
    format_for(path)
    if not per_chapter:
        ensure_writable(path)
        return
    folder = path.with_suffix("")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {folder} cannot be made ({error.strerror}).", "Choose another name.") from error
    ensure_writable(folder / path.name)


def file_name(title: str) -> str:
    """A title as the name of a file, on any system."""
    return " ".join(_FORBIDDEN.sub(" ", title).split())[:_NAME_CHARACTERS].strip(" .")


def joined(documents: Sequence[Document]) -> Document:
    """Several documents as one, whose chapters follow each other; its title, author and cover are the first's."""
    first = documents[0]
    if len(documents) == 1:
        return first
    chapters = tuple(chapter for document in documents for chapter in _titled(document))
    cover = next((document.cover for document in documents if document.cover), None)
    return replace(first, chapters=chapters, cover=cover)


def _titled(document: Document) -> tuple[Chapter, ...]:
    """The chapters; that of a document that has no more than one bears the document's title."""
    if len(document.chapters) > 1 or not document.title:
        return document.chapters
    return (replace(document.chapters[0], title=document.title),)
