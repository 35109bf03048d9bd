"""Reading along, connected to the window: words are marked as they are heard, and any place can be heard."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QKeySequence

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.main_window import MainWindow
from app.messages import MAKING_PART
from app.read_along.actions import ReadAlongActions
from app.read_along.focus_mode import FocusMode
from app.read_along.sentences import HeardSentence, HeardSentences
from app.read_along.text_size import SIZES_PIXELS, TextSize
from app.settings import USUAL_TEXT_PIXELS, Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from engine.speech import SpokenWord, Utterance

SENTENCE_GRACE_SECONDS = 1.5
"""So soon after a sentence began, “back” means the one before."""

Mark = tuple[Utterance, HeardSentence | None, SpokenWord | None]


class ReadAlongFeature(QObject):
    """`unmade_wanted` carries the character of the text from which somebody wants to hear what is not made."""

    unmade_wanted = Signal(int)

    def __init__(self, window: MainWindow, speech: SpeechController, settings: Settings) -> None:
        super().__init__(window)
        self._speech = speech
        self._page = window.page
        self._track = speech.track
        self._sentences = HeardSentences(speech.text)
        self._marked: Mark | None = None
        self.actions = ReadAlongActions(window.menu)
        self.focus = FocusMode(window, window.page)
        self.text_size = TextSize(window.page.editor, settings, self)
        self._connect_speech()
        self._connect_page()
        self._connect_actions()
        self._on_track(speech.track)
        self._on_text_size(self.text_size.pixels)

    def hear_from(self, character: int) -> bool:
        """Hear the speech from the word at this character of its text on; return whether that is made."""
        heard = self._speech.hear_from(character)
        if heard:
            self._on_seek(self._speech.player.position)
        return heard

    @Slot()
    def go_back(self) -> None:
        """Go to the start of the sentence that is heard, or to the one before soon after that."""
        grace = round(SENTENCE_GRACE_SECONDS * self._track.sample_rate_hz)
        self._go(self._sentences.before(self._speech.player.position, grace))

    @Slot()
    def go_forward(self) -> None:
        """Go to the start of the next sentence."""
        sample = self._sentences.after(self._speech.player.position)
        if sample is not None:
            self._go(sample)
        else:
            last = self._track.whole
            self._page.status.tell("This is the last sentence" if last else "The next sentence is not made yet")

    def _connect_speech(self) -> None:
        speech = self._speech
        speech.track_changed.connect(self._on_track)
        speech.track_grew.connect(self._on_growth)
        speech.utterance_changed.connect(self._on_utterance)
        speech.activity_changed.connect(self._on_activity)
        speech.player.position_changed.connect(self._on_position)

    def _connect_page(self) -> None:
        page = self._page
        page.editor.place_wanted.connect(self._on_place)
        keys = self.actions.back_to_reading.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        page.editor.chip.setToolTip(f"{page.editor.chip.toolTip()} ({keys})")
        page.editor.marks.left_changed.connect(self.actions.back_to_reading.setEnabled)
        page.player.seek_wanted.connect(self._on_seek)

    def _connect_actions(self) -> None:
        actions, zoom = self.actions, self._page.player.waveform.zoom
        for action, slot in (
            (actions.sentence_back, self.go_back),
            (actions.sentence_forward, self.go_forward),
            (actions.back_to_reading, self._page.editor.follow),
            (actions.leave_focus, self._on_leave_focus),
            (actions.larger, self.text_size.enlarge),
            (actions.smaller, self.text_size.reduce),
            (actions.usual_size, self.text_size.reset),
            (actions.zoom_in, zoom.zoom_in),
            (actions.zoom_out, zoom.zoom_out),
            (actions.whole, zoom.show_whole),
        ):
            action.triggered.connect(slot)
        self.text_size.changed.connect(self._on_text_size)
        actions.focus.toggled.connect(self.focus.set_on)
        self.focus.changed.connect(self._on_focus)

    def _go(self, sample: int) -> None:
        self._speech.player.seek(sample)
        self._on_seek(sample)

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        self._track = track
        self._sentences = HeardSentences(self._speech.text)
        self._marked = None
        self._on_growth()

    @Slot()
    def _on_growth(self) -> None:
        self._sentences.take(self._track)
        self._page.player.waveform.show_sentences(self._sentences.samples)
        for action in self.actions.for_sound:
            action.setEnabled(self._track.length > 0)

    @Slot(object)
    def _on_utterance(self, utterance: Utterance | None) -> None:
        self._marked = None  # it is the utterance that is marked now, or nothing
        if utterance is not None:
            self._mark(self._speech.player.position)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        if self._speech.player.playback is not Playback.STOPPED:
            self._mark(position)

    @Slot(int)
    def _on_seek(self, sample: int) -> None:
        """Show the place in the text; while something is heard, its mark comes with its sound."""
        self._page.editor.follow()
        self._page.player.waveform.zoom.follow(sample)
        if self._speech.player.playback is not Playback.PLAYING:
            self._mark(sample)

    @Slot(object, int)
    def _on_place(self, character: int | None, character_now: int) -> None:
        if character is None or not self.hear_from(character):
            self._page.status.tell(MAKING_PART)
            self.unmade_wanted.emit(character_now)

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
        """Offer the other sizes."""
        self.actions.larger.setEnabled(pixels < SIZES_PIXELS[-1])
        self.actions.smaller.setEnabled(pixels > SIZES_PIXELS[0])
        self.actions.usual_size.setEnabled(pixels != USUAL_TEXT_PIXELS)

    def _offer_leaving(self) -> None:
        """With the key that stops, so only while there is nothing to stop."""
        self.actions.leave_focus.setEnabled(self.focus.on and not self._speech.activity.can_stop)

    def _mark(self, position: int) -> None:
        """Mark the word and its sentence; as long as words are unknown, all of the utterance."""
        segment = self._track.segment_at(position)
        if segment is None:
            return
        self._sentences.take(self._track)  # what is marked may have been made at this very moment
        known = bool(self._track.words.around(position))
        sentence = self._sentences.at(position) if known else None
        mark: Mark = (segment.utterance, sentence, self._track.words.at(position))
        if mark == self._marked:
            return
        self._marked = mark
        if sentence is None:
            self._page.editor.mark(segment.utterance)
        else:
            self._page.editor.mark_word(segment.utterance, sentence.start, sentence.end, mark[2])
