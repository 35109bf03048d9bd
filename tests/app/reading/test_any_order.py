"""Random actions in any order: the position is never lost, and marks are always in the visible text."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.audio.player import Playback
from app.reading.places import ReadingPositions
from app.reading.reading import Reading
from app.reading.speaker import SpeechSource
from engine.speech import SpeechRequest
from engine.text.sentences import sentence_at
from tests.app.reading.documents import OPENED, OPENED_BOOK
from tests.app.reading.fake_speaker import FakeSpeaker

WORDS = st.text("ab. \n", max_size=12)
SHARE = st.floats(0, 1)


class AnyOrder(RuleBasedStateMachine):
    """The user's own text is `own`; undo restores the text before its last edit."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.places = ReadingPositions(Path(self.folder.name) / "places.json")
        self.own = "First of all. Then something else.\n\nAnd a last sentence."
        self.undoable: list[str] = []
        self.voice: str | None = "af_heart"
        self.speaker = FakeSpeaker()
        self.reading = self.speaker.reading = self.new_reading()

    def new_reading(self) -> Reading:
        return Reading(self.speaker, self.places, self.speech_settings, lambda: self.own)

    def speech_settings(self) -> SpeechRequest | None:
        return SpeechRequest("", self.voice) if self.voice is not None else None

    def teardown(self) -> None:
        self.folder.cleanup()

    @property
    def place(self) -> tuple[object, object, int]:
        """The document, its chapter, and the character."""
        reading = self.reading
        return reading.document or reading.own, reading.chapter, reading.character

    def replace_own(self, start: int, removed: int, added: str) -> None:
        before, self.own = self.own, self.own[:start] + added + self.own[start + removed :]
        tail = before[start + removed :]
        character = self.reading.own.character
        self.reading.edited(start, removed, len(added))
        if character >= start + removed and character > start:  # the place moves with the words that follow it
            assert self.own[self.reading.own.character :] == tail[character - start - removed :]
        elif character <= start:
            assert self.reading.own.character == character

    @rule(book=st.sampled_from([OPENED, OPENED_BOOK]))
    def open(self, book: object) -> None:
        typed = self.own
        self.reading.open(book)  # type: ignore[arg-type]
        assert self.own == typed
        assert self.speaker.source is None or self.speaker.source.owner is None  # type: ignore[attr-defined]

    @rule()
    def close(self) -> None:
        character = self.reading.own.character
        self.reading.close()
        assert self.reading.character == character

    @precondition(lambda self: self.reading.document is None)
    @rule(text=WORDS)
    def begin_text(self, text: str) -> None:
        self.own, self.undoable = text, []
        known = self.places.in_text(text)
        self.reading.begin_text()
        assert self.reading.character == known
        assert not self.reading.shows_spoken

    @rule()
    def play(self) -> None:
        before, playback, text = self.place, self.speaker.playback, self.reading.text
        left, owner = text[before[2] :].lstrip(), getattr(self.speaker.source, "owner", None)
        whole = getattr(self.speaker.source, "to_end", False)
        self.reading.play()
        if playback is Playback.PLAYING or not text.strip() or self.voice is None:
            return
        assert self.speaker.playback is Playback.PLAYING
        if left and whole and owner is not None and self.place[:2] == before[:2]:  # an item or a selection may resume
            begins = self.now(self.speaker.began[-1])
            assert sentence_at(text, before[2]) <= begins <= len(text) - len(left)
        elif left and playback is Playback.STOPPED:
            assert sentence_at(text, before[2]) <= self.now(self.speaker.began[-1]) <= len(text) - len(left)

    def now(self, character: int) -> int:
        """Return the place of a character of the speech in the visible text."""
        shown = self.reading.shown_character(character)
        assert shown is not None
        return shown

    @rule()
    def pause(self) -> None:
        self.unmoved(self.reading.pause)

    @rule()
    def stop(self) -> None:
        self.unmoved(self.reading.stop)
        assert self.speaker.playback is Playback.STOPPED

    @rule()
    def fail(self) -> None:
        self.unmoved(self.speaker.fail)

    @rule(voice=st.sampled_from(["af_heart", "am_adam"]))
    def change_voice(self, voice: str) -> None:
        self.voice = voice
        self.unmoved(self.reading.begin_waiting if self.speaker.playback is not Playback.STOPPED else lambda: None)

    @rule()
    def lose_voices(self) -> None:
        self.voice = None

    @rule()
    def hear_an_item(self) -> None:
        spoken = SpeechSource("An Item")
        self.unmoved(lambda: self.speaker.speak(SpeechRequest("An item. Of the queue.", "af_heart"), spoken))

    @rule(first=SHARE, second=SHARE)
    def play_selection(self, first: float, second: float) -> None:
        length = len(self.reading.text)
        start, end = sorted((round(first * length), round(second * length)))
        if self.reading.text[start:end].strip():
            self.unmoved(lambda: self.reading.play_part(start, end))

    def unmoved(self, action: object) -> None:
        """Check that the place moves only by playing or by choosing, and nothing else is opened."""
        before = self.place
        action()  # type: ignore[operator]
        assert self.place == before

    @rule(share=SHARE)
    def click(self, share: float) -> None:
        text = self.reading.text
        character = round(share * len(text))
        if text.strip() and self.voice is not None:
            self.reading.play_from(character)
            assert self.speaker.playback is Playback.PLAYING
            assert self.reading.shows_spoken
            assert sentence_at(text, character) <= self.now(self.speaker.began[-1]) <= character

    @rule(chapter=st.integers(0, 5))
    def choose_chapter(self, chapter: int) -> None:
        document, source = self.reading.document, self.speaker.source
        plays = self.speaker.playback is Playback.PLAYING and getattr(source, "owner", None) is not None
        self.reading.go_to(chapter)
        if document is not None and chapter < len(document.chapters):
            assert self.reading.chapter is document.chapters[chapter]
            if plays and self.voice is not None:
                assert self.reading.shows_spoken
                assert self.speaker.playback is Playback.PLAYING

    @rule()
    def hear_on(self) -> None:
        self.speaker.hear_on()

    @precondition(lambda self: self.reading.document is None)
    @rule(first=SHARE, second=SHARE, added=WORDS)
    def edit(self, first: float, second: float, added: str) -> None:
        start, end = sorted((round(first * len(self.own)), round(second * len(self.own))))
        self.undoable.append(self.own)
        self.replace_own(start, end - start, added)

    @precondition(lambda self: self.reading.document is None and self.undoable)
    @rule()
    def undo(self) -> None:
        before = self.undoable.pop()
        self.replace_own(0, len(self.own), before)
        assert self.own == before

    @rule()
    def mark_place(self) -> None:
        self.unmoved(self.reading.mark_place)

    @rule(book=st.sampled_from([OPENED, OPENED_BOOK]))
    def start_again(self, book: object) -> None:
        """Start again as after a crash: with nothing but the saved data."""
        if self.reading.path != book.path:  # type: ignore[attr-defined]
            return
        chapter, character, own = self.reading.place.chapter, self.reading.character, self.reading.own.character
        self.speaker = FakeSpeaker()
        self.reading = self.speaker.reading = self.new_reading()
        self.reading.own.character = own
        self.reading.open(book)  # type: ignore[arg-type]
        assert (self.reading.place.chapter, self.reading.character) == (chapter, character)

    @invariant()
    def what_is_marked_is_shown(self) -> None:
        marked = self.reading.shown_character(self.speaker.position)
        assert (marked is not None) == self.reading.shows_spoken
        if marked is not None:
            assert 0 <= marked <= len(self.reading.text)
            if self.reading.chapter is not None:
                assert self.speaker.text == self.reading.text

    @invariant()
    def the_place_is_in_the_text(self) -> None:
        assert 0 <= self.reading.character <= len(self.reading.text)
        assert 0 <= self.reading.progress <= 1


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=25, stateful_step_count=200, deadline=None)
