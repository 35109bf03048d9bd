"""The exportable parts of the open document: a book, a chapter, a text or a selection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from app.main_window import MainWindow
from app.reading.reading import EditsOf, no_edits
from app.widgets.file_dialogs import suggested_name
from engine.export.export_job import NARRATED, ExportJob
from engine.runtime.edits import planned_text
from engine.speech import SpeechRequest, UtteranceEdit
from engine.text.documents import Chapter, Document

Part = tuple[str, Document | SpeechRequest]
"""The title of a part of the open document in the window, and the part."""


@dataclass(frozen=True)
class Scope:
    """A document with a title for the dialog and a request that gives voice, speed and pauses; its text is ignored.

    `edits` are those of each chapter, or the request has those of its only text; `book` is the EPUB of the document.
    """

    title: str
    document: Document
    speech_settings: SpeechRequest
    edits: tuple[tuple[UtteranceEdit, ...], ...] = ()
    book: Path | None = None


def scope_of(
    part: Part, speech_settings: SpeechRequest, edits_of: EditsOf = no_edits, path: Path | None = None
) -> Scope:
    """Return the scope of a document with these settings, or of a request with its own, titled by its first words.

    `edits_of` returns the edits of a chapter's text; `path` is the file of a document.
    """
    title, content = part
    if isinstance(content, Document):
        edits = tuple(edits_of(chapter.text) for chapter in content.chapters)
        book = path if path is not None and path.suffix.lower() == NARRATED else None
        return Scope(title, content, speech_settings, edits if any(edits) else (), book)
    spoken = content.part if content.part.strip() else ""
    if spoken and planned_text(content) != content:  # an edit reaches across its ends
        document = Document(_first_line(spoken), "", "", (Chapter("", content.text),))
        return Scope(title, document, replace(content, text=""))
    document = Document(_first_line(spoken), "", "", (Chapter("", spoken),))
    return Scope(title, document, replace(content, text="", start=0, end=None, edits=tuple(_edits_in(content))))


def _edits_in(request: SpeechRequest) -> Iterator[UtteranceEdit]:
    """Yield the edits in the part to speak, by their position in it."""
    end = len(request.text) if request.end is None else request.end
    for each in request.edits:
        if request.start <= each.start < end:
            yield replace(each, start=each.start - request.start)


def scope_of_order(order: ExportJob) -> Scope:
    """Return the scope of an earlier job."""
    return Scope(order.result.name, order.document, order.speech_settings, order.edits, order.book)


def parts_of(window: MainWindow) -> list[Part]:
    """Return the open document, its chapter on display and the selection.

    Raises `InvalidRequest` if no chapter is selected.
    """
    reading, request, selection = window.reading, window.request, window.page.view.selection
    book, chapter = reading.chosen_document, reading.chapter
    parts: list[Part] = [("Text", request) if book is None else (f"Book: {_titled(book, reading.document)}", book)]
    if book is not None and chapter is not None and book.text != chapter.text:
        title = chapter.title or _first_line(chapter.text)
        parts.append((f"Chapter: {title}", replace(book, title=title, chapters=(chapter,))))
    if selection is not None:
        selected = replace(request, start=selection[0], end=selection[1])
        parts.append((f"Selection: “{_first_line(selected.part)}…”", selected))
    return parts


def _titled(book: Document, whole: Document | None) -> str:
    """Return a title, with the number of selected chapters unless all are selected."""
    read, of_all = len(book.chapters), len(whole.chapters) if whole is not None else 0
    return f"{book.title} ({read} of {of_all} chapters)" if read < of_all else book.title


def _first_line(text: str) -> str:
    return Path(suggested_name(text)).stem
