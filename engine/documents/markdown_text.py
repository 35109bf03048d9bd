"""Reads Markdown, by way of HTML."""

from __future__ import annotations

import re
from pathlib import Path

from markdown_it import MarkdownIt

from engine.documents.blocks import chapters_of
from engine.documents.decoding import decoded
from engine.documents.document import Document
from engine.documents.web_page import blocks_of, tree_of

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)
_PRONUNCIATION = re.compile(r"\[([^\[\]\n]+)\](\(/[^()\n\x80-\U0010ffff]*[^\x00-\x7f][^()\n]*/\))")
"""A word with its phonemes looks like a link; it is kept as it is."""
_NOTE = re.compile(r"^\[\^[^\]\n]+\]:.*(?:\n[ \t]+\S.*)*", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^[^\[\]\n]+\]")


def read(path: Path) -> Document:
    """The document in a Markdown file; raises `DamagedDocument` if it is not text."""
    source = decoded(path.read_bytes(), path.name)
    text = source.text
    front = _FRONT_MATTER.match(text)
    body = _NOTE_MARK.sub("", _NOTE.sub("", text[front.end() :] if front else text))
    body = _PRONUNCIATION.sub(r"\\[\1\\]\2", body)
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(body)
    title = _field(front, "title") or path.stem
    chapters = chapters_of(blocks_of(tree_of(page.encode())), title)
    return Document(title, _field(front, "author"), _field(front, "lang"), chapters, notices=source.notices)


def _field(front: re.Match[str] | None, name: str) -> str:
    """A value of the front matter; empty if it has none."""
    found = re.search(rf"^{name}:[ \t]*(.+)$", front[1], re.MULTILINE) if front else None
    return found[1].strip().strip("\"'") if found else ""
