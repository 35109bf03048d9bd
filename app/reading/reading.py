"""What is open, where one is in it, and what of it is playing: the one owner of all three."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.reading.opener import OpenedDocument
from app.reading.places import Bookmark, Place, Places, ShelvedBook, words_at
from app.reading.speaker import Edits, OwnText, Speaker, Spoken
from app.recent_texts import first_words
from engine.errors import InvalidRequest, NothingToSpeak
from engine.speech import SpeechRequest
from engine.text.documents import Chapter, Document
from engine.text.sentences import sentence_at

_NOT_BLANK = re.compile(r"\S")


class Reading(QObject):
    """A book or a text of one's own is open, and Play goes on from the place in it.

    `text_changed` tells that another text is to be shown, `changed` that anything else is different, `refused` carries
    the reason why there is nothing to play. `manner` gives the voice, speed and pauses that are chosen, without a
    text; None while no voice is known, and what is to be played waits for `begin_waiting` then. `own_text` gives the
    text in the editor. Every place is saved at once.
    """

    text_changed = Signal()
    changed = Signal()
    refused = Signal(object)

    def __init__(
        self,
        speech: Speaker,
        places: Places,
        manner: Callable[[], SpeechRequest | None],
        own_text: Callable[[], str],
        parent: QObject | None = None,
        *,
        notes: bool = False,
    ) -> None:
        super().__init__(parent)
        self._speech, self._places, self._manner, self._own_text = speech, places, manner, own_text
        self._notes = notes
        self._book: OpenedDocument | None = None
        self._document: Document | None = None
        self._chapter: Chapter | None = None
        self._followed: deque[Edits] = deque(maxlen=2)  # of the latest speech, and the one that may be taken back
        self._waiting: Callable[[], None] | None = None
        self._listed = False
        self.own = OwnText()
        self.place = Place()

    # What is open.

    @property
    def document(self) -> Document | None:
        """The book that is open, with all its chapters, and with their notes if those are read; None if none is."""
        return self._document

    @property
    def path(self) -> Path | None:
        """The file of the book that is open."""
        return self._book.path if self._book is not None else None

    @property
    def chapter(self) -> Chapter | None:
        """The chapter of the book that is shown, as it was when that began."""
        return self._chapter

    @property
    def text(self) -> str:
        """The text that is shown."""
        return self._chapter.text if self._chapter is not None else self._own_text()

    @property
    def character(self) -> int:
        """The place in the text that is shown."""
        return self.place.character if self._book is not None else self.own.character

    @property
    def chosen(self) -> tuple[int, ...]:
        """The numbers of the chapters that are read."""
        return self.place.chosen(self._document) if self._document is not None else ()

    @property
    def progress(self) -> float:
        """How far the place is in what is read of the book, from 0 to 1."""
        return self.place.progress(self._document) if self._document is not None else 0.0

    def open(self, book: OpenedDocument) -> None:
        """Open a book at the place where it was left; what was open is not heard any more."""
        self._end_speech()
        self._book, self._document = book, self._with_notes(book.document)
        self.place = self._places.of(book.path, book.digest).in_document(self._document)
        self._listed = book.path.exists()  # a page that was copied is gone by now
        self._keep(book, self._document)
        self._show()

    def close(self) -> None:
        """Close the book; one's own text is shown again."""
        if self._book is not None:
            self._end_speech()
            self._book = self._document = None
            self.place = Place()
            self._show()

    def begin_text(self, character: int | None = None) -> None:
        """Another text of one's own is open, which the editor holds already, at a character or where it was left."""
        self._waiting = None
        if self._owner is self.own:
            self._speech.clear()
        self.own = OwnText(self._places.in_text(self._own_text()) if character is None else character)
        self._followed.clear()
        if self._book is not None:
            self.close()
        else:
            self._show()

    def edited(self, start: int, removed: int, added: int) -> None:
        """At a character of one's own text, some were removed and others added; both may be none."""
        edit = Edits()
        for edits in (edit, *self._followed):
            edits.note(start, removed, added)
        self.own.character = edit.now(self.own.character)

    def keep_own_place(self) -> None:
        """Save the place in one's own text, which may have moved with an edit."""
        self._places.keep_in_text(self._own_text(), self.own.character)

    @property
    def shelf(self) -> tuple[ShelvedBook, ...]:
        """The books that were read last, the latest first."""
        return self._places.shelf

    def unshelve(self, book: ShelvedBook) -> None:
        """List a book no more."""
        self._places.remove(book)
        self.changed.emit()

    # What is playing.

    @property
    def spoken(self) -> Spoken | None:
        """What the latest speech is of."""
        source = self._speech.source
        return source if isinstance(source, Spoken) else None

    @property
    def shows_spoken(self) -> bool:
        """Whether the text that is shown is the one that the latest speech is of."""
        spoken = self.spoken
        return spoken is not None and spoken.owner is self._shown and spoken.chapter is self._chapter

    @property
    def at_end(self) -> bool:
        """Whether nothing is left to be heard after the place."""
        return not self._is_left and self.neighbour(1) is None

    def play(self) -> None:
        """Go on from the place; what is paused goes on where it was paused, if its text still is the same."""
        playback = self._speech.playback
        if playback is Playback.PLAYING:
            return
        if playback is Playback.PAUSED and (not self.shows_spoken or self._is_as_spoken(self.character)):
            self._speech.go_on()
        elif self._is_left:
            self.play_from(self.character)
        elif (following := self.neighbour(1)) is not None:
            self.go_to(following, play=True)
        else:
            self.play_from_beginning()

    def play_from(self, character: int) -> None:
        """Play from a character of the text that is shown, or if that is not made yet, from its sentence."""
        self._waiting = None
        if self._goes_on_from(character):
            self._go_to_character(character)
            if self._speech.hear_from(self._edits.before(character)):
                return
            if self._speech.text == self.text:
                self._go_to_character(sentence_at(self.text, character))
                self._speech.speak_from(self.character)  # on the same timeline
                return
        self._speak(sentence_at(self.text, character), None)

    def play_part(self, start: int, end: int) -> None:
        """Play these characters of the text that is shown, and leave the place where it is."""
        self._speak(start, end)

    def play_item(self, title: str, request: SpeechRequest, track: AudioTrack | None = None) -> None:
        """Play something else under a title of its own; what is open stays open. Its `track` may be made already."""
        self._waiting = None
        if track is None:
            self._speech.speak(request, Spoken(title))
        else:
            self._speech.hear_again(request, track, Spoken(title))

    def play_from_beginning(self) -> None:
        """Play what is open from its beginning."""
        if self._document is None:
            self._speak(0, None)
        else:
            self.go_to(min(self.chosen, default=0), play=True)

    def pause(self) -> None:
        """Pause."""
        self._waiting = None
        self._speech.pause()

    def stop(self) -> None:
        """Stop; the place stays."""
        self._waiting = None
        self._speech.stop()

    def toggle(self) -> None:
        """Pause if something is playing, else play."""
        if self._speech.playback is Playback.PLAYING or self._waiting is not None:
            self.pause()
        else:
            self.play()

    def begin_waiting(self) -> None:
        """Play what was to be played before a voice was known."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting()

    def shown_character(self, character: int) -> int | None:
        """Where a character of the latest speech's text is in the one that is shown; None if that is another."""
        return self._edits.now(character) if self.shows_spoken else None

    def hear(self, character: int) -> None:
        """A character of the text of the latest speech is heard."""
        if self.spoken is not None and self.spoken.to_end and (shown := self.shown_character(character)) is not None:
            self._go_to_character(shown)

    def finish(self) -> None:
        """What is playing has stopped; if all of it was heard, the next chapter follows."""
        spoken = self.spoken
        if not self._speech.heard_to_the_end or spoken is None or not spoken.to_end or not self.shows_spoken:
            return
        if self._document is not None:
            self.place = replace(self.place, heard=self.place.heard | {self.place.chapter})
        self._go_to_character(len(self.text))
        if (following := self.neighbour(1)) is not None:
            self.go_to(following, play=True)

    # Chapters, notes and bookmarks.

    def go_to(self, chapter: int, character: int = 0, *, play: bool = False) -> None:
        """Move to a chapter, counted from 0; what is playing of the book, or is to `play`, goes on there."""
        if self._document is None or not 0 <= chapter < len(self._document.chapters):
            return
        plays = play or (self._owner is self._book and self._speech.playback is Playback.PLAYING)
        self._end_speech()
        self._move(replace(self.place, chapter=chapter, character=character))
        self._show()
        if plays:
            self.play_from(character)

    def neighbour(self, step: int) -> int | None:
        """The next chapter that is read, after the one that is shown or, with a step of -1, before it."""
        return self.place.neighbour(self._document, step) if self._document is not None else None

    def choose(self, chapter: int, read: bool) -> None:
        """Let a chapter be read or left out from now on."""
        if (chapter in self.chosen) != read:
            self._move(replace(self.place, otherwise=self.place.otherwise ^ {chapter}))

    def choose_notes(self, read: bool) -> None:
        """Let notes be read or left out: in the chapter that is shown at once, unless it is being heard."""
        self._notes = read
        if self._book is not None:
            self._document = self._with_notes(self._book.document)
            if self._owner is not self._book or self._speech.playback is Playback.STOPPED:
                self._end_speech()
                self._show()
            self.changed.emit()

    def mark_place(self) -> None:
        """Put a bookmark at the place, or take away the one that is in this sentence."""
        if self._document is not None:
            self._move(self.place.with_bookmark_switched(self._document))

    def remove_bookmark(self, bookmark: Bookmark) -> None:
        """Take a bookmark away."""
        self._move(replace(self.place, bookmarks=tuple(each for each in self.place.bookmarks if each != bookmark)))

    def as_chosen(self, opened: OpenedDocument) -> Document:
        """What is read of any document, as it was chosen when it was open last; raises `InvalidRequest`; any thread."""
        chosen = self._places.of(opened.path, opened.digest).chosen(opened.document)
        if not chosen:
            raise InvalidRequest(f"No chapter of “{opened.document.title}” is selected.", "Open it and select some.")
        return self._with_notes(opened.document).with_chapters(chosen)

    @property
    def chosen_document(self) -> Document | None:
        """What is read of the document that is open; raises `InvalidRequest` if that is nothing."""
        return self.as_chosen(self._book) if self._book is not None else None

    # How it is done.

    @property
    def _edits(self) -> Edits:
        """What was edited since the latest speech began."""
        return self.spoken.edits if self.spoken is not None else Edits()

    @property
    def _shown(self) -> OpenedDocument | OwnText:
        return self._book or self.own

    @property
    def _owner(self) -> OpenedDocument | OwnText | None:
        """The document that the latest speech is of; None for an item."""
        return self.spoken.owner if self.spoken is not None else None

    @property
    def _is_left(self) -> bool:
        """Whether something is left to be heard after the place in the text that is shown."""
        return _NOT_BLANK.search(self.text, self.character) is not None

    def _goes_on_from(self, character: int) -> bool:
        """Whether the latest speech can go on from a character of the text that is shown.

        Of one that was stopped, nothing is heard again by a voice that is no longer the chosen one.
        """
        spoken, request, manner = self.spoken, self._speech.request, self._manner()
        if spoken is None or request is None or not spoken.to_end or not self.shows_spoken:
            return False
        if self._speech.playback is Playback.STOPPED and manner is not None and manner.voice != request.voice:
            return False
        return self._is_as_spoken(character)

    def _is_as_spoken(self, character: int) -> bool:
        """Whether the text that is shown goes on from a character as the latest speech does."""
        return self._speech.text[self._edits.before(character) :] == self.text[character:]

    def _speak(self, start: int, end: int | None) -> None:
        """Speak these characters of the text as it is now, as soon as a voice is known."""
        text = self.text
        if not _NOT_BLANK.search(text):
            self.refused.emit(NothingToSpeak("There’s nothing to play yet.", "Type or paste some text."))
            return
        if end is None:
            self._go_to_character(start)
        if (manner := self._manner()) is None:
            self._waiting = self.play if end is None else partial(self._speak, start, end)
            return
        title = self._chapter.title if self._chapter is not None else first_words(text)
        spoken = Spoken(title, self._shown, self._chapter, to_end=end is None)
        self._followed.append(spoken.edits)
        self._speech.speak(replace(manner, text=text, start=start, end=end), spoken)

    def _end_speech(self) -> None:
        """The speech of what was open is neither heard nor shown any more; that of an item goes on if it is heard."""
        self._waiting = None
        if self._owner is not None or self._speech.playback is Playback.STOPPED:
            self._speech.clear()

    def _with_notes(self, document: Document) -> Document:
        return document.with_notes() if self._notes else document

    def _show(self) -> None:
        self._chapter = self._document.chapters[self.place.chapter] if self._document is not None else None
        self.text_changed.emit()
        self.changed.emit()

    def _keep(self, book: OpenedDocument, document: Document) -> None:
        title = document.title if self._listed else ""
        characters = sum(self.place.lengths(document).values())
        shelved = ShelvedBook(book.path, book.digest, title, document.author, self.progress, characters)
        self._places.keep(shelved, self.place)

    def _go_to_character(self, character: int) -> None:
        if character == self.character:
            return
        if self._book is not None:
            self._move(replace(self.place, character=character))
        else:
            self.own.character = character
            self.keep_own_place()
            self.changed.emit()

    def _move(self, place: Place) -> None:
        """Be at another place, and save it."""
        if self._book is not None and self._document is not None:
            words = words_at(self._document.chapters[place.chapter].text, place.character)
            self.place = replace(place, words=words)
            self._keep(self._book, self._document)
        self.changed.emit()
