"""What is left of a document once everything that is not to be spoken is gone: plain text in chapters."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Chapter:
    """A part of a document; `text` has a blank line between paragraphs, and its title, if it has one, comes first."""

    title: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class Document:
    """Chapters in the order of reading, at least one, none of them blank.

    `language` is a BCP 47 tag, or empty if the document names none; `cover` is a picture in JPEG or PNG.
    """

    title: str
    author: str
    language: str
    chapters: tuple[Chapter, ...]
    cover: bytes | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The text of all chapters."""
        return "\n\n".join(chapter.text for chapter in self.chapters)

    @property
    def characters(self) -> int:
        """The number of characters of all chapters."""
        return sum(len(chapter.text) for chapter in self.chapters)
