"""A document as a message from the process that reads it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from engine.documents.document import Chapter, Document, Look, Matter, Picture, Styled
from engine.system.child_process import Message


def encoded(document: Document) -> Message:
    """The document as a JSON object."""
    return {
        "title": document.title,
        "author": document.author,
        "language": document.language,
        "chapters": [_encoded(chapter) for chapter in document.chapters],
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
        tuple(_decoded(*chapter) for chapter in message["chapters"]),
        None if cover is None else b64decode(cover),
        tuple(message["notices"]),
    )


def _encoded(chapter: Chapter) -> list[Any]:
    styles = [[each.start, each.end, each.look, each.level] for each in chapter.styles]
    pictures = [[each.start, each.name, each.description] for each in chapter.pictures]
    return [chapter.title, chapter.text, chapter.matter, chapter.notes, styles, pictures]


def _decoded(title: str, text: str, matter: str, notes: str, styles: list[Any], pictures: list[Any]) -> Chapter:
    looks = tuple(Styled(start, end, Look(look), level) for start, end, look, level in styles)
    return Chapter(title, text, Matter(matter), notes, looks, tuple(Picture(*picture) for picture in pictures))
