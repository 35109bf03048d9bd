"""Reads a document of a kind that can be read, in a process of its own, which ends in time whatever is in the file."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

from engine.errors import DamagedDocument, OversizedDocument, UnusableDocument
from engine.system.child_process import ChildProcess, python_command
from engine.text.documents.document import Document, decoded

LARGEST_TEXT_BYTES = 32_000_000
"""The Bible has 5 MB."""
LARGEST_FILE_BYTES = 1_000_000_000
"""Of kinds that also hold pictures."""
_TEXT, _MARKDOWN, _PAGE, _SUBTITLES = "plain_text", "markdown_text", "web_page", "subtitle_file"
_WORD, _BOOK = "word_file", "ebook"
_READERS = {
    ".txt": _TEXT, ".text": _TEXT, ".md": _MARKDOWN, ".markdown": _MARKDOWN, ".html": _PAGE, ".htm": _PAGE,
    ".xhtml": _PAGE, ".mht": _PAGE, ".mhtml": _PAGE, ".docx": _WORD, ".docm": _WORD, ".dotx": _WORD, ".dotm": _WORD,
    ".epub": _BOOK, ".pdf": "pdf_file", ".srt": _SUBTITLES, ".vtt": _SUBTITLES,
}  # fmt: skip
_OTHERS = frozenset({
    ".doc", ".odt", ".rtf", ".pages", ".mobi", ".azw", ".azw3", ".kfx", ".fb2", ".djvu", ".xls", ".xlsx", ".ods",
    ".ppt", ".pptx", ".odp", ".zip", ".gz", ".7z", ".rar", ".tar", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".tif",
    ".tiff", ".mp3", ".wav", ".flac", ".ogg", ".m4a", ".m4b", ".mp4", ".exe", ".dmg",
})  # fmt: skip
SUFFIXES = tuple(_READERS)
WORKER = "engine.text.documents.worker"
OUT_OF_MEMORY_CODE = 9
LONGEST_SECONDS = 120.0
"""A book of a thousand pages takes a few seconds."""


def reader_of(path: Path) -> str:
    """The module that reads a file; one with a suffix that says nothing is read as plain text.

    Raises `UnusableDocument` for a kind that is known to be another.
    """
    suffix = path.suffix.casefold()
    if suffix in _OTHERS:
        raise UnusableDocument(
            f"“{path.name}” is of a kind that cannot be read.", "Save it as a .docx, .epub, .pdf, .html or .txt first."
        )
    return _READERS.get(suffix, _TEXT)


def is_archive(path: Path) -> bool:
    """Whether a document holds its pictures itself, by names."""
    return reader_of(path) in (_BOOK, _WORD)


def largest_bytes(path: Path) -> int:
    """The largest file of this kind that is read."""
    is_text = reader_of(path) in (_TEXT, _MARKDOWN, _PAGE, _SUBTITLES)
    return LARGEST_TEXT_BYTES if is_text else LARGEST_FILE_BYTES


def read_document(path: Path, cancel: threading.Event | None = None) -> Document:
    """The text of a document by chapters: plain text, Markdown, HTML, DOCX, EPUB or PDF, by the file's suffix.

    Its headings and emphasis are told by their places in the text, its pictures by names for `read_picture`.
    Raises `UnusableDocument` or one of its children with one sentence about the file, and `Cancelled` soon after
    `cancel` is set.
    """
    path = path.absolute()
    _check(path)
    ends = time.monotonic() + LONGEST_SECONDS

    def check_time() -> None:
        if time.monotonic() > ends:
            raise too_large(path.name)

    with ChildProcess(python_command(WORKER, str(path))) as child:
        for message in child.messages(cancel, check_time):
            return decoded(message)
        raise _ended(path.name, child.wait())


def too_large(name: str) -> OversizedDocument:
    """The error for a document that would take too much memory or time."""
    return OversizedDocument(f"“{name}” takes more memory or time to read than a book should.", "Split it into parts.")


def _check(path: Path) -> None:
    """Raise `UnusableDocument` for what need not be opened to know that it cannot be read."""
    try:
        is_file, size = path.is_file(), path.stat().st_size
        if is_file:  # opening a pipe waits until somebody writes into it
            with path.open("rb"):
                pass
    except FileNotFoundError as error:
        raise UnusableDocument(f"“{path.name}” can’t be found in {path.parent}.", "Open it where it is now.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnusableDocument(f"“{path.name}” cannot be read ({reason}).", "Choose another one.") from error
    if path.is_dir():
        raise UnusableDocument(f"“{path.name}” is a folder.", "Choose a file in it.")
    if not is_file:
        raise UnusableDocument(f"“{path.name}” is not a file.", "Choose a file.")
    if size > (limit := largest_bytes(path)):
        raise OversizedDocument(
            f"“{path.name}” has {size / 1e6:,.0f} MB, more than the {limit / 1e6:,.0f} MB that are read.",
            "Split it into parts.",
        )


def _ended(name: str, code: int) -> UnusableDocument:
    """The error for a process that ended without a word."""
    if code in (OUT_OF_MEMORY_CODE, -signal.SIGXCPU, -signal.SIGKILL):
        return too_large(name)
    return DamagedDocument(f"“{name}” is damaged: what reads it has crashed.", "Get another copy of it.")
