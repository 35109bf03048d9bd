"""Tables: those of data are told in short, those that only arrange text are read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.documents.blocks import Block

Cell = tuple[Block, ...]
"""The paragraphs of a cell."""
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S+[.!?…。！？][\"'”’»)\]]*(?:\s|$)|[。！？]")
_ARRANGED_SHARE = 0.5
_MOST_COLUMN_NAMES = 12


def told(rows: Sequence[Sequence[Cell]]) -> list[Block]:
    """A sentence about a table of data, or the paragraphs of one that arranges text, cell by cell.

    A table arranges text if it has a single row or column, or if at least half of its text are sentences, headings or
    paragraphs on top of each other.
    """
    present = [row for row in rows if any(row)]
    cells = [cell for row in present for cell in row]
    characters = sum(map(_characters, cells))
    arranged = sum(_characters(cell) for cell in cells if _is_prose(cell))
    if len(present) < 2 or max(map(len, present)) < 2 or arranged >= _ARRANGED_SHARE * characters:
        return [block for cell in cells for block in cell]
    notes = tuple(note for cell in cells for block in cell for note in block.notes)
    names = [[" ".join(block.text for block in cell) for cell in row] for row in present]
    return [Block(told_shortly(names), matter=cells[0][0].matter if cells[0] else Block("").matter, notes=notes)]


def told_shortly(rows: list[list[str]], title: str = "") -> str:
    """A sentence in place of a table: its title, its size and the names of its columns."""
    names = ", ".join(name for name in rows[0][:_MOST_COLUMN_NAMES] if name)
    size = f"{len(rows) - 1} {'row' if len(rows) == 2 else 'rows'}"
    return f"Table{f', {title}' if title else ''}: {size} of {names}."


def _characters(cell: Cell) -> int:
    return sum(len(block.text) for block in cell)


def _is_prose(cell: Cell) -> bool:
    return len(cell) > 1 or any(block.level or _SENTENCE.search(block.text) for block in cell)
