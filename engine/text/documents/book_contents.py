"""Reads a book's table of contents and applies its headings to the pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from engine.text.documents.blocks import DEEPEST_LEVEL, Block
from engine.text.documents.heading_lines import ENGLISH_NUMBERS, TENS
from engine.text.documents.prose import clean
from engine.text.documents.unread import kinds_of
from engine.text.roman_numerals import value_of

_HEADING_WITHIN_BLOCKS = 3
"""The number of blocks within which an entry's heading is searched, because a number or an ornament may precede it."""
_MAX_HEADING_CHARACTERS = 300
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_LABELS = frozenset({"chapter", "chap", "part", "book", "section", "chapitre", "capítulo", "capitolo", "kapitel", "no"})
_ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_TEXT = Block("").matter


@dataclass(frozen=True)
class ContentsEntry:
    """An entry of the table of contents: its title, its target and its level, 1 for the highest."""

    title: str
    file: str
    anchor: str
    level: int


def entries_of_page(root: Any, file: str, resolved: Callable[[str, str], str]) -> Iterator[ContentsEntry]:
    """Yield the entries of a page of contents; `resolved` returns the file that a link leads to from a folder."""
    navigation = [nav for nav in root.iter("nav") if "toc" in kinds_of(nav)] or list(root.iter("nav"))
    for link in navigation[0].iter("a") if navigation else ():
        level = sum(1 for each in link.iterancestors("ol", "ul")) or 1
        yield _entry("".join(link.itertext()), link.get("href", ""), file, level, resolved)


def entries_of_map(root: Any, file: str, resolved: Callable[[str, str], str]) -> Iterator[ContentsEntry]:
    """Yield the entries of an EPUB 2 table of contents (NCX)."""
    for point in root.xpath("//*[local-name()='navPoint']"):
        label = "".join(point.xpath("string(./*[local-name()='navLabel'])"))
        link = "".join(point.xpath("string(./*[local-name()='content']/@src)"))
        level = 1 + sum(1 for each in point.iterancestors() if each.tag == point.tag)
        yield _entry(label, link, file, level, resolved)


def entries_of_links(
    root: Any, file: str, resolved: Callable[[str, str], str], pages: Collection[str]
) -> list[ContentsEntry]:
    """Return the links to other pages if they make up more than half of a page; otherwise an empty list."""
    linked, entries = 0, []
    for link in root.iter("a"):
        label, target = "".join(link.itertext()), link.get("href", "")
        entry = _entry(label, target, file, 1, resolved) if ":" not in target.partition("#")[0] else None
        if entry is not None and entry.file in pages and entry.file != file and any(map(str.isalpha, label)):
            linked += len("".join(label.split()))
            entries.append(entry)
    body = root.find(".//body")
    text = "".join((root if body is None else body).itertext())
    return entries if len(entries) > 1 and linked > len("".join(text.split())) / 2 else []


def _entry(label: str, link: str, file: str, level: int, resolved: Callable[[str, str], str]) -> ContentsEntry:
    target, _, anchor = link.partition("#")
    title = clean(re.sub(r"\s+", " ", label))
    found = resolved(posixpath.dirname(file), target) if target else file
    return ContentsEntry(title, found, unquote(anchor), min(level, DEEPEST_LEVEL))


def with_entries(blocks: Sequence[Block], entries: Iterable[ContentsEntry]) -> list[Block]:
    """Return the blocks of a page with headings only where its entries lead."""
    places = _places(blocks)
    at: dict[int, list[ContentsEntry]] = {}
    for entry in dict.fromkeys(entry for entry in entries if entry.title):
        at.setdefault(places.get(entry.anchor, 0), []).append(entry)
    made: list[Block] = []
    taken = 0
    for place in sorted(at):
        made += [block.as_paragraph() for block in blocks[taken:place]]
        taken = max(taken, place)
        for entry in at[place]:
            heading = _heading_near(blocks, taken, entry)
            if heading is None:
                made.append(
                    Block(entry.title, entry.level, matter=blocks[taken].matter if taken < len(blocks) else _TEXT)
                )
                continue
            made += [block.as_paragraph() for block in blocks[taken : heading.start]]
            made.append(_merged(blocks[heading.start : heading.stop], entry))
            taken = heading.stop
    return made + [block.as_paragraph() for block in blocks[taken:]]


def _places(blocks: Sequence[Block]) -> dict[str, int]:
    places: dict[str, int] = {}
    for index, block in enumerate(blocks):
        for anchor in block.anchors:
            places.setdefault(anchor, index)
    return places


def _merged(blocks: Sequence[Block], entry: ContentsEntry) -> Block:
    """Merge the blocks that match an entry into one heading."""
    anchors = frozenset(anchor for block in blocks for anchor in block.anchors)
    notes = tuple(note for block in blocks for note in block.notes)
    single = len(blocks) == 1 and len(_words(blocks[0].text)) >= len(_words(entry.title))
    pictures = tuple(replace(picture, start=0) for block in blocks for picture in block.pictures)
    title = blocks[0].text if single else entry.title
    heading = (blocks[0] if single else replace(blocks[0], styles=())).with_text(title.replace("\n", " "))
    return replace(heading, level=entry.level, anchors=anchors, notes=notes, pictures=pictures)


def _heading_near(blocks: Sequence[Block], place: int, entry: ContentsEntry) -> range | None:
    """Return the blocks at or soon after a place that match an entry."""
    wanted = _words(entry.title)
    number, title = _number_and_title(wanted)
    end = min(place + _HEADING_WITHIN_BLOCKS, len(blocks))
    texts = [block.text if len(block.text) <= _MAX_HEADING_CHARACTERS else "" for block in blocks[place:end]]
    words = [_words(text) for text in texts]
    for first in range(len(words)):
        for last in range(first, len(words)):
            if not words[last]:
                break
            said = _words(" ".join(texts[first : last + 1]))
            if said == wanted or "".join(said) == "".join(wanted):
                return range(place + first, place + last + 1)
    for index, said in enumerate(words):
        if said and _same_but_number(_number_and_title(said), (number, title)):
            return range(place + index, place + index + 1)
    return None


def _same_but_number(one: tuple[str, list[str]], other: tuple[str, list[str]]) -> bool:
    """Return whether two titles differ only in that one has a number."""
    return one[1] == other[1] != [] and not (one[0] and other[0])


def _number_and_title(words: list[str]) -> tuple[str, list[str]]:
    return (words[0], words[1:]) if words and words[0].isdigit() else ("", words)


@lru_cache(maxsize=1024)  # titles are compared with several blocks, and blocks with several titles
def _words(text: str) -> list[str]:
    """Return the words of a title for comparison: without the word for its kind, its number in digits."""
    words = _TOKEN.findall(text.casefold())
    if len(words) > 1 and words[0] in _LABELS:
        words = words[1:]
    if not words:
        return []
    if words[0] in TENS:
        one = ENGLISH_NUMBERS.get(words[1], 0) if len(words) > 1 else 0
        return [str(TENS[words[0]] + one * (one < 10)), *words[1 + (0 < one < 10) :]]
    number = ENGLISH_NUMBERS.get(words[0]) or (value_of(words[0]) if _ROMAN.fullmatch(words[0]) else None)
    return [str(number) if number else words[0], *words[1:]]
