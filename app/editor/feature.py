"""Connects the Shape Speech window with the text, the settings, and the menu."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence

from app.audio.output import AudioOutput
from app.audio.sound_player import SoundPlayer
from app.editor.session import EditorSession
from app.editor.text_edits import TextEdits
from app.editor.window import TITLE, EditorWindow
from app.main_window import MainWindow
from app.settings import Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController

SHORTCUT = "Ctrl+Shift+E"
PLAN_AFTER_MS = 400
"""The time from a change of the text until its sentences are planned again."""


class EditorFeature(QObject):
    """The shaping of sentences: the edits of all texts from the start, and the window once it is first opened.

    `said_everywhere` carries a word and the pronunciation that the user wants in all texts.
    """

    said_everywhere = Signal(str, str)

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        output: AudioOutput,
        settings: Settings,
        edits: TextEdits | None = None,
    ) -> None:
        super().__init__(window)
        self._main, self._speech, self._output, self._settings = window, speech, output, settings
        self._later = QTimer(self, singleShot=True, interval=PLAN_AFTER_MS)
        self._later.timeout.connect(self._plan_again)
        self.edits = edits or TextEdits(parent=self)
        self.action = QAction(f"{TITLE}…", self, enabled=False)
        self.action.setShortcut(QKeySequence(SHORTCUT))
        self.action.triggered.connect(self.open)
        menu = window.menu
        menu.speech_menu.insertAction(menu.preview, self.action)
        reading, editor = window.reading, window.page.editor
        reading.edits_of, reading.definitions_of = self.edits.of, self.edits.definitions_of
        editor.text_edited.connect(self._on_text_edited)
        editor.text_replaced.connect(self._follow_text)
        self.edits.changed.connect(self._follow_text)
        for changed in (reading.text_changed, editor.text_changed):
            changed.connect(self._on_text)
        speech.activity_changed.connect(self._on_activity)
        window.closed.connect(self._on_closed)
        self._follow_text()
        self._on_text()

    @cached_property
    def window(self) -> EditorWindow:
        """The window, which is hidden at first."""
        sounds = SoundPlayer(self._speech.player, self._output, self)
        session = EditorSession(self._speech.engine.worker, sounds, self.edits, self)
        session.play_changes = self._settings.play_changes
        window = EditorWindow(self._main, session)
        sounds.failed.connect(window.show_failure)
        window.restore(self._settings.editor_place)
        window.inspector.said_everywhere.connect(self.said_everywhere)
        window.play_changes.toggled.connect(self._on_play_changes)
        window.addActions([self._main.menu.close_window, self._main.menu.quit])
        return window

    @Slot()
    def open(self) -> None:
        """Shape the sentence that is playing, or else the one at the cursor."""
        playing = self._speech.playback is not self._speech.playback.STOPPED
        utterance = self._speech.track.segment_at(self._speech.player.position) if playing else None
        shown = self._main.reading.shown_character(utterance.utterance.start) if utterance is not None else None
        self.open_at(self._main.page.view.cursor_character if shown is None else shown)

    def open_at(self, character: int) -> None:
        """Shape the sentence at a character of the text on display."""
        if self._can_open:
            self.window.open()
            self.window.session.open(self._main.request, character)

    @Slot()
    def follow_lexicon(self) -> None:
        """Plan the sentence on display again after a change of the lexicon; edits with the same phonemes stay."""
        if "window" in vars(self):
            session = self.window.session
            start = session.utterance.start if session.utterance is not None else 0
            session.forget_plan()
            if self.window.isVisible():
                self.open_at(min(start, max(0, len(self._main.reading.text) - 1)))

    @property
    def _can_open(self) -> bool:
        return bool(self._main.reading.text.strip()) and self._main.page.header.voices.known

    @Slot(int, int, int)
    def _on_text_edited(self, start: int, removed: int, added: int) -> None:
        self.edits.move(self._main.page.editor.text, start, removed, added)

    @Slot()
    def _follow_text(self) -> None:
        self.edits.follow_text_changes(self._main.page.editor.text)

    @Slot()
    def _on_text(self) -> None:
        """Follow a change of the text on display."""
        self.action.setEnabled(self._can_open)
        self._later.start()

    @Slot()
    def _plan_again(self) -> None:
        """Show the sentence as it is in the changed text."""
        if "window" in vars(self) and self.window.isVisible():
            session, request = self.window.session, self._main.request
            if request.text != session.text and self._can_open:
                start = session.utterance.start if session.utterance is not None else 0
                session.open(request, min(start, max(0, len(request.text) - 1)))

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self.action.setEnabled(self._can_open)

    @Slot(bool)
    def _on_play_changes(self, on: bool) -> None:
        self._settings.play_changes = on

    @Slot()
    def _on_closed(self) -> None:
        self._later.stop()
        if "window" in vars(self):
            self._settings.editor_place = self.window.place
            self.window.close()
