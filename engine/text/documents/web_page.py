"""Reads HTML and complete pages saved by a browser (MHTML)."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Any

from engine.text.documents.archive import no_picture, picture_beside
from engine.text.documents.blocks import Block, chapters_of
from engine.text.documents.decoding import Decoded, decoded
from engine.text.documents.document import Document, Notices, Omission
from engine.text.documents.html_blocks import pieces_of
from engine.text.documents.html_matter import sorted_blocks
from engine.text.documents.html_notes import mark_notes
from engine.text.documents.inline import DocumentPictures
from engine.text.documents.markup import page_tree, text_of, tree_of_text
from engine.text.documents.prose import clean
from engine.text.documents.unread import Unread, letters_of, main_part

_OUTSIDE = Omission("Text around the main part of the page is skipped", "")
_MAX_FURNITURE = 300
"""The most letters around the main part of a page that are skipped without a notice."""
_SAVED = (".mht", ".mhtml")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
__all__ = ["blocks_of", "read", "tree_of"]


def read(path: Path) -> Document:
    """Read an HTML file; raises `DamagedDocument` if it is not text."""
    content = path.read_bytes()
    is_saved = path.suffix.casefold() in _SAVED
    source = _saved_page(content, path.name) if is_saved else text_of(content, path.name)
    if "\0" in source.text:
        source = decoded(content, path.name)
    root = tree_of_text(source.text)
    title = clean(" ".join("".join(root.xpath("string(//title)")).split())) or path.stem
    author = "".join(root.xpath("string(//meta[@name='author']/@content)")).strip()
    language = (root.get("lang") or root.get(_LANGUAGE) or "").strip()
    notices = Notices()
    find_picture = no_picture if is_saved else partial(picture_beside, path)
    chapters = chapters_of(blocks_of(root, notices, main=True, find_picture=find_picture), title)
    return Document(title, author, language, chapters, notices=source.notices + notices.sentences())


def tree_of(content: bytes) -> Any:
    """Parse an HTML or XHTML page, even if malformed; its element names have no namespace."""
    return page_tree(content)


def blocks_of(
    root: Any,
    notices: Notices | None = None,
    *,
    main: bool = False,
    find_picture: Callable[[str], str | None] = no_picture,
) -> list[Block]:
    """Return the headings and paragraphs below an element, in order; with `main`, only those of the main content.

    `find_picture` returns the name of the picture that the page refers to by a path.
    """
    mark_notes({"": root})
    parts = main_part(root) if main else [root]
    notices = Notices() if notices is None else notices
    if parts != [root] and letters_of([root]) > letters_of(parts) + _MAX_FURNITURE:
        notices.add(_OUTSIDE, f"which has {letters_of(parts):,} letters")
    pieces = pieces_of(parts, Unread(root), notices, pictures=DocumentPictures(find_picture))
    if not any(piece.block.text for piece in pieces):
        pieces = pieces_of(parts, Unread(root, hides=False), notices, pictures=DocumentPictures(find_picture))
    return sorted_blocks([pieces])[0]


def _saved_page(content: bytes, name: str) -> Decoded:
    """Return the page in a saved MHTML file, which is a multipart message."""
    message = message_from_bytes(content, policy=policy.default)
    pages = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    if not pages:
        return text_of(content, name)
    body = pages[0].get_payload(decode=True)
    return _text_of_part(pages[0], body if isinstance(body, bytes) else b"", name)


def _text_of_part(part: EmailMessage, body: bytes, name: str) -> Decoded:
    charset = part.get_content_charset()
    try:
        return Decoded(body.decode(charset)) if charset else text_of(body, name)
    except (LookupError, UnicodeDecodeError):
        return text_of(body, name)
