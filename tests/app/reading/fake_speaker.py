"""A speaker without an engine or a device: it generates a sentence at a time, and plays one when a test says so."""

from __future__ import annotations

from dataclasses import replace

from app.audio.player import Playback
from app.reading.reading import Reading
from engine.speech import SpeechRequest
from engine.text.sentences import sentence_starts


class FakeSpeaker:
    """Implements `app.reading.reading.Speaker`; it notifies `reading` of playback, as the window does.

    `began` are the characters at which playback started or resumed, in the text of the speech.
    """

    def __init__(self) -> None:
        self.reading: Reading | None = None
        self.source: object = None
        self.request: SpeechRequest | None = None
        self.playback = Playback.STOPPED
        self.as_requested = True
        self.position = 0
        self.made = 0
        self.began: list[int] = []
        self._at_end = False
        self._before: tuple[object, SpeechRequest | None, int, int] = (None, None, 0, 0)

    @property
    def text(self) -> str:
        return self.request.text if self.request is not None else ""

    @property
    def heard_to_the_end(self) -> bool:
        return self._at_end

    @property
    def end(self) -> int:
        return len(self.text) if self.request.end is None else self.request.end

    def speak(self, request: SpeechRequest, source: object) -> None:
        self._stop()
        self._before = self.source, self.request, self.position, self.made
        self.source, self.request = source, request
        self.position = self.made = request.start
        self._play()

    def hear_from(self, character: int) -> bool:
        if not self.request.start <= character < self.made:
            return False
        self.position = character
        self._play()
        return True

    def speak_from(self, character: int) -> None:
        assert self.request is not None
        self.speak(replace(self.request, start=character), self.source)

    def go_on(self) -> None:
        if self.request is not None:
            self._play()

    def pause(self) -> None:
        if self.playback is Playback.PLAYING:
            self.playback = Playback.PAUSED

    def stop(self) -> None:
        self._stop()

    def clear(self) -> None:
        self._stop()
        self.source = self.request = None

    def hear_on(self) -> None:
        """Play the sentence at the position, to its end."""
        if self.playback is not Playback.PLAYING:
            return
        starts = [each for each in sentence_starts(self.text) if self.position < each < self.end]
        self._tell(self.position)
        self.position = starts[0] if starts else self.end
        self.made = max(self.made, self.position)
        if not starts:
            self.playback, self._at_end = Playback.STOPPED, True
            if self.reading is not None:
                self.reading.finish()
        else:
            self._tell(self.position)

    def fail(self) -> None:
        """Let the latest speech fail; if nothing of it was generated, the previous one returns."""
        self._stop()
        if self.request is not None and self.made == self.request.start:
            self.source, self.request, self.position, self.made = self._before

    def _tell(self, character: int) -> None:
        if self.reading is not None:
            self.reading.hear(character)

    def _play(self) -> None:
        self._at_end = False
        self.playback = Playback.PLAYING
        self.began.append(self.position)

    def _stop(self) -> None:
        self._at_end = False
        self.playback = Playback.STOPPED
