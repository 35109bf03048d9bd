"""Reads HTML: the paragraphs and headings of its main part, without menus, notes and marks of notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from engine.documents.blocks import Block, chapters_of
from engine.documents.document import Document
from engine.documents.plain_text import decoded
from engine.documents.prose import clean, is_note_mark

_LEFT_OUT = frozenset({
    "script", "style", "head", "nav", "template", "noscript", "svg", "canvas", "audio", "video", "object", "iframe",
    "form", "button", "select", "footer", "rt", "rp", "math", "dialog",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section",
    "summary", "ul",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NOTES = frozenset({
    "footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "noteref", "pagebreak", "doc-footnote",
    "doc-endnote", "doc-endnotes", "doc-noteref", "doc-pagebreak", "toc", "doc-toc", "page-list", "landmarks",
})  # fmt: skip
_TYPE = "{http://www.idpf.org/2007/ops}type"
_WORD_BEFORE = re.compile(r"(?:\w{3}|[^\w\s])\s*$")
_MOST_COLUMN_NAMES = 12


def read(path: Path) -> Document:
    """The document in an HTML file; raises `DamagedDocument` if it is not text."""
    content = path.read_bytes()
    decoded(content, path.name)
    root = tree_of(content)
    title = clean(_one_line("".join(root.xpath("string(//title)")))) or path.stem
    author = "".join(root.xpath("string(//meta[@name='author']/@content)")).strip()
    language = (root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "").strip()
    return Document(title, author, language, chapters_of(blocks_of(main_part(root)), title))


def tree_of(content: bytes) -> Any:
    """The tree of an HTML or XHTML page, however faulty it is; its element names have no namespace."""
    try:
        content.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # the page says which, or it is guessed
    parser = etree.HTMLParser(encoding=encoding, recover=True, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(content, parser) if content.strip() else None
    return etree.Element("html") if root is None else root


def main_part(root: Any) -> Any:
    """The element that holds what the page is about."""
    for name in ("main", "article"):
        found = root.xpath(f"//{name}")
        if len(found) == 1:
            return found[0]
    return root


def blocks_of(root: Any) -> list[Block]:
    """The headings and paragraphs below an element, in order; tables are told shortly."""
    return _Walk().blocks_of(root)


class _Walk:
    """Goes through a tree in the order of the text and collects blocks."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._text: list[str] = []
        self._anchors: set[str] = set()
        self._level = 0

    def blocks_of(self, root: Any) -> list[Block]:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "end":
                self._leave(element, root)
            elif self._is_left_out(element):
                walk.skip_subtree()
            else:
                self._enter(element, walk)
        self._end_block()
        return self._blocks

    def _enter(self, element: Any, walk: Any) -> None:
        name = element.tag
        anchor = element.get("id") or (element.get("name") if name == "a" else None)
        if name in _BLOCKS or name in _HEADINGS or name == "table":
            self._end_block()
            self._level = _HEADINGS.get(name, 0)
        if anchor:
            self._anchors.add(anchor)
        if name == "table":
            self._blocks += [Block(text) for text in _table(element)]
            walk.skip_subtree()
        elif name == "br":
            self._text.append("\n")
        elif element.text:
            keeps_lines = name == "pre"
            self._text.append(element.text if keeps_lines else _one_line(element.text))

    def _leave(self, element: Any, root: Any) -> None:
        name = element.tag
        if name in _BLOCKS or name in _HEADINGS:
            self._end_block()
            self._level = 0
        if element.tail and element is not root:
            self._text.append(_one_line(element.tail))

    def _end_block(self) -> None:
        text = clean("".join(self._text))
        self._text = []
        if text:
            flat = text.replace("\n", " ") if self._level else text
            self._blocks.append(Block(flat, self._level, frozenset(self._anchors)))
            self._anchors = set()

    def _is_left_out(self, element: Any) -> bool:
        name = element.tag
        if not isinstance(name, str) or name in _LEFT_OUT:
            return True
        if "hidden" in element.attrib or element.get("aria-hidden") == "true":
            return True
        kinds = f"{element.get(_TYPE, '')} {element.get('epub:type', '')} {element.get('role', '')}".split()
        return not _NOTES.isdisjoint(kinds) or self._is_mark(element)

    def _is_mark(self, element: Any) -> bool:
        """Whether it is the mark of a note: a link within the document, or raised after a word."""
        name = element.tag
        if name == "a" and "#" in element.get("href", ""):
            return is_note_mark(_all_text(element))
        if name == "sup" and is_note_mark(_all_text(element)):
            linked = element.find(".//a") is not None
            return linked or _WORD_BEFORE.search("".join(self._text[-3:])) is not None
        return False


def _table(table: Any) -> Iterator[str]:
    """A table in a sentence; one that only arranges text is read cell by cell."""
    rows = [[clean(_one_line(_all_text(cell))) for cell in row.xpath("./td|./th")] for row in table.iter("tr")]
    rows = [row for row in rows if any(row)]
    if len(rows) < 2 or max(map(len, rows)) < 2:
        yield from (cell for row in rows for cell in row if cell)
        return
    title = clean(_one_line("".join(table.xpath("string(./caption)"))))
    yield told_shortly(rows, title)


def told_shortly(rows: list[list[str]], title: str = "") -> str:
    """A sentence in place of a table: its title, its size and the names of its columns."""
    names = ", ".join(name for name in rows[0][:_MOST_COLUMN_NAMES] if name)
    size = f"{len(rows) - 1} {'row' if len(rows) == 2 else 'rows'}"
    return f"Table{f', {title}' if title else ''}: {size} of {names}."


def _all_text(element: Any) -> str:
    return "".join(element.itertext())


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
