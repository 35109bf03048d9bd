"""The speech that is heard: what was asked for, its track, and how far that is made, by one task after another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.audio.track import AudioTrack
from app.speech.engine_worker import Ended, EngineFactory, Report, Task, Urgency, speaking
from engine.errors import NothingToSpeak
from engine.speech import AudioChunk, PlanEvent, SpeechRequest

SENTENCE_PAUSE_SECONDS = 0.25
PARAGRAPH_PAUSE_SECONDS = 0.5
"""As the engine makes them."""


class HeardSpeech:
    """Each task makes what those before it have left, a gap of the track or its end.

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
        self._tasks_begun = 0

    @property
    def text(self) -> str:
        """The whole text, of which the request may name a part."""
        return self.request.text if self.request is not None else ""

    def is_of(self, request: SpeechRequest | None) -> bool:
        """Whether this is the speech of a request, as far as it is made, made as one, and would be the same now."""
        as_one = self._tasks_begun <= 1 and self.manner == self.request
        return as_one and not self.superseded and self.request is not None and self.request == request

    def is_all_of(self, request: SpeechRequest | None) -> bool:
        """Whether this is the speech of a request from start to end, and would be the same now."""
        return self.track.whole and self.is_of(request)

    @property
    def rest(self) -> SpeechRequest | None:
        """What is not made yet, up to the next place from which on it is; None if all is made."""
        missing = self.track.missing
        if self.manner is None or missing is None:
            return None
        start, end = missing
        manner = self.manner
        return replace(manner, start=manner.start if start is None else start, end=manner.end if end is None else end)

    def make_rest(self, make_engine: EngineFactory, position: int | None = None) -> Task | None:
        """The task that makes what is left, in the manner that is wanted by now, in place of the one before.

        It fills the gap at a position of the track, or follows at its end, or goes on where it has grown last.
        """
        rest = self.rest if self.request is not None and self.track.aim(position) else None
        if rest is None or self.request is None:
            return None
        self.cancel()
        self.as_asked &= rest.voice == self.request.voice
        self._tasks_begun += 1
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
                self.track.plan(plan)
            case AudioChunk() if self.manner is not None:
                self.track.append(self._paused(report, self.manner.pause_scale), self.manner.speed)
            case Ended(error):
                self.track.finish()
                self.task = None
                if error is None or isinstance(error, NothingToSpeak):
                    self.track.join()

    def _paused(self, chunk: AudioChunk, pause_scale: float) -> AudioChunk:
        """The chunk, with a pause if it is the last of a gap, whose end the engine took for the end of the text."""
        missing = self.track.missing
        last = chunk.utterance.index + 1 == chunk.utterance_count
        if not last or missing is None or missing[1] is None:
            return chunk
        paragraph_ends = "\n\n" in self.text[chunk.utterance.end : missing[1]]
        seconds = PARAGRAPH_PAUSE_SECONDS if paragraph_ends else SENTENCE_PAUSE_SECONDS
        pause = np.zeros(round(seconds * pause_scale * chunk.sample_rate_hz), np.float32)
        return replace(chunk, samples=np.concatenate([chunk.samples, pause]))
