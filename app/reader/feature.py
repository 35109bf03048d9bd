"""Documents in the window: opening them, the chapters panel and moving between chapters."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QMimeData, QObject, QTimer, Slot
from PySide6.QtGui import QAction, QGuiApplication

from app.main_window import MainWindow
from app.messages import Message, MessageAction, MessageTopic, Severity, message_for, message_for_document
from app.reader.book_cards import Covers
from app.reader.chapters_panel import ChaptersPanel
from app.reader.home import HomeFeature
from app.reader.sources import ClipboardPage, DropTarget
from app.reading.opener import DocumentOpener, OpenedDocument, Reader, read_opened
from app.reading.places import Bookmark
from app.settings import Settings
from app.speech.controller import SpeechController
from app.speech.voice_choice import VoiceChoice, voice_info
from app.widgets.file_dialogs import ask_which_document, local_files
from app.widgets.windows import TextWindow
from engine.errors import NothingToSpeak
from engine.text.documents import Document, read_document, read_picture
from engine.text.languages import LANGUAGES

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices

PANEL = "Chapters"
SHOW_OPENING_AFTER_MS = 400
"""Most documents open sooner, and a message would only flicker."""


class ReaderFeature(QObject):
    """The reader in the window: it shows the open document and what is playing, and handles the user's choices."""

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        read: Reader = read_document,
        covers: Covers | None = None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._page = window.page
        self._speech = speech
        self._settings = settings
        self._voices = window.page.header.voices
        self._resuming = False
        self._clipboard: ClipboardPage | None = None
        self._read = read
        self.reading = window.reading
        self.opener = DocumentOpener(self, read)
        self.panel = ChaptersPanel()
        self._covers = covers or Covers()
        self.home = HomeFeature(window, self._covers)
        self._opening = QTimer(self, singleShot=True, interval=SHOW_OPENING_AFTER_MS)
        self._opening.timeout.connect(self._show_opening)
        self._connect_sources()
        self._connect_reading()
        self._connect_panel()

    def read_chosen(self, path: Path, cancel: threading.Event) -> Document:
        """Return the selected parts of any document; raises `EngineError` subclasses. Any thread may call it."""
        return self.reading.as_chosen(read_opened(self._read, path, cancel))

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop opening; return whether that succeeded in time."""
        ended = self.opener.shut_down(timeout_ms)
        self._forget_clipboard()
        return ended

    def resume(self) -> None:
        """Open the book that was being read when the window was last closed; if there is none, show the home page."""
        if (path := self._settings.document) is not None:
            self.opener.open(path)
            self._resuming = True
        else:
            self.home.show_if_empty()

    @Slot()
    def ask(self) -> None:
        """Ask for a document or a project, and open it."""
        ask_which_document(self._window, self._settings.save_folder, self._window.file_requested.emit, projects=True)

    @Slot()
    def open_clipboard(self) -> None:
        """Open the contents of the clipboard: files, part of a web page, or text."""
        content = QGuiApplication.clipboard().mimeData() or QMimeData()  # an empty clipboard has no MIME data
        if files := local_files(content):
            self._window.files_given.emit(files)
        elif content.hasHtml():
            self._forget_clipboard()
            self._clipboard = ClipboardPage(content.html())
            self.opener.open(self._clipboard.path)
        elif content.text().strip():
            self._page.editor.set_text(content.text())
        else:
            self._window.show_failure(NothingToSpeak("The clipboard has no text.", "Copy some first."))

    @Slot()
    def new_text(self) -> None:
        """Start an empty text; the previous one is among the recent texts."""
        self._page.editor.set_text("")
        self._page.editor.setFocus()

    @Slot()
    def close_document(self) -> None:
        """Close the open book, if any, and return to the user's text."""
        self.opener.cancel()
        self._page.banner.withdraw(MessageTopic.DOCUMENT)
        self.reading.close()
        self.home.show_if_empty()

    @Slot()
    def edit_text(self) -> None:
        """Turn the shown chapter into an editable text at the same position."""
        if self.reading.chapter is not None:
            text, character = self.reading.text, self.reading.character
            self._page.editor.set_text(text)
            self.reading.begin_text(character)
            self._page.editor.place_cursor(character)
            self._page.editor.setFocus()

    @Slot()
    def show_playing(self) -> None:
        """Show the text being played, and follow it."""
        if self.reading.shows_spoken:
            self._page.show_text()
            self._page.view.resume_following()
        else:
            self._window.item_requested.emit()

    @Slot()
    def show_notices(self) -> TextWindow | None:
        """Show all notices of the document in a separate window."""
        document = self.reading.document
        if document is None:
            return None
        listed = "".join(f"<li>{escape(notice)}</li>" for notice in document.notices)
        page = TextWindow("Notices", f"<h3>{escape(document.title)}</h3><ul>{listed}</ul>", self._window)
        page.show()
        return page

    def _connect_sources(self) -> None:
        window = self._window
        window.menu.open_text.triggered.connect(self.ask)
        window.menu.open_clipboard.triggered.connect(self.open_clipboard)
        window.file_requested.connect(self.opener.open)
        window.files_given.connect(self._on_files)
        DropTarget(window).dropped.connect(window.files_given)
        self.opener.busy_changed.connect(self._on_busy)
        self.opener.opened.connect(self._on_opened)
        self.opener.failed.connect(self._on_failed)
        self._page.banner.action_chosen.connect(self._on_message_action)

    def _connect_reading(self) -> None:
        reading, editor = self.reading, self._page.editor
        reading.begin_text()
        reading.text_changed.connect(self._show_text)
        reading.changed.connect(self._show_reading)
        editor.text_leaves.connect(self.opener.cancel)  # a newly opened text cancels the pending document
        editor.text_changed.connect(self._on_text)
        self._speech.track_changed.connect(self._show_playing)
        self._page.playing.clicked.connect(self.show_playing)

    def _connect_panel(self) -> None:
        window, panel, reading = self._window, self.panel, self.reading
        menu = window.menu
        menu.add_view(window.page.side_bar.add(PANEL, panel), "Ctrl+1")
        for command, slot in (
            (menu.new_text, self.new_text),
            (menu.close_document, self.close_document),
            (menu.edit_text, self.edit_text),
            (menu.from_beginning, reading.play_from_beginning),
            (menu.add_bookmark, reading.mark_place),
        ):
            command.triggered.connect(slot)
        menu.new_text.setEnabled(True)
        menu.next_chapter.triggered.connect(self._on_next)
        menu.previous_chapter.triggered.connect(self._on_previous)
        window.page.header.speed.speed_changed.connect(panel.set_speed)
        panel.set_speed(window.page.header.speed.speed)
        panel.chapter_chosen.connect(self._on_chosen)
        panel.chapter_ticked.connect(reading.choose)
        panel.notices_requested.connect(self.show_notices)
        panel.bookmark_chosen.connect(self._on_bookmark)
        panel.bookmark_removed.connect(reading.remove_bookmark)
        menu.choose_notes(self._settings.notes_read)
        menu.notes.triggered.connect(self._on_notes)
        self._show_reading()

    @Slot()
    def _on_busy(self) -> None:
        if self.opener.busy:
            self._opening.start()
        else:
            self._opening.stop()
            self._resuming = False
            self._page.banner.withdraw(MessageTopic.OPENING)

    @Slot()
    def _show_opening(self) -> None:
        name = self.opener.path.name
        opening = Message(f"Opening “{name}”…", Severity.NOTE, MessageAction.CANCEL_OPENING, topic=MessageTopic.OPENING)
        self._page.banner.show_message(opening)

    @Slot(list)
    def _on_files(self, files: list[Path]) -> None:
        self.opener.open(files[0])
        if files[1:]:
            self._page.status.show_message(f"Opened {files[0].name} only. You can open one document at a time.")

    @Slot(object)
    def _on_opened(self, opened: OpenedDocument) -> None:
        self._forget_clipboard()
        self._page.banner.withdraw(MessageTopic.DOCUMENT)
        if opened.document.cover is not None:
            self._covers.store_cover(opened.digest, opened.document.cover)
        resumed = opened.path == self._settings.document
        self.reading.open(opened)
        self._page.show_text()
        bar = self._page.side_bar
        if len(opened.document.chapters) > 1 and not resumed and not bar.instead:
            bar.open(self.panel)
        self._show_opened(opened.document, resumed=resumed)

    def _show_opened(self, document: Document, *, resumed: bool) -> None:
        """Show what the user should know about a document, message by message; skip notices if it is resumed."""
        voices = self._voices
        language = message_about_language(document.title, document.language, voices.choice, voices.models)
        notices = message_for_document(document.notices) if document.notices and not resumed else None
        for message in (language, notices):
            if message is not None:
                self._page.banner.show_message(message)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._forget_clipboard()
        if self.opener.path == self._settings.document:
            self._settings.document = None
            self.home.show_if_empty()
        self._page.banner.show_message(replace(message_for(error), topic=MessageTopic.DOCUMENT))

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        if message.action is MessageAction.CANCEL_OPENING:
            self.opener.cancel()
        elif message.action is MessageAction.OPEN_ANOTHER:
            self.ask()
        elif message.action is MessageAction.SHOW_NOTICES:
            self.show_notices()
        elif message.action is MessageAction.FITTING_VOICE and self.reading.document is not None:
            choice = fitting_choice(self.reading.document.language, self._voices.models)
            if choice is not None:
                self._voices.choose_voice(choice)

    @Slot()
    def _show_text(self) -> None:
        """Show the chapter of the book, or the user's text."""
        reading, page, window = self.reading, self._page, self._window
        if reading.chapter is None:
            page.show_view(page.editor)
            if page.side_bar.panel is self.panel:  # the panel is empty now
                page.side_bar.close_panel()
        else:
            page.book.show_chapter(reading.chapter, self._picture)
            page.show_view(page.book)
            page.book.place_cursor(reading.character)
        path = reading.path
        kept = path if path is not None and path.exists() else None  # a copied page has no file any more
        if not self._resuming:
            self._settings.document = kept
        window.show_document(reading.document.title if reading.document is not None else None, kept)
        self._show_reading()

    def _picture(self, name: str) -> bytes | None:
        """Return a picture of the book, read from the file on demand."""
        path = self.reading.path
        return read_picture(path, name) if path is not None else None

    @Slot()
    def _show_reading(self) -> None:
        reading, menu = self.reading, self._window.menu
        self.panel.show_document(reading.document, reading.place, reading.progress)
        document, place = reading.document, reading.place
        is_book = document is not None
        here = place.bookmarks_here(document) if document is not None else ()
        menu.add_bookmark.setText("Remove Bookmark" if here else "Add Bookmark")
        self._page.book.show_bookmarks([each.character for each in place.bookmarks if each.chapter == place.chapter])
        for command in (menu.close_document, menu.edit_text, menu.add_bookmark):
            command.setEnabled(is_book)
        menu.next_chapter.setEnabled(reading.neighbor(1) is not None)
        menu.previous_chapter.setEnabled(reading.neighbor(-1) is not None)

    @Slot()
    def _show_playing(self) -> None:
        """Show the title of the text being played."""
        spoken, title = self.reading.spoken, ""
        if spoken is not None and self._speech.request is not None:
            book = spoken.owner.document.title if isinstance(spoken.owner, OpenedDocument) else ""
            title = " · ".join(dict.fromkeys(each for each in (spoken.title, book) if each))
        self._page.show_playing(title)

    @Slot()
    def _on_text(self) -> None:
        """Keep text that the user types; it takes precedence over a document that is being resumed."""
        if self._resuming:
            self.opener.cancel()
            self._settings.document = None  # otherwise it would replace the text at the next start

    @Slot(int)
    def _on_chosen(self, chapter: int) -> None:
        self.reading.go_to(chapter)
        self._page.show_text()

    @Slot(object)
    def _on_bookmark(self, bookmark: Bookmark) -> None:
        self.reading.go_to(bookmark.chapter, bookmark.character)
        self._page.show_text()

    @Slot()
    def _on_next(self) -> None:
        self._step(1)

    @Slot()
    def _on_previous(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        if (chapter := self.reading.neighbor(step)) is not None:
            self.reading.go_to(chapter)
            self._page.show_text()

    @Slot(QAction)
    def _on_notes(self, action: QAction) -> None:
        """Apply the choice; playback continues unchanged."""
        self._settings.notes_read = action.data()
        self.reading.choose_notes(action.data())

    def _forget_clipboard(self) -> None:
        if self._clipboard is not None:
            self._clipboard.delete()
            self._clipboard = None


def fitting_choice(language: str, models: Sequence[ModelVoices]) -> VoiceChoice | None:
    """Return the first voice of the best model that speaks a language, preferring one of the same region."""
    ranked = [(voice, each.model) for each in models for voice in each.voices]
    exact = [pair for pair in ranked if pair[0].language.casefold() == language.casefold()]
    same = [pair for pair in ranked if _base(pair[0].language) == _base(language)]
    found = (exact or same)[:1]
    return VoiceChoice(found[0][0].name, found[0][1]) if found else None


def message_about_language(
    title: str, language: str, choice: VoiceChoice, models: Sequence[ModelVoices]
) -> Message | None:
    """Return a warning if the chosen voice does not speak the document's language; None if it does or is unknown."""
    voice = voice_info(choice, models)
    if not language or voice is None or _base(voice.language) == _base(language):
        return None
    message = f"“{title}” is in {language_name(language)}, but {voice.title} speaks {language_name(voice.language)}."
    if fitting_choice(language, models) is not None:
        return Message(message, Severity.WARNING, MessageAction.FITTING_VOICE, topic=MessageTopic.DOCUMENT)
    return Message(f"{message} No installed voice speaks that language.", Severity.WARNING, topic=MessageTopic.DOCUMENT)


def language_name(tag: str) -> str:
    """Return the English name of a language, without its region."""
    known = next((language.name for language in LANGUAGES if _base(language.tag) == _base(tag)), None)
    name = QLocale.languageToString(QLocale(tag.replace("-", "_")).language())
    return (known.rsplit(" ", 1)[-1] if known and _base(tag) != "zh" else name) if known else name


def _base(tag: str) -> str:
    return tag.replace("_", "-").partition("-")[0].casefold()
