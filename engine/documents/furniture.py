"""What volunteers and publishers put around a plain text and into it: licences, marks of pages, pictures and notes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.documents.document import Look, Styled

_START = re.compile(
    r"^\*{3}[ ]?START OF.{0,300}?\*{3}[ \t]*$|^\*END\*?[ ]?THE SMALL PRINT.*$", re.MULTILINE | re.DOTALL
)
_END = re.compile(r"^(?:\*{3}[ ]?END OF|End of (?:the |this )?Project Gutenberg)", re.MULTILINE | re.IGNORECASE)
_MAKERS = re.compile(
    r"(?:produced|prepared|transcribed|e-?text (?:prepared|produced)|scanned|this (?:e-?book|e-?text) (?:was|is)"
    r"|(?:credits|language|release date|title|author):)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_BRACKETED = re.compile(
    r"\[(?P<kind>Illustrations?|Footnote|Transcriber[’']?s['’]? Notes?|Sidenote|Music(?:al notation)?|Blank page)\b",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[\[\]]")
_INSIDE = re.compile(r"[:.]?\s*")
_NOTE_LABEL = re.compile(r"\s*(?P<label>[\w*†‡]{1,5})\s*:\s*|\s*:\s*")
_PAGE = re.compile(r"[\[{] ?(?:pg|page|p)\.? ?(?:\d{1,4}|[ivxlc]{1,7}) ?[\]}]|\{\d{1,4}\}", re.IGNORECASE)
_PARAGRAPH = re.compile(
    r"(?:^|(?<=\n\n))[ \t]*(?:\[(?P<label>\d{1,3}|[A-Z]|[*†‡]{1,3})\][ \t]+(?P<note>\S.*?)"
    r"|(?P<by>Transcriber[’']?s['’]? Notes?)[:.][ \t\n]*(?P<remark>\S.*?))(?=\n[ \t]*\n|\s*\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""A note below the text with only its mark in brackets, and what a transcriber remarks."""
_MARK_IN_TEXT = re.compile(r"(?<=\S)\[(\d{1,3}|[A-Z]|[*†‡]{1,3})\]")
_MARK = re.compile(r"[ ]?\[(?P<label>[\w*†‡]{1,5})\]")
_EMPHASIS = re.compile(
    r"(?<![\w_])_(?=[^\s_])([^_]{1,2000}?)(?<=[^\s_])_(?![\w_])|(?<![\w=])=(?=[^\s=])([^=\n]{1,200}?)(?<=[^\s=])=(?![\w=])"
)
_LONGEST_BRACKET = 50_000


@dataclass(frozen=True)
class Framed:
    """A text between what was put before and after it."""

    before: str
    text: str
    after: str


@dataclass(frozen=True)
class Note:
    """A note and the place where it stood."""

    place: int
    text: str


@dataclass(frozen=True)
class Bare:
    """A text without what stands in brackets in it.

    `captions` are the places of what was said of pictures, `emphasis` is where marks of it were, in order; notes are
    known by their labels and places, in order.
    """

    text: str
    captions: frozenset[int]
    transcriber: tuple[str, ...]
    notes: dict[str, list[Note]] = field(repr=False)
    emphasis: tuple[Styled, ...] = field(default=(), repr=False)

    @property
    def all_notes(self) -> Iterator[Note]:
        """All notes, those of a label together."""
        return (note for found in self.notes.values() for note in found)

    def note(self, label: str, place: int) -> Note:
        """The note of this label after a place, or the last one before."""
        found = self.notes[label]
        after = bisect_right(found, place, key=lambda note: note.place)
        return found[min(after, len(found) - 1)]


def framed(text: str) -> Framed:
    """A text apart from the header and the licence of Project Gutenberg, if it has these."""
    start = _START.search(text)
    begin = start.end() if start else 0
    end = _END.search(text, begin)
    finish = end.start() if end else len(text)
    return Framed(text[: start.start()] if start else "", text[begin:finish], _without_marker(text[finish:]))


def heading_of_file(before: str, name: str) -> str:
    """What the header of a book says of it, such as its title; empty if it does not."""
    found = re.search(rf"^{name}:[ \t]*(\S.*)$", before, re.MULTILINE)
    return found[1].strip() if found else ""


def is_about_making(paragraph: str) -> bool:
    """Whether a paragraph before the text tells who made the file."""
    return _MAKERS.match(paragraph.strip().lstrip("[_")) is not None


def bare(text: str) -> Bare:
    """A text without marks of pages and emphasis, where pictures give way to their captions, and notes are apart."""
    kept: list[str] = []
    length = 0
    captions: set[int] = set()
    transcriber: list[str] = []
    notes: dict[str, list[Note]] = defaultdict(list)
    emphasis: list[Styled] = []
    for kind, content in _pieces(_bracketed(_PAGE.sub("", text))):
        if kind == "footnote" and (label := _NOTE_LABEL.match(content)):
            notes[label["label"] or "*"].append(Note(length, _plain(content[label.end() :])))
            continue
        if kind.startswith("transcriber"):
            transcriber.append(_plain(content))
            continue
        if kind.startswith("ill"):
            captions.add(length)
        said = _plain(content, emphasis, length) if not kind or kind.startswith(("ill", "side")) else ""
        kept.append(said)
        length += len(said)
    return Bare("".join(kept), frozenset(captions), tuple(transcriber), dict(notes), tuple(emphasis))


def with_notes(text: str, place: int, source: Bare) -> tuple[str, list[Note]]:
    """A paragraph at a place of the text without the marks of its notes, and these notes."""
    found: list[Note] = []

    def taken(mark: re.Match[str]) -> str:
        if mark["label"] not in source.notes:
            return mark[0]
        found.append(source.note(mark["label"], place))
        return ""

    return _MARK.sub(taken, text), found


def _bracketed(text: str) -> str:
    """The text in which notes and remarks that are paragraphs are in brackets of their kind."""
    marked = set(_MARK_IN_TEXT.findall(text))

    def replaced(paragraph: re.Match[str]) -> str:
        content = paragraph["note"] or paragraph["remark"]
        if content.count("[") != content.count("]") or not (paragraph["by"] or paragraph["label"] in marked):
            return paragraph[0]
        return f"[{paragraph['by']}: {content}]" if paragraph["by"] else f"[Footnote {paragraph['label']}: {content}]"

    return _PARAGRAPH.sub(replaced, text)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a text in order: plain ones of no kind, and what stands in brackets of a known kind."""
    closed = _brackets(text)
    done = 0
    for match in _BRACKETED.finditer(text):
        end = closed.get(match.start())
        if match.start() < done or end is None or end - match.start() > _LONGEST_BRACKET:
            continue
        yield "", text[done : match.start()]
        inside = text[match.end() : end]
        kind = match["kind"].casefold()
        yield kind, inside if kind == "footnote" else inside[_INSIDE.match(inside).end() :]  # type: ignore[union-attr]
        done = end + 1
    yield "", text[done:]


def _brackets(text: str) -> dict[int, int]:
    """Where each bracket is closed, by where it opens."""
    opened: list[int] = []
    closed = {}
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            opened.append(match.start())
        elif opened:
            closed[opened.pop()] = match.start()
    return closed


def _plain(text: str, emphasis: list[Styled] | None = None, place: int = 0) -> str:
    """A text without the marks of emphasis, which is told to `emphasis` as if the text begins at this place."""
    marks = 0

    def seen(match: re.Match[str]) -> str:
        nonlocal marks
        said = match[1] or match[2]
        if emphasis is not None:
            start = place + match.start() - marks
            emphasis.append(Styled(start, start + len(said), Look.EMPHASIS if match[1] else Look.STRONG))
        marks += len(match[0]) - len(said)
        return said

    return _EMPHASIS.sub(seen, text)


def _without_marker(text: str) -> str:
    return re.sub(r"^\*{3}[ ]?END OF.{0,300}?\*{3}[ \t]*$", "", text, count=1, flags=re.MULTILINE | re.DOTALL)
