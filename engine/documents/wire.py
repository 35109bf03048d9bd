"""A document as a message from the process that reads it."""

from __future__ import annotations

from base64 import b64decode, b64encode

from engine.documents.document import Chapter, Document
from engine.system.child_process import Message


def encoded(document: Document) -> Message:
    """The document as a JSON object."""
    return {
        "title": document.title,
        "author": document.author,
        "language": document.language,
        "chapters": [[chapter.title, chapter.text] for chapter in document.chapters],
        "cover": None if document.cover is None else b64encode(document.cover).decode("ascii"),
    }


def decoded(message: Message) -> Document:
    """The document of a message."""
    cover = message["cover"]
    return Document(
        message["title"],
        message["author"],
        message["language"],
        tuple(Chapter(title, text) for title, text in message["chapters"]),
        None if cover is None else b64decode(cover),
    )
