"""Documents, connected to the window: opening them, the chapters panel, and going on from chapter to chapter."""

from __future__ import annotations

import threading
from dataclasses import replace
from html import escape
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QTimer, Slot
from PySide6.QtGui import QAction, QGuiApplication

from app.audio.player import Playback
from app.main_window import MainWindow
from app.messages import Message, Remedy, Tone, message_for, message_for_document
from app.reader.chapters_panel import ChaptersPanel
from app.reader.fitting_voice import fitting_choice, message_about_language
from app.reader.opener import DocumentOpener, OpenedDocument, Reader, read_opened
from app.reader.places import Places
from app.reader.reading import Reading
from app.reader.sources import ClipboardPage, DropTarget
from app.settings import Settings
from app.speech.controller import SpeechController
from app.theme import Theme
from app.widgets.file_dialogs import ask_which_document
from app.widgets.local_files import local_files
from app.widgets.page import Page
from engine.documents import Chapter, Document, read_document
from engine.errors import NothingToSpeak
from engine.speech import Utterance

PANEL = "Chapters"
SHOW_OPENING_AFTER_MS = 400
"""Most documents are open before; a message would only flicker."""


class ReaderFeature(QObject):
    """The chapter that is shown is the text in the editor; at the end of what is heard of it the next one begins."""

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        theme: Theme,
        places: Places | None = None,
        read: Reader = read_document,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._settings = settings
        self._voices = window.page.header.voices
        self._showing = False
        self._resuming = False
        self._heard: tuple[int, Chapter | None] | None = None
        self._page: ClipboardPage | None = None
        self._later: Message | None = None
        self._read = read
        self.opener = DocumentOpener(self, read)
        self.reading = Reading(places or Places(), self, notes=settings.notes_read)
        self.panel = ChaptersPanel()
        self._opening = QTimer(self, singleShot=True, interval=SHOW_OPENING_AFTER_MS)
        self._opening.timeout.connect(self._show_opening)
        self._connect_sources()
        self._connect_reading()
        self._connect_panel(theme)

    def document(self) -> Document | None:
        """What is read of the document that is open; raises `InvalidRequest` if that is nothing."""
        return self.reading.chosen_document

    def left_out(self) -> int:
        """The number of chapters that are not read of the document that is open."""
        document = self.reading.document
        return len(document.chapters) - len(self.reading.chosen) if document is not None else 0

    def read_chosen(self, path: Path, cancel: threading.Event) -> Document:
        """What is read of any document, as chosen when it was open; raises `EngineError` children; any thread."""
        return self.reading.as_chosen(read_opened(self._read, path, cancel))

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop opening; return whether that was done in time."""
        ended = self.opener.shut_down(timeout_ms)
        self._forget_page()
        return ended

    def resume(self) -> None:
        """Open the document that was being read when the window was closed last, if one was."""
        if (path := self._settings.document) is not None:
            self.opener.open(path)
            self._resuming = True

    @Slot()
    def ask(self) -> None:
        """Ask for a document and open it."""
        ask_which_document(self._window, self._settings.save_folder, self._window.file_wanted.emit)

    @Slot()
    def open_clipboard(self) -> None:
        """Open what was copied: files, a part of a page, or text."""
        content = QGuiApplication.clipboard().mimeData() or QMimeData()  # an empty one has none
        if files := local_files(content):
            self._window.files_given.emit(files)
        elif content.hasHtml():
            self._forget_page()
            self._page = ClipboardPage(content.html())
            self.opener.open(self._page.path)
        elif content.text().strip():
            self._window.page.editor.set_text(content.text())
        else:
            self._window.show_failure(NothingToSpeak("There is no text on the clipboard.", "Copy some first."))

    @Slot()
    def show_notices(self) -> Page | None:
        """Show all notices of the document, in a window beside this one."""
        document = self.reading.document
        if document is None:
            return None
        listed = "".join(f"<li>{escape(notice)}</li>" for notice in document.notices)
        page = Page("Notices", f"<h3>{escape(document.title)}</h3><ul>{listed}</ul>", self._window)
        page.show()
        return page

    def _connect_sources(self) -> None:
        window = self._window
        window.menu.open_text.triggered.connect(self.ask)
        window.menu.open_clipboard.triggered.connect(self.open_clipboard)
        window.file_wanted.connect(self.opener.open)
        window.files_given.connect(self._on_files)
        DropTarget(window).dropped.connect(window.files_given)
        self.opener.busy_changed.connect(self._on_busy)
        self.opener.opened.connect(self._on_opened)
        self.opener.failed.connect(self._on_failed)
        window.page.banner.remedy_chosen.connect(self._on_remedy)
        window.page.banner.close_button.clicked.connect(self._show_later)

    def _connect_reading(self) -> None:
        self.reading.chapter_changed.connect(self._show_chapter)
        self.reading.changed.connect(self._show_reading)
        editor = self._window.page.editor
        editor.text_leaves.connect(self._on_leaving)
        editor.text_replaced.connect(self._on_replaced)
        editor.text_changed.connect(self._on_text)
        self._speech.track_changed.connect(self._on_track)
        self._speech.utterance_changed.connect(self._on_utterance)
        self._speech.player.playback_changed.connect(self._on_playback)

    def _connect_panel(self, theme: Theme) -> None:
        window, panel = self._window, self.panel
        window.menu.add_view(window.page.side_bar.add(PANEL, panel), "Ctrl+1")
        window.menu.next_chapter.triggered.connect(self._on_next)
        window.menu.previous_chapter.triggered.connect(self._on_previous)
        window.page.header.speed.speed_changed.connect(panel.set_speed)
        panel.set_speed(window.page.header.speed.speed)
        panel.chapter_chosen.connect(self._on_chosen)
        panel.chapter_ticked.connect(self.reading.choose)
        panel.notices_wanted.connect(self.show_notices)
        window.menu.choose_notes(self._settings.notes_read)
        window.menu.notes.triggered.connect(self._on_notes)
        panel.set_colours(theme.colours)
        theme.changed.connect(panel.set_colours)
        self._show_reading()

    @Slot()
    def _on_busy(self) -> None:
        if self.opener.busy:
            self._opening.start()
        else:
            self._opening.stop()
            self._resuming = False
            message = self._window.page.banner.message
            if message is not None and message.remedy is Remedy.CANCEL_OPENING:
                self._window.page.banner.dismiss()

    @Slot()
    def _show_opening(self) -> None:
        name = self.opener.path.name
        self._window.page.banner.show_message(Message(f"Opening “{name}”…", Tone.NOTE, Remedy.CANCEL_OPENING))

    @Slot(list)
    def _on_files(self, files: list[Path]) -> None:
        self.opener.open(files[0])
        if files[1:]:
            self._window.page.status.tell(f"Only {files[0].name} is opened, as one document is read at a time")

    @Slot(object)
    def _on_opened(self, opened: OpenedDocument) -> None:
        if self._page is None or opened.path != self._page.path:
            self._window.file_opened.emit(opened.path)
        self._forget_page()
        self._window.page.banner.dismiss()
        resumed = opened.path == self._settings.document
        self.reading.begin(opened)
        if len(opened.document.chapters) > 1 and not resumed:
            self._window.page.side_bar.open(self.panel)
        self._tell(opened.document, resumed=resumed)

    def _tell(self, document: Document, *, resumed: bool) -> None:
        """Say what a person should know about a document, one after the other; notices were told if it is resumed."""
        voices = self._voices
        language = message_about_language(document.title, document.language, voices.choice, voices.models)
        notices = message_for_document(document.notices) if document.notices and not resumed else None
        self._later = notices
        if language is not None:
            self._window.page.banner.show_message(language)
        else:
            self._show_later()

    @Slot()
    def _show_later(self) -> None:
        message, self._later = self._later, None
        if message is not None:
            self._window.page.banner.show_message(message)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._forget_page()
        if self.opener.path == self._settings.document:
            self._settings.document = None
        self._window.page.banner.show_message(replace(message_for(error), about_text=True))

    @Slot(object)
    def _on_remedy(self, message: Message) -> None:
        if message.remedy is Remedy.CANCEL_OPENING:
            self.opener.cancel()
        elif message.remedy is Remedy.OPEN_ANOTHER:
            self.ask()
        elif message.remedy is Remedy.SHOW_NOTICES:
            self.show_notices()
        elif message.remedy is Remedy.FITTING_VOICE and self.reading.document is not None:
            choice = fitting_choice(self.reading.document.language, self._voices.models)
            if choice is not None:
                self._voices.take(choice)
            self._show_later()

    @Slot()
    def _show_chapter(self) -> None:
        chapter = self.reading.chapter
        if chapter is not None:
            self._showing = True
            self._window.memory.lend_text(chapter.text)
            self._window.page.editor.place_cursor(self.reading.place.character)
            self._showing = False
            path = self.reading.path
            self._settings.document = path if path is not None and path.exists() else None  # a copied page is gone

    @Slot()
    def _show_reading(self) -> None:
        reading, menu = self.reading, self._window.menu
        self.panel.show_document(reading.document, reading.place, reading.heard_share)
        menu.next_chapter.setEnabled(reading.neighbour(1) is not None)
        menu.previous_chapter.setEnabled(reading.neighbour(-1) is not None)

    @Slot()
    def _on_leaving(self) -> None:
        """A text that is shown after a document was wanted is what is wanted now."""
        if not self._showing:
            self.opener.cancel()

    @Slot()
    def _on_text(self) -> None:
        """What somebody types stays, rather than give way to a document that was not asked for."""
        if self._resuming:
            self.opener.cancel()

    @Slot()
    def _on_replaced(self) -> None:
        if not self._showing:
            self.reading.leave()
            self._settings.document = None
            self._later = None

    @Slot(int)
    def _on_chosen(self, chapter: int) -> None:
        self.reading.go_to(chapter)
        self._window.page.side_bar.give_way()

    @Slot()
    def _on_next(self) -> None:
        self._step(1)

    @Slot()
    def _on_previous(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        if (chapter := self.reading.neighbour(step)) is not None:
            self.reading.go_to(chapter)

    @Slot(QAction)
    def _on_notes(self, action: QAction) -> None:
        """Playback continues unchanged."""
        self._settings.notes_read = action.data()
        silent = self._speech.player.playback is Playback.STOPPED and not self._speech.activity.can_stop
        self.reading.choose_notes(action.data(), at_once=silent)

    @Slot(object)
    def _on_track(self, track: object) -> None:
        """Note whether the chapter is what is heard from now on, from some place to its end."""
        chapter, request = self.reading.chapter, self._speech.request
        is_chapter = chapter is not None and request is not None and request.text == chapter.text
        is_heard = is_chapter and request is not None and request.end is None
        self._heard = self._shown() if is_heard else None

    @Slot(object)
    def _on_utterance(self, utterance: Utterance | None) -> None:
        if utterance is not None and self._is_heard():
            self.reading.hear(utterance.start)

    @Slot()
    def _on_playback(self) -> None:
        if self._speech.heard_to_the_end and self._is_heard() and self.reading.finish_chapter():
            self._window.speak()

    def _shown(self) -> tuple[int, Chapter | None]:
        """The chapter that is shown; its number alone would be the same in any document."""
        return self.reading.place.chapter, self.reading.chapter

    def _is_heard(self) -> bool:
        return self._heard is not None and self._heard == self._shown()

    def _forget_page(self) -> None:
        if self._page is not None:
            self._page.delete()
            self._page = None
