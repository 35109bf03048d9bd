"""Tables: those that hold data are told in a sentence, those that arrange text are read cell by cell."""

from __future__ import annotations

import re
from typing import Any

from engine.documents.prose import clean
from engine.documents.tables import told_shortly

_BLOCKS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote", "pre", "hr"})
_PARAGRAPHS = frozenset({"p", "div"})
_SENTENCE = re.compile(r"\W*\w+\W+\w.*(?:\w{2}[\"”’)]*[.!?…]|[。！？])\W*", re.DOTALL)
_SENTENCES_OF_PROSE = 0.2
"""The share of cells that are sentences, from which on a table without a head is a text in columns."""


def arranges_text(table: Any) -> bool:
    """Whether the cells of a table are parts of the text rather than data."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
    cells = [list(row.iterchildren("td", "th")) for row in rows]
    texts = [text for row in cells for cell in row if (text := text_of_cell(cell))]
    full = [row for row in cells if any(map(text_of_cell, row))]
    if len(full) < 2 or max(map(len, full)) < 2 or any(_has_blocks(cell) for row in cells for cell in row):
        return True
    if is_contents(table):
        return True
    has_head = all(cell.tag == "th" for cell in full[0]) or table.find("thead") is not None
    sentences = sum(_SENTENCE.fullmatch(text) is not None for text in texts)
    return not has_head and sentences > _SENTENCES_OF_PROSE * len(texts)


def told_in_short(table: Any) -> str:
    """A sentence in place of a table of data."""
    rows = [[text_of_cell(cell) for cell in row.iterchildren("td", "th")] for row in table.iter("tr")]
    title = clean(" ".join("".join(table.xpath("string(./caption)")).split()))
    return told_shortly([row for row in rows if any(row)], title)


def text_of_cell(cell: Any) -> str:
    """The text of an element in one line."""
    return clean(re.sub(r"\s+", " ", "".join(cell.itertext())))


def _has_blocks(cell: Any) -> bool:
    inner = [each.tag for each in cell.iterdescendants() if each.tag in _BLOCKS or each.tag in _PARAGRAPHS]
    return any(tag in _BLOCKS for tag in inner) or len(inner) > 1


def is_contents(table: Any) -> bool:
    """Whether a table is a list of contents: most of its rows link to places in the same document."""
    rows = list(table.iter("tr"))
    links = [link.get("href", ":") for link in table.iter("a")]
    return len(rows) > 1 and sum(":" not in link.partition("#")[0] for link in links) > len(rows) / 2


def join_cells(table: Any) -> None:
    """Make each row of a table a paragraph."""
    for cell in list(table.iter("td", "th")):
        cell.tag = "span"
        cell.tail = f" {cell.tail or ''}"
