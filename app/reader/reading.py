"""The open document: chosen chapters, the chapter shown, the reading position, and the chapters heard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.reader.opener import OpenedDocument
from app.reader.places import Place, Places
from engine.documents import Chapter, Document
from engine.errors import InvalidRequest


class Reading(QObject):
    """One document or none; every change of the place is kept at once.

    `chapter_changed` tells that another chapter is to be shown, `changed` that anything is different.
    """

    chapter_changed = Signal()
    changed = Signal()

    def __init__(self, places: Places, parent: QObject | None = None, *, notes: bool = False) -> None:
        super().__init__(parent)
        self._places = places
        self._notes = notes
        self._opened: OpenedDocument | None = None
        self._document: Document | None = None
        self._chapter: Chapter | None = None
        self.place = Place()

    @property
    def document(self) -> Document | None:
        """The document that is open, with all its chapters, and with their notes if those are read."""
        return self._document

    @property
    def path(self) -> Path | None:
        """The file of the document that is open."""
        return self._opened.path if self._opened is not None else None

    @property
    def chapter(self) -> Chapter | None:
        """The chapter that is shown, as it was when that began."""
        return self._chapter

    @property
    def chosen(self) -> tuple[int, ...]:
        """The numbers of the chapters that are read."""
        return self.place.chosen(self._document) if self._document is not None else ()

    @property
    def heard_share(self) -> float:
        """How much was heard of what is read of the document, from 0 to 1."""
        if self._document is None:
            return 0.0
        lengths = {number: len(self._document.chapters[number].text) for number in self.chosen}
        heard = sum(length for number, length in lengths.items() if number in self.place.heard)
        begun = self.place.chapter in lengths and self.place.chapter not in self.place.heard
        return (heard + begun * self.place.character) / max(1, sum(lengths.values()))

    def begin(self, opened: OpenedDocument) -> None:
        """Open a document at the place where it was left, or where what is read of it begins."""
        self._opened, self._document = opened, self._with_notes(opened.document)
        place, chapters = self._places.of(opened.path, opened.digest), self._document.chapters
        place = replace(place, heard=frozenset(index for index in place.heard if index < len(chapters)))
        if place.chapter >= len(chapters):
            place = replace(place, chapter=0, character=0)
        elif place.character > len(chapters[place.chapter].text):
            place = replace(place, character=0)
        if (place.chapter, place.character) == (0, 0):
            place = replace(place, chapter=min(place.chosen(self._document), default=0))
        self.place = place
        self._show()
        self.changed.emit()

    def leave(self) -> None:
        """Close the document, since another text is shown."""
        if self._opened is not None:
            self._opened = self._document = self._chapter = None
            self.place = Place()
            self.changed.emit()

    def as_chosen(self, opened: OpenedDocument) -> Document:
        """What is read of any document, as it was chosen when it was open last; raises `InvalidRequest`; any thread."""
        chosen = self._places.of(opened.path, opened.digest).chosen(opened.document)
        if not chosen:
            raise InvalidRequest(f"No chapter of “{opened.document.title}” is ticked.", "Open it, and tick some.")
        return self._with_notes(opened.document).with_chapters(chosen)

    @property
    def chosen_document(self) -> Document | None:
        """What is read of the document that is open; raises `InvalidRequest` if that is nothing."""
        return self.as_chosen(self._opened) if self._opened is not None else None

    def choose(self, chapter: int, read: bool) -> None:
        """Let a chapter be read or left out from now on."""
        if (chapter in self.chosen) != read:
            self._move(replace(self.place, otherwise=self.place.otherwise ^ {chapter}))

    def choose_notes(self, read: bool, *, at_once: bool = True) -> None:
        """Let notes be read or left out, in the chapter that is shown at once or only in those shown later."""
        self._notes = read
        if self._opened is not None:
            self._document = self._with_notes(self._opened.document)
            if at_once:
                self._show()
            self.changed.emit()

    def neighbour(self, step: int) -> int | None:
        """The next chapter that is read, after the one that is shown or, with a step of -1, before it."""
        beyond = [each for each in self.chosen if (each - self.place.chapter) * step > 0]
        return min(beyond, key=lambda each: abs(each - self.place.chapter), default=None)

    def go_to(self, chapter: int) -> None:
        """Show the beginning of a chapter, counted from 0, if there is one."""
        if self._document is not None and 0 <= chapter < len(self._document.chapters):
            self._move(replace(self.place, chapter=chapter, character=0))
            self._show()

    def hear(self, character: int) -> None:
        """The chapter is heard at a character."""
        self._move(replace(self.place, character=character))

    def finish_chapter(self) -> bool:
        """The chapter was heard to its end; show the next one that is read and return whether there is one."""
        if self._opened is None:
            return False
        self._move(replace(self.place, heard=self.place.heard | {self.place.chapter}, character=0))
        following = self.neighbour(1)
        if following is not None:
            self.go_to(following)
        return following is not None

    def _with_notes(self, document: Document) -> Document:
        return document.with_notes() if self._notes else document

    def _show(self) -> None:
        assert self._document is not None
        self._chapter = self._document.chapters[self.place.chapter]
        self.chapter_changed.emit()

    def _move(self, place: Place) -> None:
        self.place = place
        if self._opened is not None:
            self._places.keep(self._opened.path, self._opened.digest, place)
        self.changed.emit()
