"""Documents for tests of the window, without files."""

import threading
from pathlib import Path

from app.reading.opener import OpenedDocument
from engine.text.documents import Chapter, Document, Matter

CHAPTERS = tuple(Chapter(f"Chapter {name}", f"Chapter {name}. It begins. It ends.") for name in ("one", "two", "three"))
DOCUMENT = Document("The Book", "Somebody", "en-GB", CHAPTERS)
OPENED = OpenedDocument(Path("/books/a.epub"), "digest", DOCUMENT)
NOTED = tuple(Chapter(each.title, each.text, notes=f"A note on {each.title}.") for each in CHAPTERS)
BOOK = Document(
    "The Whole Book",
    "Somebody",
    "en-GB",
    (
        Chapter("Contents", "Contents. One. Two.", Matter.FRONT),
        NOTED[0],
        Chapter("Plates", "Plates. A house.", Matter.FRONT),
        *NOTED[1:],
        Chapter("Index", "Index. House, see there.", Matter.BACK),
    ),
    notices=("The encoding was guessed.", "Two pages are missing, the first “b.xhtml”."),
)
"""A book of which chapters 0, 2 and 5 are usually left out."""
OPENED_BOOK = OpenedDocument(Path("/books/b.epub"), "other digest", BOOK)


def read(path: Path, cancel: threading.Event) -> Document:
    """Return the document for any path."""
    return DOCUMENT
