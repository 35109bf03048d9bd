"""Reads DOCX files: the text of the body, without notes, headers, deleted text and fields' codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.documents.archive import Archive
from engine.documents.blocks import DEEPEST_LEVEL, Block, chapters_of
from engine.documents.document import Document
from engine.documents.prose import clean
from engine.documents.web_page import told_shortly
from engine.errors import EncryptedDocument

_BODY = "word/document.xml"
_STYLES = "word/styles.xml"
_FACTS = "docProps/core.xml"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ALTERNATIVE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OLD_OR_ENCRYPTED = b"\xd0\xcf\x11\xe0"
_HEADING = re.compile(r"heading (\d)")


def read(path: Path) -> Document:
    """The document in a DOCX file.

    Raises `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`.
    """
    with path.open("rb") as file:
        if file.read(4) == _OLD_OR_ENCRYPTED:
            raise EncryptedDocument(
                f"“{path.name}” has a password, or is of an older kind.", "Save it as a .docx without a password."
            )
    with Archive(path) as archive:
        if _BODY not in archive.names:
            raise archive.damaged()
        styles = archive.tree(_STYLES) if _STYLES in archive.names else None
        facts = archive.tree(_FACTS) if _FACTS in archive.names else None
        body = archive.tree(_BODY).find(f"{_WORD}body")
        if body is None:
            raise archive.damaged()
        blocks = list(_blocks(body, _levels(styles)))
    title = _fact(facts, "title") or path.stem
    return Document(title, _fact(facts, "creator"), _language(styles), chapters_of(blocks, title))


def _blocks(body: Any, levels: dict[str, int]) -> Iterator[Block]:
    """Paragraphs in order; those of tables are told shortly, those of text boxes come where the box is fixed."""
    stack = [iter(body)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif element.tag == f"{_WORD}p":
            yield Block(clean(_text(element)), _level(element, levels))
        elif element.tag == f"{_WORD}tbl":
            yield from (Block(text) for text in _table(element))
        elif element.tag != _ALTERNATIVE:
            stack.append(iter(element))


def _text(paragraph: Any) -> str:
    """The text of a paragraph; what was deleted is in elements of other names."""
    parts = []
    for element in paragraph.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br", f"{_WORD}noBreakHyphen"):
        if any(ancestor.tag == _ALTERNATIVE for ancestor in element.iterancestors()):
            continue
        name = element.tag.removeprefix(_WORD)
        if name == "t":
            parts.append(element.text or "")
        elif name == "br":
            parts.append("\n" if element.get(f"{_WORD}type") is None else " ")
        else:
            parts.append("-" if name == "noBreakHyphen" else " ")
    return "".join(parts)


def _level(paragraph: Any, levels: dict[str, int]) -> int:
    outline = paragraph.find(f"{_WORD}pPr/{_WORD}outlineLvl")
    if outline is not None:
        return _outline_level(outline)
    style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
    return 0 if style is None else levels.get(style.get(f"{_WORD}val", ""), 0)


def _levels(styles: Any) -> dict[str, int]:
    """The level of heading of each style that is one; the style of the title is above chapters."""
    levels: dict[str, int] = {}
    for style in () if styles is None else styles.iter(f"{_WORD}style"):
        name = style.find(f"{_WORD}name")
        outline = style.find(f"{_WORD}pPr/{_WORD}outlineLvl")
        said = _HEADING.fullmatch("" if name is None else name.get(f"{_WORD}val", "").casefold())
        level = int(said[1]) if said else 0 if outline is None else _outline_level(outline)
        if 0 < level <= DEEPEST_LEVEL:
            levels[style.get(f"{_WORD}styleId", "")] = level
    return levels


def _outline_level(outline: Any) -> int:
    """A level of the outline counts from 0, and 9 means text."""
    value = outline.get(f"{_WORD}val", "9")
    return int(value) + 1 if value.isdecimal() and int(value) < DEEPEST_LEVEL else 0


def _table(table: Any) -> list[str]:
    """A table in a sentence; one that only arranges text is read cell by cell."""
    rows = [
        [clean(" ".join(_text(each) for each in cell.iter(f"{_WORD}p"))) for cell in row.findall(f"{_WORD}tc")]
        for row in table.findall(f"{_WORD}tr")
    ]
    rows = [row for row in rows if any(row)]
    if len(rows) > 1 and max(map(len, rows)) > 1:
        return [told_shortly(rows)]
    return [cell for row in rows for cell in row if cell]


def _fact(facts: Any, name: str) -> str:
    found = () if facts is None else facts.xpath("//*[local-name()=$name]", name=name)
    return clean(found[0].text or "") if found else ""


def _language(styles: Any) -> str:
    """The language of the default style."""
    tags = () if styles is None else styles.xpath("//*[local-name()='docDefaults']//*[local-name()='lang']")
    return str(tags[0].get(f"{_WORD}val", "")) if tags else ""
