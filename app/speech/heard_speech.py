"""The speech that is heard: what was asked for, its track, and how far that is made, by one job after another."""

from __future__ import annotations

from dataclasses import replace

from app.audio.track import AudioTrack
from engine.speech import AudioChunk, Notice, Plan, SpeechRequest, Utterance


class HeardSpeech:
    """Each job makes what those before it have left; utterances are numbered through, in the order they are heard.

    `request` is what was asked for at first, `manner` the same with the voice, speed and pauses of what is made next;
    `source` is whatever the text was taken from, as it was given by who asked.
    """

    def __init__(self, request: SpeechRequest | None, track: AudioTrack, source: object = None) -> None:
        self.request = request
        self.source = source
        self.manner = request
        self.track = track
        self.as_asked = True
        """Whether all of it is made by the voice that was asked for."""
        self.superseded = False
        """Whether another engine, perhaps of another model, would make it by now."""
        self.left = False
        """Whether it was stopped, or gave way to another, since it was last played."""
        self.position = 0
        """The sample up to which it was heard when another one took its place."""
        self._before: tuple[Utterance, ...] = ()
        self._notices: tuple[Notice, ...] = ()
        self._jobs = 1

    @property
    def text(self) -> str:
        """The whole text, of which the request may name a part."""
        return self.request.text if self.request else ""

    def is_all_of(self, request: SpeechRequest) -> bool:
        """Whether this is the speech of a request from start to end, made as one, and would be the same now."""
        return self._jobs == 1 and self.track.whole and self.request == request and not self.superseded

    @property
    def rest(self) -> SpeechRequest | None:
        """What is not made yet; None if all of it is."""
        made, planned = self.track.segments, self.track.planned
        if self.manner is None or (made and len(made) == self.track.utterance_count):
            return None
        if not made:
            return self.manner
        coming = planned.utterances[len(made) : len(made) + 1]  # after a pause, which has been made with the one before
        return replace(self.manner, start=coming[0].start if coming else made[-1].utterance.end)

    def go_on(self) -> None:
        """Another job makes what is left, in the manner that is wanted by now."""
        self.as_asked &= self.manner is None or self.request is None or self.manner.voice == self.request.voice
        self._before = tuple(segment.utterance for segment in self.track.segments)
        self._notices = self.track.planned.notices
        self._jobs += 1
        self.track.resume()

    def plan(self, plan: Plan) -> None:
        """Take the plan of the job in progress."""
        utterances = (*self._before, *(self._numbered(each) for each in plan.utterances))
        notices = tuple(dict.fromkeys((*self._notices, *plan.notices)))
        self.track.plan(Plan(utterances, notices, plan.characters_left))

    def append(self, chunk: AudioChunk, speed: float) -> None:
        """Append what the job in progress has made at this speed."""
        self.track.append(replace(chunk, utterance=self._numbered(chunk.utterance)), speed)

    def _numbered(self, utterance: Utterance) -> Utterance:
        return replace(utterance, index=len(self._before) + utterance.index) if self._before else utterance
