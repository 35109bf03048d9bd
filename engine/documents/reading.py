"""Reads a document in a process of its own, which ends in time whatever is in the file."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

from engine.documents.document import Document
from engine.documents.kinds import largest_bytes
from engine.documents.wire import decoded
from engine.documents.worker import OUT_OF_MEMORY_CODE, too_large
from engine.errors import DamagedDocument, OversizedDocument, UnusableDocument
from engine.system.child_process import ChildProcess, python_command

WORKER = "engine.documents.worker"
LONGEST_SECONDS = 120.0
"""A book of a thousand pages takes a few seconds."""


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
