"""The open document, the position in it and the part being played, all owned by `Reading`."""

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
from app.reading.places import Bookmark, LibraryBook, ReadingPosition, ReadingPositions, words_at
from app.reading.speaker import Edits, OwnText, SpeechPlayer, SpeechSource
from app.recent_texts import first_words
from engine.errors import InvalidRequest, NothingToSpeak
from engine.speech import NO_DEFINITIONS, Definitions, SpeechRequest, UtteranceEdit
from engine.text.documents import Chapter, Document
from engine.text.sentences import sentence_at

EditsOf = Callable[[str], tuple[UtteranceEdit, ...]]
"""Returns the edits of a text."""
_NOT_BLANK = re.compile(r"\S")


class Reading(QObject):
    """The open book or the user's text; Play resumes at the position in it.

    `text_changed` is emitted when a different text is to be shown, `changed` when anything else changes; `refused`
    carries the reason why there is nothing to play. `speech_settings` returns the chosen voice, speed and pauses,
    without a text; None while no voice is known, and then playback waits for `begin_waiting`. `own_text` returns the
    text in the editor. Every position is saved immediately. `edits_of` and `definitions_of` return what a text is
    spoken with.
    """

    text_changed = Signal()
    changed = Signal()
    refused = Signal(object)

    def __init__(
        self,
        speech: SpeechPlayer,
        places: ReadingPositions,
        speech_settings: Callable[[], SpeechRequest | None],
        own_text: Callable[[], str],
        parent: QObject | None = None,
        *,
        notes: bool = False,
    ) -> None:
        super().__init__(parent)
        self._speech, self._places, self._speech_settings, self._own_text = speech, places, speech_settings, own_text
        self._notes = notes
        self._registry: OpenedDocument | None = None
        self._document: Document | None = None
        self._chapter: Chapter | None = None
        self._followed: deque[Edits] = deque(maxlen=2)  # for the latest utterance and the one before it
        self._waiting: Callable[[], None] | None = None
        self._listed = False
        self.edits_of: EditsOf = no_edits
        self.definitions_of: Callable[[str], Definitions] = no_definitions
        self.own = OwnText()
        self.place = ReadingPosition()

    # The open document.

    @property
    def document(self) -> Document | None:
        """The open book with all its chapters, including notes if they are read; None if no book is open."""
        return self._document

    @property
    def path(self) -> Path | None:
        """The file of the open book."""
        return self._registry.path if self._registry is not None else None

    @property
    def chapter(self) -> Chapter | None:
        """The chapter of the book on display, as it was when first shown."""
        return self._chapter

    @property
    def text(self) -> str:
        """The text on display."""
        return self._chapter.text if self._chapter is not None else self._own_text()

    @property
    def character(self) -> int:
        """The position in the text on display."""
        return self.place.character if self._registry is not None else self.own.character

    @property
    def chosen(self) -> tuple[int, ...]:
        """The numbers of the selected chapters."""
        return self.place.chosen(self._document) if self._document is not None else ()

    @property
    def progress(self) -> float:
        """The position within the selected chapters of the book, from 0 to 1."""
        return self.place.progress(self._document) if self._document is not None else 0.0

    def open(self, book: OpenedDocument) -> None:
        """Open a book at its saved position, and end playback of the previous text."""
        self._end_speech()
        self._registry, self._document = book, self._with_notes(book.document)
        self.place = self._places.of(book.path, book.digest).in_document(self._document)
        self._listed = book.path.exists()  # the file of a copied page has been deleted
        self._keep(book, self._document)
        self._show()

    def close(self) -> None:
        """Close the book, and return to the user's text."""
        if self._registry is not None:
            self._end_speech()
            self._registry = self._document = None
            self.place = ReadingPosition()
            self._show()

    def begin_text(self, character: int | None = None) -> None:
        """Start on the text that the editor now holds, at `character` or else at its saved position."""
        self._waiting = None
        if self._owner is self.own:
            self._speech.clear()
        self.own = OwnText(self._places.in_text(self._own_text()) if character is None else character)
        self._followed.clear()
        if self._registry is not None:
            self.close()
        else:
            self._show()

    def edited(self, start: int, removed: int, added: int) -> None:
        """Note an edit of the user's text: characters removed and added at `start`; both counts may be 0."""
        edit = Edits()
        for edits in (edit, *self._followed):
            edits.note(start, removed, added)
        self.own.character = edit.now(self.own.character)

    def keep_own_place(self) -> None:
        """Save the position in the user's text, which an edit may have moved."""
        self._places.keep_in_text(self._own_text(), self.own.character)

    @property
    def shelf(self) -> tuple[LibraryBook, ...]:
        """The most recent books, latest first."""
        return self._places.shelf

    def shelve(self, book: LibraryBook) -> None:
        """Put a file that is not a book, such as a project, on the shelf."""
        self._places.store_position(book, ReadingPosition())
        self.changed.emit()

    def remove_from_library(self, book: LibraryBook) -> None:
        """Remove a book from the shelf; if it is open, it returns when it is opened again."""
        if self._registry is not None and self._registry.digest == book.digest:
            self._listed = False
        self._places.remove(book)
        self.changed.emit()

    # Playback.

    @property
    def spoken(self) -> SpeechSource | None:
        """The source of the latest utterance."""
        source = self._speech.source
        return source if isinstance(source, SpeechSource) else None

    @property
    def shows_spoken(self) -> bool:
        """True if the text on display is the source of the latest utterance."""
        spoken = self.spoken
        return spoken is not None and spoken.owner is self._shown and spoken.chapter is self._chapter

    @property
    def at_end(self) -> bool:
        """True if there is nothing left to play after the position."""
        return self._left is None and self.neighbor(1) is None

    def play(self) -> None:
        """Play from the position; if paused and the text is unchanged, resume."""
        playback = self._speech.playback
        if playback is Playback.PLAYING:
            return
        if playback is Playback.PAUSED and (not self.shows_spoken or self._is_unchanged(self.character)):
            self._speech.go_on()
        elif (left := self._left) is not None:
            self.play_from(left)
        elif (following := self.neighbor(1)) is not None:
            self.go_to(following, play=True)
        else:
            self.play_from_beginning()

    def play_from(self, character: int) -> None:
        """Play from a character of the text on display; if its audio is not generated yet, from its sentence."""
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
        """Play these characters of the text on display without changing the position."""
        self._speak(start, end)

    def play_item(self, title: str, request: SpeechRequest, track: AudioTrack | None = None) -> None:
        """Play a separate item under a title; the open document stays open. Its `track` may exist already."""
        self._waiting = None
        if track is None:
            self._speech.speak(request, SpeechSource(title))
        else:
            self._speech.hear_again(request, track, SpeechSource(title))

    def play_from_beginning(self) -> None:
        """Play from the beginning."""
        if self._document is None:
            self._speak(0, None)
        else:
            self.go_to(min(self.chosen, default=0), play=True)

    def pause(self) -> None:
        """Pause playback."""
        self._waiting = None
        self._speech.pause()

    def stop(self) -> None:
        """Stop playback; the position stays."""
        self._waiting = None
        self._speech.stop()

    def toggle(self) -> None:
        """Pause if playing, else play."""
        if self._speech.playback is Playback.PLAYING or self._waiting is not None:
            self.pause()
        else:
            self.play()

    def begin_waiting(self) -> None:
        """Play the text that was waiting for a voice."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting()

    def shown_character(self, character: int) -> int | None:
        """Return the position of a character of the latest utterance in the text on display; None if that differs."""
        return self._edits.now(character) if self.shows_spoken else None

    def hear(self, character: int) -> None:
        """Move the position to the character of the latest utterance that is now playing."""
        if self.spoken is not None and self.spoken.to_end and (shown := self.shown_character(character)) is not None:
            self._go_to_character(shown)

    def finish(self) -> None:
        """Handle the end of playback; if it reached the end of the chapter, play the next one."""
        spoken = self.spoken
        if not self._speech.heard_to_the_end or spoken is None or not spoken.to_end or not self.shows_spoken:
            return
        if self._document is not None:
            self.place = replace(self.place, heard=self.place.heard | {self.place.chapter})
        self._go_to_character(self._edits.now(len(self._speech.text)))  # more may have been added after it
        if (following := self.neighbor(1)) is not None:
            self.go_to(following, play=True)

    # Chapters, notes and bookmarks.

    def go_to(self, chapter: int, character: int = 0, *, play: bool = False) -> None:
        """Move to a chapter, counted from 0; continue there if the book is playing or if `play` is set."""
        if self._document is None or not 0 <= chapter < len(self._document.chapters):
            return
        plays = play or (self._owner is self._registry and self._speech.playback is Playback.PLAYING)
        self._end_speech()
        self._move(replace(self.place, chapter=chapter, character=character))
        self._show()
        if plays:
            self.play_from(character)

    def neighbor(self, step: int) -> int | None:
        """Return the next selected chapter after the one on display or, with a step of -1, before it."""
        return self.place.neighbor(self._document, step) if self._document is not None else None

    def choose(self, chapter: int, read: bool) -> None:
        """Select a chapter or leave it out."""
        if (chapter in self.chosen) != read:
            self._move(replace(self.place, otherwise=self.place.otherwise ^ {chapter}))

    def choose_notes(self, read: bool) -> None:
        """Read notes or skip them; the chapter on display changes immediately, unless it is being played."""
        self._notes = read
        if self._registry is not None:
            self._document = self._with_notes(self._registry.document)
            if self._owner is not self._registry or self._speech.playback is Playback.STOPPED:
                self._end_speech()
                self._show()
            self.changed.emit()

    def mark_place(self) -> None:
        """Put a bookmark at the position, or remove the bookmarks in this sentence."""
        if self._document is not None:
            self._move(self.place.with_bookmark_switched(self._document))

    def remove_bookmark(self, bookmark: Bookmark) -> None:
        """Remove a bookmark."""
        self._move(replace(self.place, bookmarks=tuple(each for each in self.place.bookmarks if each != bookmark)))

    def as_chosen(self, opened: OpenedDocument) -> Document:
        """Return the selected parts of a document, in any thread; raises `InvalidRequest` if there are none."""
        chosen = self._places.of(opened.path, opened.digest).chosen(opened.document)
        if not chosen:
            raise InvalidRequest(f"No chapter of “{opened.document.title}” is selected.", "Open it and select some.")
        return self._with_notes(opened.document).with_chapters(chosen)

    @property
    def chosen_document(self) -> Document | None:
        """The selected parts of the open document; raises `InvalidRequest` if there are none."""
        return self.as_chosen(self._registry) if self._registry is not None else None

    # Implementation.

    @property
    def _edits(self) -> Edits:
        """The edits since the latest utterance began."""
        return self.spoken.edits if self.spoken is not None else Edits()

    @property
    def _shown(self) -> OpenedDocument | OwnText:
        return self._registry or self.own

    @property
    def _owner(self) -> OpenedDocument | OwnText | None:
        """The document of the latest utterance; None for an item."""
        return self.spoken.owner if self.spoken is not None else None

    @property
    def _left(self) -> int | None:
        """The first character left to play at the position in the text on display or after it; None if none is."""
        found = _NOT_BLANK.search(self.text, self.character)
        return found.start() if found is not None else None

    def _goes_on_from(self, character: int) -> bool:
        """Return whether the latest utterance can continue from a character of the text on display.

        A stopped one is not resumed if a part of it has a voice that is no longer selected.
        """
        spoken, request, speech_settings = self.spoken, self._speech.request, self._speech_settings()
        if spoken is None or request is None or not spoken.to_end or not self.shows_spoken:
            return False
        if (
            self._speech.playback is Playback.STOPPED
            and speech_settings is not None
            and not (self._speech.as_requested and speech_settings.voice == request.voice)
        ):
            return False
        return self._is_unchanged(character)

    def _is_as_spoken(self, character: int) -> bool:
        """Return whether the text on display matches the latest utterance from a character on."""
        return self._speech.text[self._edits.before(character) :] == self.text[character:]

    def _is_unchanged(self, character: int) -> bool:
        """Return whether the latest utterance sounds as the text on display would now, from a character on."""
        request = self._speech.request
        edits = request.edits if request is not None else ()
        moved = {replace(each, start=self._edits.now(each.start)) for each in edits}
        same = request is None or request.definitions == self.definitions_of(self.text)
        return same and self._is_as_spoken(character) and moved == set(self.edits_of(self.text))

    def _speak(self, start: int, end: int | None) -> None:
        """Speak these characters of the current text as soon as a voice is known."""
        text = self.text
        if not _NOT_BLANK.search(text):
            self.refused.emit(NothingToSpeak("There’s nothing to play yet.", "Type or paste some text."))
            return
        if end is None:
            self._go_to_character(start)
        if (speech_settings := self._speech_settings()) is None:
            self._waiting = self.play if end is None else partial(self._speak, start, end)
            return
        title = self._chapter.title if self._chapter is not None else first_words(text)
        spoken = SpeechSource(title, self._shown, self._chapter, to_end=end is None)
        self._followed.append(spoken.edits)
        edits, definitions = self.edits_of(text), self.definitions_of(text)
        speech_settings = replace(speech_settings, edits=edits, definitions=definitions)
        self._speech.speak(replace(speech_settings, text=text, start=start, end=end), spoken)

    def _end_speech(self) -> None:
        """Clear the utterance of the open text; an item continues if it is playing."""
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
        shelved = LibraryBook(book.path, book.digest, title, document.author, self.progress, characters)
        self._places.store_position(shelved, self.place)

    def _go_to_character(self, character: int) -> None:
        if character == self.character:
            return
        if self._registry is not None:
            self._move(replace(self.place, character=character))
        else:
            self.own.character = character
            self.keep_own_place()
            self.changed.emit()

    def _move(self, place: ReadingPosition) -> None:
        """Move to a new position, and save it."""
        if self._registry is not None and self._document is not None:
            words = words_at(self._document.chapters[place.chapter].text, place.character)
            self.place = replace(place, words=words)
            self._keep(self._registry, self._document)
        self.changed.emit()


def no_definitions(text: str) -> Definitions:
    """Return no definitions, for any text."""
    return NO_DEFINITIONS


def no_edits(text: str) -> tuple[UtteranceEdit, ...]:
    """Return no edits, for any text."""
    return ()
