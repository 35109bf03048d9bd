"""The speech being played: its request, its track, and the tasks that generate it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.audio.track import AudioTrack
from app.speech.engine_worker import Ended, EngineFactory, EngineTask, Report, Urgency, speaking
from engine.errors import NothingToSpeak
from engine.speech import AudioChunk, PlanEvent, SpeechRequest

SENTENCE_PAUSE_SECONDS = 0.25
PARAGRAPH_PAUSE_SECONDS = 0.5
"""The pauses that the engine inserts."""


class HeardSpeech:
    """A text being spoken; each task generates a part still missing, a gap of the track or its end.

    `request` is the original request; `speech_settings` is the same with the current voice, speed and pauses, which
    apply to the next task. `source` is the origin of the text, as given by the caller. Without a request there is no
    speech.
    """

    def __init__(
        self, request: SpeechRequest | None = None, source: object = None, track: AudioTrack | None = None
    ) -> None:
        self.request = request
        self.source = source
        self.speech_settings = request
        self.track = track or AudioTrack()
        if request is None:
            self.track.finish()
        self.task: EngineTask | None = None
        """The task that generates it now."""
        self.as_asked = True
        """True if all of it is generated with the requested voice."""
        self.superseded = False
        """True if a different engine, perhaps with a different model, would generate it now."""
        self.left = False
        """True if it was stopped or replaced since it was last played."""
        self.position = 0
        """The playback position when it was replaced, in samples."""
        self._tasks_begun = 0

    @property
    def text(self) -> str:
        """The whole text, of which the request may select a part."""
        return self.request.text if self.request is not None else ""

    def is_of(self, request: SpeechRequest | None) -> bool:
        """Return whether this is speech of `request`, even if partial, by a single task, and would be the same now."""
        as_one = self._tasks_begun <= 1 and self.speech_settings == self.request
        return as_one and not self.superseded and self.request is not None and self.request == request

    def is_all_of(self, request: SpeechRequest | None) -> bool:
        """Return whether this is the speech of a request from start to end, and would be the same now."""
        return self.track.whole and self.is_of(request)

    @property
    def rest(self) -> SpeechRequest | None:
        """A request for the missing text, up to the next generated part; None if all is generated."""
        missing = self.track.missing
        if self.speech_settings is None or missing is None:
            return None
        start, end = missing
        speech_settings = self.speech_settings
        return replace(
            speech_settings,
            start=speech_settings.start if start is None else start,
            end=speech_settings.end if end is None else end,
        )

    def make_rest(self, make_engine: EngineFactory, position: int | None = None) -> EngineTask | None:
        """Return a task that generates the missing text with the current settings, replacing the task before.

        It fills the gap at a position of the track or continues at its end; without a position, it continues where the
        track grew last. Returns None if nothing is missing.
        """
        rest = self.rest if self.request is not None and self.track.aim(position) else None
        if rest is None or self.request is None:
            return None
        self.cancel()
        self.as_asked &= rest.voice == self.request.voice
        self._tasks_begun += 1
        self.track.resume()
        self.task = EngineTask(speaking(rest), Urgency.SPEECH, make_engine)
        return self.task

    def cancel(self) -> None:
        """Stop generating it."""
        if self.task is not None:
            self.task.cancel.set()
            self.track.finish()
        self.task = None

    def handle_report(self, report: Report) -> None:
        """Handle a report of the task in progress."""
        match report:
            case PlanEvent(plan):
                self.track.plan(plan)
            case AudioChunk() if self.speech_settings is not None:
                self.track.append(self._paused(report, self.speech_settings.pause_scale), self.speech_settings.speed)
            case Ended(error):
                self.track.finish()
                self.task = None
                if error is None or isinstance(error, NothingToSpeak):
                    self.track.join()

    def _paused(self, chunk: AudioChunk, pause_scale: float) -> AudioChunk:
        """Return the chunk, plus a pause if it ends a gap, since the engine took it for the end of the text."""
        missing = self.track.missing
        last = chunk.utterance.index + 1 == chunk.utterance_count
        if not last or missing is None or missing[1] is None:
            return chunk
        paragraph_ends = "\n\n" in self.text[chunk.utterance.end : missing[1]]
        seconds = PARAGRAPH_PAUSE_SECONDS if paragraph_ends else SENTENCE_PAUSE_SECONDS
        pause = np.zeros(round(seconds * pause_scale * chunk.sample_rate_hz), np.float32)
        return replace(chunk, samples=np.concatenate([chunk.samples, pause]))
