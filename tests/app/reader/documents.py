"""Documents for tests of the window, without files."""

import threading
from pathlib import Path

from app.reader.opener import OpenedDocument
from engine.documents import Chapter, Document

CHAPTERS = tuple(Chapter(f"Chapter {name}", f"Chapter {name}. It begins. It ends.") for name in ("one", "two", "three"))
DOCUMENT = Document("The Book", "Somebody", "en-GB", CHAPTERS)
OPENED = OpenedDocument(Path("/books/a.epub"), "digest", DOCUMENT)


def read(path: Path, cancel: threading.Event) -> Document:
    """Read the document, whatever the path."""
    return DOCUMENT
