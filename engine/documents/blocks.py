"""A document as a series of headings and paragraphs, and the chapters that these make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.documents.document import BETWEEN_PARAGRAPHS, Chapter, Matter
from engine.documents.matter import matter_of_title

DEEPEST_LEVEL = 6
LARGE_CHARACTERS = 40_000
"""Chapters that are longer than this on average are cut at the headings below theirs, if there are any."""
LARGEST_CHARACTERS = 60_000
"""About an hour of speech; longer chapters are cut between paragraphs."""

_LINE_END = re.compile(r"(?<=.)\n")


@dataclass(frozen=True)
class Block:
    """A heading or a paragraph; `level` is 1 for the highest heading, 0 for a paragraph.

    `anchors` are the names under which links can lead to it. `matter` is given where the format tells; else a heading's
    words may tell. `notes` are those that the text refers to.
    """

    text: str
    level: int = 0
    anchors: frozenset[str] = frozenset()
    matter: Matter = Matter.TEXT
    notes: tuple[str, ...] = ()


def chapters_of(blocks: Iterable[Block], title: str) -> tuple[Chapter, ...]:
    """The chapters, one for each heading of the levels that cut the text best; `title` is for text that has none.

    Text before the first heading is a chapter of its own, and so are blocks of another matter; text behind those that
    has no heading has the title before them. A heading with no text of its own is spoken at the beginning of the
    next chapter. Empty if no block has text.
    """
    present = [block for block in blocks if block.text.strip()]
    lowest = _lowest_level(present)
    chapters: list[Chapter] = []
    for part in _parts(present, lowest):
        chapters.append(_chapter(part, lowest, title))
        title = chapters[-1].title if chapters[-1].matter is Matter.TEXT else title
    return tuple(piece for chapter in chapters for piece in _pieces(chapter))


def _lowest_level(blocks: Sequence[Block]) -> int:
    """The lowest level whose headings begin a chapter; 0 if none does.

    Fewer headings than those above them cut some chapters only. A single heading is the title of what it begins.
    """
    counts = Counter(block.level for block in blocks if block.level)
    characters = sum(len(block.text) for block in blocks)
    most = list(accumulate((counts[level] for level in sorted(counts)), max))
    several = [level for level, so_far in zip(sorted(counts), most, strict=True) if 1 < counts[level] == so_far]
    fine = (level for level in several if characters <= LARGE_CHARACTERS * counts[level])
    only = blocks[0].level if blocks and sum(counts.values()) == 1 else 0
    return next(fine, several[-1] if several else only)


def _parts(blocks: Sequence[Block], lowest: int) -> Iterator[list[Block]]:
    """The blocks of each chapter."""
    part: list[Block] = []
    has_text = False
    for block in blocks:
        if part and (block.matter is not part[-1].matter or (has_text and 0 < block.level <= lowest)):
            yield part
            part, has_text = [], False
        part.append(block)
        has_text = has_text or not block.level
    if part:
        yield part


def _chapter(part: Sequence[Block], lowest: int, title: str) -> Chapter:
    leading = []
    for block in part:
        if not block.level:
            break
        leading.append(block)
    own = [block.text for block in leading if block.level <= lowest]
    matter = part[0].matter
    if own and matter is Matter.TEXT:
        matter = matter_of_title(own[-1])
    untitled = title if matter is Matter.TEXT else matter.capitalize()
    text, notes = (block.text for block in part), (note for block in part for note in block.notes)
    return Chapter(
        _LINE_END.sub(_joint, own[-1]) if own else untitled,
        BETWEEN_PARAGRAPHS.join(text),
        matter,
        BETWEEN_PARAGRAPHS.join(notes),
    )


def _joint(line_end: re.Match[str]) -> str:
    """What joins the lines of a title: "Chapter 1: The Sea"."""
    return ": " if line_end.string[line_end.start() - 1].isalnum() else " "


def _pieces(chapter: Chapter) -> Iterator[Chapter]:
    """The chapter, in pieces of about the same length if it is too long."""
    count = -(-len(chapter.text) // LARGEST_CHARACTERS)
    if count < 2:
        yield chapter
        return
    aim, rest = len(chapter.text) // count, chapter.text
    for number in range(1, count + 1):
        end = _border(rest, aim) if number < count else len(rest)
        notes = chapter.notes if number == count else ""
        yield Chapter(f"{chapter.title} ({number})", rest[:end].strip(), chapter.matter, notes)
        rest = rest[end:]


def _border(text: str, aim: int) -> int:
    """Where to cut near `aim`: after a paragraph, else a line, a sentence, a word, else right there."""
    for sign in (BETWEEN_PARAGRAPHS, "\n", ". ", " "):
        found = text.rfind(sign, aim // 2, aim)
        if found > 0:
            return found + len(sign)
    return aim
