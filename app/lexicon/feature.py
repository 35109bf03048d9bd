"""Connects the Pronunciations window with the text, the voice, and the menu."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence

from app.main_window import MainWindow
from app.settings import Settings
from app.speech.controller import SpeechController
from app.speech.pronunciations import OutdatedPronunciations
from app.speech.voice_choice import voice_info
from engine.errors import InvalidRequest
from engine.speech import SpeechRequest, Utterance
from engine.text.languages import Language, language_of

if TYPE_CHECKING:
    from app.lexicon.entries import OpenText, Place
    from app.lexicon.window import LexiconWindow
    from engine.text.g2p.user_lexicon.entries import LexiconEntry

TITLE = "Pronunciations"
SHORTCUT = "Ctrl+Shift+R"


class LexiconFeature(QObject):
    """The menu command, and the window once it is first opened.

    `changed` is emitted when entries were added, changed or removed: sentences may be pronounced differently now.
    """

    changed = Signal()

    def __init__(self, window: MainWindow, speech: SpeechController, settings: Settings) -> None:
        super().__init__(window)
        self._main, self._speech, self._settings = window, speech, settings
        self.outdated = OutdatedPronunciations(speech, self)
        self.outdated.found.connect(self._on_outdated)
        self.action = QAction(f"{TITLE}…", self)
        self.action.setShortcut(QKeySequence(SHORTCUT))
        self.action.triggered.connect(self.open)
        window.menu.speech_menu.insertAction(window.menu.preview, self.action)
        window.closed.connect(self._on_closed)

    @cached_property
    def window(self) -> LexiconWindow:
        """The window, which is hidden at first."""
        from app.lexicon.session import LexiconSession  # imports the engine's rules for texts
        from app.lexicon.window import LexiconWindow

        session = LexiconSession(self._texts, parent=self)
        session.changed.connect(self._on_changed)
        window = LexiconWindow(self._main, session, self._settings.save_folder)
        window.voice_language = lambda: self._language
        window.restore(self._settings.lexicon_place)
        window.place_chosen.connect(self._on_place)
        window.play_requested.connect(self._on_play)
        window.addActions([self._main.menu.close_window, self._main.menu.quit])
        for changed in (self._main.reading.text_changed, self._main.page.editor.text_changed):
            changed.connect(window.preview_again)
        return window

    @Slot()
    def open(self) -> None:
        """Show the window."""
        self.window.default_language = self._default_language
        self.window.open()

    @Slot(str, str)
    def say_everywhere(self, word: str, pronunciation: str) -> None:
        """Save the pronunciation of a word, words or phonemes between slashes, and show its entry and its places."""
        from app.lexicon.entries import EntryColumn, with_value
        from engine.text.g2p.user_lexicon.entries import LexiconEntry

        entry = with_value(
            LexiconEntry(word, language=self._default_language), EntryColumn.PRONUNCIATION, pronunciation
        )
        self.open()
        self.window.put(entry)

    def shut_down(self, timeout_ms: int) -> bool:
        """Save everything, and end; return whether that succeeded in time."""
        return "window" not in vars(self) or self.window.session.shut_down(timeout_ms)

    @property
    def _language(self) -> Language | None:
        """The language of the chosen voice; None while unknown."""
        voices = self._main.page.header.voices
        info = voice_info(voices.choice, voices.models)
        return language_of(info.language) if info is not None else None

    @property
    def _default_language(self) -> str:
        from engine.text.g2p.user_lexicon.entries import ENGLISH

        language = self._language
        return ENGLISH if language is None or language.english else language.tag

    def _texts(self) -> Sequence[OpenText]:
        from app.lexicon.entries import OpenText

        reading = self._main.reading
        if reading.document is None:
            return (OpenText(reading.text),)
        return tuple(OpenText(each.text, number, each.title) for number, each in enumerate(reading.document.chapters))

    @Slot(object)
    def _on_changed(self, entries: Sequence[LexiconEntry]) -> None:
        spoken = self._main.reading.spoken
        if spoken is not None and spoken.owner is not None:  # a recording in the history stays
            self.outdated.look()
        self.changed.emit()

    @Slot(object)
    def _on_outdated(self, utterances: Sequence[Utterance]) -> None:
        if utterances:
            count = len(utterances)
            self._main.page.status.show_message(
                f"{count} {'sentence' if count == 1 else 'sentences'} will be spoken again"
            )

    @Slot(object)
    def _on_place(self, place: Place) -> None:
        """Show a place in the text."""
        reading, page = self._main.reading, self._main.page
        if place.chapter is not None and reading.place.chapter != place.chapter:
            reading.go_to(place.chapter, place.start)
        page.show_text()
        page.view.select(place.start, place.end)
        self._main.come_to_front()

    @Slot(object)
    def _on_play(self, entry: LexiconEntry) -> None:
        """Pronounce an entry in the chosen voice, in the language of the entry."""
        chosen, voice = self._main.chosen, self._language
        text = f"[{entry.title}](/{entry.phonemes}/)" if entry.phonemes else entry.say
        if not text.strip() or voice is None:
            self.window.show_failure(InvalidRequest("There’s nothing to play.", "Enter a pronunciation first."))
            return
        spoken = voice if entry.applies_to(voice) else entry.languages()[0]
        self._speech.preview(SpeechRequest(text, chosen.voice, chosen.speed, language=spoken.tag))

    @Slot()
    def _on_closed(self) -> None:
        if "window" in vars(self):
            self._settings.lexicon_place = self.window.place
            self.window.close()
