"""The document that is open: which chapter is shown, where somebody is in it, and what was heard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.reader.opener import OpenedDocument
from app.reader.places import Place, Places
from engine.documents import Chapter, Document


class Reading(QObject):
    """One document or none; every change of the place is kept at once.

    `chapter_changed` tells that another chapter is to be shown, `changed` that anything is different.
    """

    chapter_changed = Signal()
    changed = Signal()

    def __init__(self, places: Places, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._places = places
        self._opened: OpenedDocument | None = None
        self.place = Place()

    @property
    def document(self) -> Document | None:
        """The document that is open."""
        return self._opened.document if self._opened is not None else None

    @property
    def path(self) -> Path | None:
        """The file of the document that is open."""
        return self._opened.path if self._opened is not None else None

    @property
    def chapter(self) -> Chapter | None:
        """The chapter that is shown."""
        return self._opened.document.chapters[self.place.chapter] if self._opened is not None else None

    @property
    def heard_share(self) -> float:
        """How much of the document was heard, from 0 to 1."""
        if self._opened is None:
            return 0.0
        chapters = self._opened.document.chapters
        heard = sum(len(chapters[index].text) for index in self.place.heard)
        begun = 0 if self.place.chapter in self.place.heard else self.place.character
        return (heard + begun) / self._opened.document.characters

    def begin(self, opened: OpenedDocument) -> None:
        """Open a document at the place where it was left."""
        self._opened = opened
        place = self._places.of(opened.path, opened.digest)
        count = len(opened.document.chapters)
        heard = frozenset(index for index in place.heard if index < count)
        fits = place.chapter < count and place.character <= len(opened.document.chapters[place.chapter].text)
        self.place = replace(place, heard=heard) if fits else Place(heard=heard)
        self.chapter_changed.emit()
        self.changed.emit()

    def leave(self) -> None:
        """Close the document, since another text is shown."""
        if self._opened is not None:
            self._opened, self.place = None, Place()
            self.changed.emit()

    def go_to(self, chapter: int) -> None:
        """Show the beginning of a chapter, counted from 0, if there is one."""
        if self._opened is not None and 0 <= chapter < len(self._opened.document.chapters):
            self._move(replace(self.place, chapter=chapter, character=0))
            self.chapter_changed.emit()

    def hear(self, character: int) -> None:
        """The chapter is heard at a character."""
        self._move(replace(self.place, character=character))

    def finish_chapter(self) -> bool:
        """The chapter was heard to its end; show the next one and return whether there is one."""
        if self._opened is None:
            return False
        heard = self.place.heard | {self.place.chapter}
        last = self.place.chapter + 1 == len(self._opened.document.chapters)
        self._move(replace(self.place, heard=heard, character=0))
        if not last:
            self.go_to(self.place.chapter + 1)
        return not last

    def _move(self, place: Place) -> None:
        self.place = place
        if self._opened is not None:
            self._places.keep(self._opened.path, self._opened.digest, place)
        self.changed.emit()
