"""The process that reads one document, under limits that it cannot raise: the file may be made to do harm."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from engine.documents.document import Document
from engine.documents.kinds import reader_of
from engine.documents.language_guess import language_of_document
from engine.documents.wire import encoded
from engine.errors import DamagedDocument, EngineError, OversizedDocument, UnusableDocument
from engine.system.child_process import error_fields, message_writer
from engine.system.memory import peak_bytes

MEMORY_BYTES = 1_500_000_000
PROCESSOR_SECONDS = 100
WATCH_SECONDS = 0.1
OUT_OF_MEMORY_CODE = 9


def read(path: Path) -> Document:
    """The document, read here and now; raises an `UnusableDocument`."""
    reader = import_module(f"engine.documents.{reader_of(path)}")
    try:
        document: Document = reader.read(path)
    except MemoryError as error:
        raise too_large(path.name) from error
    except OSError as error:
        raise UnusableDocument(f"“{path.name}” cannot be read ({error.strerror}).", "Choose another one.") from error
    except EngineError:
        raise
    except Exception as error:  # a library met with something that its makers did not expect
        raise DamagedDocument(
            f"“{path.name}” is damaged ({type(error).__name__}).", "Get another copy of it."
        ) from error
    if not document.chapters:
        raise UnusableDocument(f"“{path.name}” has no text.", "Choose another one.")
    text = "\n".join(chapter.text for chapter in document.chapters[:3])
    return replace(document, language=language_of_document(document.language, text))


def too_large(name: str) -> OversizedDocument:
    """The error for a document that would take too much memory or time."""
    return OversizedDocument(f"“{name}” takes more memory or time to read than a book should.", "Split it into parts.")


def _limit() -> None:
    """Allow no more memory, time and files than a book needs."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    if sys.platform == "linux":  # macOS takes this limit and does not keep it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    while peak_bytes() < MEMORY_BYTES:
        time.sleep(WATCH_SECONDS)
    os._exit(OUT_OF_MEMORY_CODE)


def main(path: Path) -> int:
    """Read a document and write it, or the error, to standard output; returns the exit code."""
    write = message_writer()
    _limit()
    try:
        write(encoded(read(path)))
    except EngineError as error:
        write(error_fields(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
