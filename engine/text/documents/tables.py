"""Summarizes data tables in a sentence, and reads layout tables cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine.text.documents.blocks import Block
from engine.text.documents.prose import clean

Cell = tuple[Block, ...]
"""The paragraphs of a cell."""
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S+[.!?…。！？][\"'”’»)\]]*(?:\s|$)|[。！？]")
_ARRANGED_SHARE = 0.5
_MAX_COLUMN_NAMES = 12
_BLOCKS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote", "pre", "hr"})
_PARAGRAPHS = frozenset({"p", "div"})
_CELL_OF_PROSE = re.compile(r"\W*\w+\W+\w.*(?:\w{2}[\"”’)]*[.!?…]|[。！？])\W*", re.DOTALL)
_SENTENCES_OF_PROSE = 0.2
"""The share of sentences among the cells above which a table without a head is a layout table."""


def told(rows: Sequence[Sequence[Cell]]) -> list[Block]:
    """Summarize a data table, or return the paragraphs of a layout table, cell by cell.

    A layout table has a single row or column, or at least half of its text are sentences, headings or paragraphs on top
    of each other.
    """
    present = [row for row in rows if any(row)]
    cells = [cell for row in present for cell in row]
    characters = sum(map(_characters, cells))
    arranged = sum(_characters(cell) for cell in cells if _is_prose(cell))
    if len(present) < 2 or max(map(len, present)) < 2 or arranged >= _ARRANGED_SHARE * characters:
        return [block for cell in cells for block in cell]
    notes = tuple(note for cell in cells for block in cell for note in block.notes)
    names = [[" ".join(block.text for block in cell) for cell in row] for row in present]
    return [Block(described_shortly(names), matter=cells[0][0].matter if cells[0] else Block("").matter, notes=notes)]


def described_shortly(rows: list[list[str]], title: str = "") -> str:
    """Return a summary of a table: its title, its size and the names of its columns."""
    names = ", ".join(name for name in rows[0][:_MAX_COLUMN_NAMES] if name)
    size = f"{len(rows) - 1} {'row' if len(rows) == 2 else 'rows'}"
    return f"Table{f', {title}' if title else ''}: {size} of {names}."


def _characters(cell: Cell) -> int:
    return sum(len(block.text) for block in cell)


def _is_prose(cell: Cell) -> bool:
    return len(cell) > 1 or any(block.level or _SENTENCE.search(block.text) for block in cell)


def arranges_text(table: Any) -> bool:
    """Return whether the cells of a table are parts of the text rather than data."""
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
    sentences = sum(_CELL_OF_PROSE.fullmatch(text) is not None for text in texts)
    return not has_head and sentences > _SENTENCES_OF_PROSE * len(texts)


def described_in_short(table: Any) -> str:
    """Return a summary of an HTML data table."""
    rows = [[text_of_cell(cell) for cell in row.iterchildren("td", "th")] for row in table.iter("tr")]
    title = clean(" ".join("".join(table.xpath("string(./caption)")).split()))
    return described_shortly([row for row in rows if any(row)], title)


def text_of_cell(cell: Any) -> str:
    """Return the text of an element in one line."""
    return clean(re.sub(r"\s+", " ", "".join(cell.itertext())))


def _has_blocks(cell: Any) -> bool:
    inner = [each.tag for each in cell.iterdescendants() if each.tag in _BLOCKS or each.tag in _PARAGRAPHS]
    return any(tag in _BLOCKS for tag in inner) or len(inner) > 1


def is_contents(table: Any) -> bool:
    """Return whether a table is a list of contents: most of its rows link to places in the same document."""
    rows = list(table.iter("tr"))
    links = [link.get("href", ":") for link in table.iter("a")]
    return len(rows) > 1 and sum(":" not in link.partition("#")[0] for link in links) > len(rows) / 2


def join_cells(table: Any) -> None:
    """Make each row of a table a paragraph."""
    for cell in list(table.iter("td", "th")):
        cell.tag = "span"
        cell.tail = f" {cell.tail or ''}"
