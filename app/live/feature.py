"""Live controls, connected to the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QTextCursor

from app.audio.track import AudioTrack
from app.live.insert_menu import InsertMenu
from app.main_window import MainWindow
from app.messages import MAKING_PART
from app.read_along.sentences import sentence_starts
from app.speech.controller import SpeechController
from app.widgets.text_positions import character_of

ADAPT_AFTER_MS = 250
"""What is made follows once a slider has come to rest; what is heard follows at once."""


class LiveFeature(QObject):
    """Speed, voice and pauses act on the speech that is heard; any place can be spoken from."""

    def __init__(self, window: MainWindow, speech: SpeechController) -> None:
        super().__init__(window)
        self._window = window
        self._page = window.page
        self._speech = speech
        self._adapt_timer = QTimer(self, singleShot=True, interval=ADAPT_AFTER_MS)
        self._adapt_timer.timeout.connect(self.adapt)
        self._track = speech.track
        speech.track_changed.connect(self._on_track)
        self.insert = InsertMenu(window.menu, window.page.editor, window.page.header.voices)
        self._connect_controls()
        self._connect_places()

    @Slot()
    def adapt(self) -> None:
        """Let the speech go on with the voice, speed and pauses that are chosen now."""
        request = self._window.request
        if request.voice:
            self._speech.adapt(request.voice, request.speed, request.pause_scale)

    @Slot()
    def speak_from_here(self) -> None:
        """Speak from the start of the sentence in which the cursor is."""
        self.speak_from(self._page.editor.cursor_character)

    def speak_from(self, character: int) -> None:
        """Speak from the start of the sentence of this character of the current text."""
        starts = sentence_starts(self._page.editor.text)
        self._window.speak_part(max(start for start in starts if start <= max(0, character)))

    def _connect_controls(self) -> None:
        header, menu = self._page.header, self._window.menu
        header.speed.speed_changed.connect(self._speech.player.set_speed)
        header.speed.speed_changed.connect(self._adapt_timer.start)
        header.pauses.pauses_changed.connect(self._adapt_timer.start)
        header.voices.voice_chosen.connect(self._adapt_timer.start)
        menu.longer_pauses.triggered.connect(header.pauses.longer)
        menu.shorter_pauses.triggered.connect(header.pauses.shorter)
        menu.usual_pauses.triggered.connect(header.pauses.reset)

    def _connect_places(self) -> None:
        edit = self._page.editor.edit
        self._window.menu.speak_from_here.triggered.connect(self.speak_from_here)
        self._page.player.unmade_wanted.connect(self._on_unmade)
        edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        edit.customContextMenuRequested.connect(self._show_context_menu)

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        """What was chosen just before was chosen for the speech before; another begins as it is asked for."""
        if track is not self._track:
            self._track = track
            self._adapt_timer.stop()

    @Slot(QPoint)
    def _show_context_menu(self, place: QPoint) -> None:
        """The usual menu of a text, with Speak from Here for the place that was clicked."""
        edit = self._page.editor.edit
        menu = edit.createStandardContextMenu(place)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        clicked = edit.cursorForPosition(place)
        first = menu.actions()[0]
        here = menu.addAction("Speak from Here")
        here.triggered.connect(lambda: self._speak_from_cursor(clicked))
        menu.insertAction(first, here)
        menu.insertSeparator(first)
        menu.popup(edit.viewport().mapToGlobal(place))

    def _speak_from_cursor(self, cursor: QTextCursor) -> None:
        self.speak_from(character_of(self._page.editor.text, cursor.position()))

    @Slot(int)
    def _on_unmade(self, sample: int) -> None:
        """Make the speech from about this place on, which its track does not reach yet."""
        if self._adapt_timer.isActive():
            self.adapt()  # what is made from there on is as was chosen just before
        character = self._speech.track.character_expected_at(sample)
        starts = sentence_starts(self._speech.text)
        self._speech.speak_from(max(start for start in starts if start <= character))
        self._page.editor.follow()
        self._page.status.tell(MAKING_PART)
