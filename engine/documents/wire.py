"""A document as a message from the process that reads it."""

from __future__ import annotations

from base64 import b64decode, b64encode

from engine.documents.document import Chapter, Document, Matter
from engine.system.child_process import Message


def encoded(document: Document) -> Message:
    """The document as a JSON object."""
    return {
        "title": document.title,
        "author": document.author,
        "language": document.language,
        "chapters": [[each.title, each.text, each.matter, each.notes] for each in document.chapters],
        "cover": None if document.cover is None else b64encode(document.cover).decode("ascii"),
        "notices": list(document.notices),
    }


def decoded(message: Message) -> Document:
    """The document of a message."""
    cover = message["cover"]
    return Document(
        message["title"],
        message["author"],
        message["language"],
        tuple(Chapter(title, text, Matter(matter), notes) for title, text, matter, notes in message["chapters"]),
        None if cover is None else b64decode(cover),
        tuple(message["notices"]),
    )
