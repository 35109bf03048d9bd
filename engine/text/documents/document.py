"""Defines the plain text of a document, in chapters, without the parts that are not spoken.

Other visible content is stored beside the text: headings, emphasis and quotes as spans of its characters, and the
places of pictures. PDF provides only headings; plain text provides headings, and emphasis between signs, as in _this_.
Guesses and omissions are counted, so that each kind is reported once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

BETWEEN_PARAGRAPHS = "\n\n"


class Matter(StrEnum):
    """The role of a chapter in its book."""

    TEXT = "text"
    """The main text, including the preface and the epilogue."""
    FRONT = "front matter"
    """Title page, imprint, dedication, table of contents, license: left out by default."""
    BACK = "back matter"
    """Index, notes, license, advertisements: left out by default."""


class TextStyle(StrEnum):
    """The style in which a span of a text is shown; it does not affect speech."""

    HEADING = "heading"
    EMPHASIS = "emphasis"
    STRONG = "strong"
    QUOTE = "quote"
    """A paragraph set apart, such as a letter or a verse."""


@dataclass(frozen=True)
class Styled:
    """Characters `start` to `end` of a chapter's text and their look; a heading has a `level` from 1, the highest."""

    start: int
    end: int
    text_style: TextStyle
    level: int = 0


@dataclass(frozen=True)
class Picture:
    """A picture before character `start` of a chapter's text; `name` identifies it in the document's file."""

    start: int
    name: str
    description: str = ""


@dataclass(frozen=True)
class Chapter:
    """A part of a document; `text` has a blank line between paragraphs and begins with the title, if there is one.

    `notes` are those that its text refers to, a paragraph each; they are not part of `text`. `styles` and `pictures`
    are in the order of the text; headings and quotes are whole paragraphs, emphasis is inside of one.
    """

    title: str
    text: str = field(repr=False)
    matter: Matter = Matter.TEXT
    notes: str = field(default="", repr=False)
    styles: tuple[Styled, ...] = field(default=(), repr=False)
    pictures: tuple[Picture, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Document:
    """Chapters in reading order, at least one, none of them blank.

    `language` is a BCP 47 tag, or empty if the document names none; `cover` is a picture in JPEG, PNG or SVG. `notices`
    are sentences about guesses and omissions, each with the place.
    """

    title: str
    author: str
    language: str
    chapters: tuple[Chapter, ...]
    cover: bytes | None = field(default=None, repr=False)
    notices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of all chapters."""
        return BETWEEN_PARAGRAPHS.join(chapter.text for chapter in self.chapters)

    @property
    def characters(self) -> int:
        """The number of characters of all chapters."""
        return sum(len(chapter.text) for chapter in self.chapters)

    @property
    def default_chapters(self) -> tuple[int, ...]:
        """The numbers, from 0, of the chapters that are read by default.

        They are those that are neither front nor back matter, or all if there is nothing else.
        """
        usual = tuple(number for number, each in enumerate(self.chapters) if each.matter is Matter.TEXT)
        return usual or tuple(range(len(self.chapters)))

    def with_chapters(self, numbers: tuple[int, ...]) -> Document:
        """Return the same document with these chapters only."""
        return replace(self, chapters=tuple(self.chapters[number] for number in numbers))

    def with_notes(self) -> Document:
        """Return the same document with the notes of each chapter at the end of its text."""
        return replace(self, chapters=tuple(map(_with_notes, self.chapters)))


def _with_notes(chapter: Chapter) -> Chapter:
    if not chapter.notes:
        return chapter
    return replace(chapter, text=f"{chapter.text}{BETWEEN_PARAGRAPHS}{chapter.notes}", notes="")


@dataclass(frozen=True)
class Omission:
    """A kind of guess or omission, as the beginning of a sentence: for one, and with {} for several."""

    one: str
    several: str


class Notices:
    """Counts guesses and omissions by kind, each with its first place, such as “on page 3”."""

    def __init__(self) -> None:
        self._met: dict[Omission, tuple[int, str]] = {}

    def add(self, kind: Omission, place: str, count: int = 1) -> None:
        """Count a guess or an omission of this kind at a place."""
        before, first = self._met.get(kind, (0, place))
        self._met[kind] = before + count, first

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each kind, in the order of their first occurrence."""
        return tuple(
            f"{kind.one}, {place}." if count == 1 else f"{kind.several.format(f'{count:,}')}, the first {place}."
            for kind, (count, place) in self._met.items()
        )
