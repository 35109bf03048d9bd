"""Reading along, connected to the window: words are marked as they are spoken, and playback can start anywhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.main_window import MainWindow
from app.messages import MAKING_PART
from app.read_along.actions import InsertMenu, ReadAlongActions
from app.read_along.sentences import HeardSentence, HeardSentences
from app.read_along.text_size import SIZES_PIXELS, TextSize
from app.settings import DEFAULT_TEXT_PIXELS, Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.speech.page import SpeechPage
from app.widgets.text_views import character_of
from engine.speech import SpokenWord, Utterance
from engine.text.sentences import sentence_at

SENTENCE_GRACE_SECONDS = 1.5
"""The time after the start of a sentence in which “back” goes to the one before."""
Mark = tuple[Utterance, HeardSentence | None, SpokenWord | None]
ADAPT_AFTER_MS = 250
"""The delay after the last slider movement before generation adapts; playback adapts immediately."""
LINE_CHARACTERS = 70


class ReadAlongFeature(QObject):
    """Marks the spoken words in the displayed text, and moves the reading position.

    `shape_requested` carries a character whose sentence the user wants to shape.
    """

    shape_requested = Signal(int)

    def __init__(self, window: MainWindow, speech: SpeechController, settings: Settings) -> None:
        super().__init__(window)
        self._speech = speech
        self._reading = window.reading
        self._page = window.page
        self._track = speech.track
        self._sentences = HeardSentences(speech.text)
        self._marked: Mark | None = None
        self.actions = ReadAlongActions(window.menu)
        self.focus = FocusMode(window, window.page)
        self.text_size = TextSize(window.page, settings, self)
        self.adapting = Adapting(window, speech)
        self.insert = InsertMenu(window.menu, window.page.editor, window.page.header.voices)
        self._connect_speech()
        self._connect_page()
        self._connect_actions(window)
        self._on_track(speech.track)
        self._on_text_size(self.text_size.pixels)

    @Slot()
    def go_back(self) -> None:
        """Go to the start of the current sentence, or, soon after that, to the one before."""
        grace = round(SENTENCE_GRACE_SECONDS * self._track.sample_rate_hz)
        self._speech.player.seek(self._sentences.before(self._speech.player.position, grace))

    @Slot()
    def go_forward(self) -> None:
        """Go to the start of the next sentence."""
        sample = self._sentences.after(self._speech.player.position)
        if sample is not None:
            self._speech.player.seek(sample)
        else:
            last = self._track.whole
            self._page.status.show_message("This is the last sentence" if last else "The next sentence isn’t ready yet")

    @Slot()
    def play_from_here(self) -> None:
        """Play from the sentence in which the cursor is."""
        self._reading.play_from(sentence_at(self._reading.text, self._page.view.cursor_character))

    def _connect_speech(self) -> None:
        speech = self._speech
        speech.track_changed.connect(self._on_track)
        speech.track_grew.connect(self._on_growth)
        speech.utterance_changed.connect(self._on_utterance)
        speech.activity_changed.connect(self._on_activity)
        speech.player.position_changed.connect(self._on_position)
        speech.player.jumped.connect(self._on_jump)

    def _connect_page(self) -> None:
        page = self._page
        keys = self.actions.back_to_reading.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        for view in (page.editor, page.book):
            view.place_requested.connect(self._on_place)
            view.chip.setToolTip(f"{view.chip.toolTip()} ({keys})")
            view.marks.left_changed.connect(self.actions.back_to_reading.setEnabled)
        page.book.sentence_requested.connect(self._on_sentence)
        page.player.unmade_requested.connect(self._on_unmade)
        for edit, slot in ((page.editor.edit, self._show_text_menu), (page.book.edit, self._show_book_menu)):
            edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            edit.customContextMenuRequested.connect(slot)

    def _connect_actions(self, window: MainWindow) -> None:
        actions, menu, zoom = self.actions, window.menu, self._page.player.waveform.zoom
        pauses = self._page.header.pauses
        for action, slot in (
            (actions.sentence_back, self.go_back),
            (actions.sentence_forward, self.go_forward),
            (actions.back_to_reading, self._follow),
            (actions.leave_focus, self._on_leave_focus),
            (actions.larger, self.text_size.enlarge),
            (actions.smaller, self.text_size.reduce),
            (actions.normal_size, self.text_size.reset),
            (actions.zoom_in, zoom.zoom_in),
            (actions.zoom_out, zoom.zoom_out),
            (actions.whole, zoom.show_whole),
            (menu.speak_from_here, self.play_from_here),
            (menu.longer_pauses, pauses.longer),
            (menu.shorter_pauses, pauses.shorter),
            (menu.normal_pauses, pauses.reset),
        ):
            action.triggered.connect(slot)
        self.text_size.changed.connect(self._on_text_size)
        actions.focus.toggled.connect(self.focus.set_on)
        self.focus.changed.connect(self._on_focus)

    @Slot()
    def _follow(self) -> None:
        self._page.view.resume_following()

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        self._track = track
        self._sentences = HeardSentences(self._speech.text)
        self._marked = None
        self._on_growth()

    @Slot()
    def _on_growth(self) -> None:
        self._sentences.set_track(self._track)
        self._page.player.waveform.show_sentences(self._sentences.samples)
        for action in self.actions.for_sound:
            action.setEnabled(self._track.length > 0)

    @Slot(object)
    def _on_utterance(self, utterance: Utterance | None) -> None:
        self._marked = None  # it is the utterance that is marked now, or nothing
        if utterance is not None:
            self._mark(self._speech.player.position)
        elif self._reading.shows_spoken:
            self._page.view.mark(None)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        if self._speech.playback is not Playback.STOPPED:
            self._mark(position)

    @Slot(int)
    def _on_jump(self, sample: int) -> None:
        """Show the place in the text; during playback, the mark follows with the audio."""
        self._follow()
        self._page.player.waveform.zoom.follow_playback(sample)
        if self._speech.playback is not Playback.PLAYING:
            self._mark(sample)

    @Slot(int)
    def _on_sentence(self, step: int) -> None:
        if self._track.length:
            (self.go_back if step < 0 else self.go_forward)()

    @Slot(object, int)
    def _on_place(self, _spoken: object, character: int) -> None:
        """Play from the place that was clicked in the displayed text."""
        track = self._speech.track
        self._reading.play_from(character)
        self._follow()
        if self._speech.track is not track:
            self._page.status.show_message(MAKING_PART)

    @Slot(int)
    def _on_unmade(self, sample: int) -> None:
        """Generate the speech from about this place on, which its track does not reach yet."""
        self.adapting.adapt_now()  # so that the new part uses the latest choices
        character = self._track.character_expected_at(sample)
        shown = self._reading.shown_character(character)
        if shown is not None:
            self._reading.play_from(shown)
        else:
            self._speech.speak_from(sentence_at(self._speech.text, character))
        self._follow()
        self._page.status.show_message(MAKING_PART)

    @Slot(QPoint)
    def _show_text_menu(self, place: QPoint) -> None:
        edit = self._page.editor.edit
        character = character_of(self._page.editor.text, edit.cursorForPosition(place).position())
        self._show_context_menu(edit.createStandardContextMenu(place), character, edit.viewport().mapToGlobal(place))

    @Slot(QPoint)
    def _show_book_menu(self, place: QPoint) -> None:
        edit, character = self._page.book.edit, self._page.book.character_at(place)
        self._show_context_menu(edit.createStandardContextMenu(place), character, edit.viewport().mapToGlobal(place))

    def _show_context_menu(self, menu: QMenu, character: int, place: QPoint) -> None:
        """Show the standard context menu of a text, with commands for the character that was clicked."""
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        first = menu.actions()[0]
        here = menu.addAction("Play from Here")
        here.triggered.connect(lambda: self._reading.play_from(sentence_at(self._reading.text, character)))
        shape = menu.addAction("Shape This Sentence…")
        shape.triggered.connect(lambda: self.shape_requested.emit(character))
        menu.insertActions(first, [here, shape])
        menu.insertSeparator(first)
        menu.popup(place)

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self._offer_leaving()

    @Slot(bool)
    def _on_focus(self, on: bool) -> None:
        self.actions.focus.setChecked(on)
        self._offer_leaving()

    @Slot()
    def _on_leave_focus(self) -> None:
        self.focus.set_on(False)

    @Slot(int)
    def _on_text_size(self, pixels: int) -> None:
        """Enable the actions that change the size."""
        self.actions.larger.setEnabled(pixels < SIZES_PIXELS[-1])
        self.actions.smaller.setEnabled(pixels > SIZES_PIXELS[0])
        self.actions.normal_size.setEnabled(pixels != DEFAULT_TEXT_PIXELS)

    def _offer_leaving(self) -> None:
        """Enable Leave Focus Mode only while there is nothing to stop, since both use the same key."""
        self.actions.leave_focus.setEnabled(self.focus.on and not self._speech.activity.can_stop)

    def _mark(self, position: int) -> None:
        """Mark the word and its sentence; while words are unknown, the whole utterance."""
        segment = self._track.segment_at(position)
        if segment is None:
            return
        self._sentences.set_track(self._track)  # its audio may have been generated just now
        known = bool(self._track.words.around(position))
        sentence = self._sentences.at(position) if known else None
        mark: Mark = (segment.utterance, sentence, self._track.words.at(position))
        if mark == self._marked:
            return
        self._marked = mark
        self._reading.hear(segment.utterance.start if sentence is None else sentence.start)
        if not self._reading.shows_spoken:
            return
        if sentence is None:
            self._page.view.mark(segment.utterance)
        else:
            self._page.view.mark_word(segment.utterance, sentence.start, sentence.end, mark[2])


class Adapting(QObject):
    """Adapts speech to the controls; a queue or history item keeps its voice until the user chooses a new one."""

    def __init__(self, window: MainWindow, speech: SpeechController) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._track = speech.track
        self._voice_chosen = False
        self._timer = QTimer(self, singleShot=True, interval=ADAPT_AFTER_MS)
        self._timer.timeout.connect(self.adapt)
        speech.track_changed.connect(self._on_track)
        header = window.page.header
        header.speed.speed_changed.connect(speech.player.set_speed)
        header.speed.speed_changed.connect(self._timer.start)
        header.pauses.pauses_changed.connect(self._timer.start)
        header.voices.voice_chosen.connect(self._on_voice)

    @Slot()
    def adapt(self) -> None:
        """Continue the speech with the current voice, speed and pauses."""
        self._timer.stop()
        chosen, spoken = self._window.chosen, self._window.reading.spoken
        own_voice = spoken is not None and spoken.owner is None and not self._voice_chosen
        voice = self._speech.request.voice if own_voice and self._speech.request is not None else chosen.voice
        if voice:
            self._speech.adapt(voice, chosen.speed, chosen.pause_scale)

    def adapt_now(self) -> None:
        """Adapt immediately if a change is pending."""
        if self._timer.isActive():
            self.adapt()

    @Slot()
    def _on_voice(self) -> None:
        self._voice_chosen = True
        self._timer.start()

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        """Discard choices made for the speech before; a new one begins as requested."""
        if track is not self._track:
            self._track, self._voice_chosen = track, False
            self._timer.stop()


class FocusMode(QObject):
    """Hides parts of a window and shows them again when it ends, at the latest when the window closes.

    Notifications, such as a message or the file being saved, stay.
    """

    changed = Signal(bool)

    def __init__(self, window: QMainWindow, page: SpeechPage) -> None:
        super().__init__(window)
        self._page = page
        self._on = False
        self._panel: QWidget | None = None
        window.installEventFilter(self)

    @property
    def on(self) -> bool:
        """True while focus mode is on."""
        return self._on

    def set_on(self, on: bool) -> None:
        """Enter or leave focus mode."""
        if on != self._on:
            self._on = on
            self._enter() if on else self._leave()
            self._page.editor.edit.limit_lines(LINE_CHARACTERS if on else None)
            for view in (self._page.editor, self._page.book):
                view.marks.set_centered(on)
                QTimer.singleShot(0, view.marks.keep_in_view)  # once everything has its new size
            self.changed.emit(on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave focus mode before a closing window saves its layout."""
        if event.type() is QEvent.Type.Close:
            self.set_on(False)
        return False

    def _enter(self) -> None:
        page = self._page
        self._panel = page.side_bar.panel
        page.side_bar.close_panel()
        page.show_text()
        page.header.hide()
        page.fold_player(self, folded=True)
        page.focus_text()

    def _leave(self) -> None:
        page = self._page
        page.header.show()
        page.fold_player(self, folded=False)
        if self._panel is not None:
            page.side_bar.open(self._panel)
