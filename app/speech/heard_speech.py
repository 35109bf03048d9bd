"""The speech that is heard: what was asked for, its track, and how far that is made, by one task after another."""

from __future__ import annotations

from dataclasses import replace

from app.audio.track import AudioTrack
from app.speech.engine_worker import Ended, EngineFactory, Report, Task, Urgency, speaking
from engine.speech import AudioChunk, Notice, Plan, PlanEvent, SpeechRequest, Utterance


class HeardSpeech:
    """Each task makes what those before it have left; utterances are numbered through, in the order they are heard.

    `request` is what was asked for at first, `manner` the same with the voice, speed and pauses of what is made next;
    `source` is whatever the text was taken from, as it was given by who asked. Without a request there is no speech.
    """

    def __init__(
        self, request: SpeechRequest | None = None, source: object = None, track: AudioTrack | None = None
    ) -> None:
        self.request = request
        self.source = source
        self.manner = request
        self.track = track or AudioTrack()
        if request is None:
            self.track.finish()
        self.task: Task | None = None
        """What makes it now."""
        self.as_asked = True
        """Whether all of it is made by the voice that was asked for."""
        self.superseded = False
        """Whether another engine, perhaps of another model, would make it by now."""
        self.left = False
        """Whether it was stopped, or gave way to another, since it was last played."""
        self.position = 0
        """The sample up to which it was heard when another one took its place."""
        self._made_before: tuple[Utterance, ...] = ()
        self._notices: tuple[Notice, ...] = ()

    def is_of(self, request: SpeechRequest | None) -> bool:
        """Whether this is the speech of a request, as far as it is made, and would be the same now."""
        made_as_one = not self._made_before and self.manner == self.request
        return made_as_one and not self.superseded and self.request is not None and self.request == request

    def is_all_of(self, request: SpeechRequest | None) -> bool:
        """Whether this is the speech of a request from start to end, and would be the same now."""
        return self.track.whole and self.is_of(request)

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

    def make_rest(self, make_engine: EngineFactory) -> Task | None:
        """The task that makes what is left, in the manner that is wanted by now, in place of the one before."""
        rest = self.rest
        if rest is None or self.request is None:
            return None
        self.cancel()
        self.as_asked &= rest.voice == self.request.voice
        self._made_before = tuple(segment.utterance for segment in self.track.segments)
        self._notices = self.track.planned.notices
        self.track.resume()
        self.task = Task(speaking(rest), Urgency.SPEECH, make_engine)
        return self.task

    def cancel(self) -> None:
        """Make no more of it."""
        if self.task is not None:
            self.task.cancel.set()
            self.track.finish()
        self.task = None

    def take(self, report: Report) -> None:
        """Take what the task in progress reports."""
        match report:
            case PlanEvent(plan):
                utterances = (*self._made_before, *(self._numbered(each) for each in plan.utterances))
                notices = tuple(dict.fromkeys((*self._notices, *plan.notices)))
                self.track.plan(Plan(utterances, notices, plan.characters_left))
            case AudioChunk(utterance=utterance) if self.manner is not None:
                self.track.append(replace(report, utterance=self._numbered(utterance)), self.manner.speed)
            case Ended():
                self.track.finish()
                self.task = None

    def _numbered(self, utterance: Utterance) -> Utterance:
        before = self._made_before
        return replace(utterance, index=len(before) + utterance.index) if before else utterance
