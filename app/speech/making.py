"""Makes the speech that is heard, by one job after another, and keeps the one before until something came of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.player import AudioPlayer
from app.audio.track import AudioTrack
from app.speech.engine_thread import EngineThread
from app.speech.heard_speech import HeardSpeech
from app.speech.jobs import ChunkSpoken, JobEvent, SpeakJob, SpeechEnded, SpeechPlanned
from app.speech.saving import Saving
from engine.errors import Cancelled
from engine.speech import SpeechRequest


class Making(QObject):
    """At most one job at a time; what is made for a file as well is never cancelled.

    `track_changed` comes with another track, and when what comes after some utterance will be made anew. `failed` tells
    of every failure, `speech_failed` only of those of what is heard.
    """

    changed = Signal()
    planned = Signal(object)
    track_changed = Signal(object)
    track_grew = Signal()
    failed = Signal(object)
    speech_failed = Signal(object)

    def __init__(self, thread: EngineThread, saving: Saving, player: AudioPlayer, parent: QObject) -> None:
        super().__init__(parent)
        self._thread = thread
        self._saving = saving
        self._player = player
        self.speech = self._before = _no_speech()
        self.job: SpeakJob | None = None
        thread.worker.reported.connect(self._on_event)

    @property
    def for_file(self) -> bool:
        """Whether the speech is for a file as well, and must stay as it is."""
        return self._saving.holds(self.speech.track)

    @property
    def is_made_now(self) -> bool:
        """Whether the speech is being made, and by the engine that would make it by now."""
        return self.job is not None and not self.speech.superseded

    def begin(self, request: SpeechRequest, source: object) -> None:
        """Make a speech from its start; one that is being made for a file is not made again."""
        made = self._saving.made(request)
        if made is not None:
            self.show(*made, source)
        else:
            self.show(self._thread.job_for(request), AudioTrack(), source)
            self._begin_job()

    def begin_for_file(self, request: SpeechRequest, *, shown: bool) -> tuple[AudioTrack, SpeakJob]:
        """Make a speech in silence; if `shown`, it takes the place of the one before, and can be heard."""
        job, track = self._thread.job_for(request), AudioTrack()
        if shown:
            self.show(job, track)
            self.job = None
        self._thread.begin(job)
        return track, job

    def show_made(self, request: SpeechRequest, track: AudioTrack, source: object) -> None:
        """Let speech that was made before take the place of the latest."""
        self.show(self._thread.job_for(request), track, source)
        self.job = None

    def clear(self) -> None:
        """Show no speech at all."""
        self.cancel()
        self.leave()
        self.speech = self._before = _no_speech()
        self._player.load(self.speech.track)
        self._tell_track()

    def make_rest(self) -> None:
        """Make what is left of the speech in the manner that is wanted by now."""
        rest = self.speech.rest
        if rest is None:
            return
        self.cancel()
        self.speech.go_on()
        self.job = self._thread.job_for(rest)
        self._begin_job()

    def cut(self) -> None:
        """Drop the utterances after the one that is heard."""
        self.speech.track.cut(self._player.settled)
        self._player.play_anew()
        self._tell_track()
        self._player.position_changed.emit(self._player.position)

    def cancel(self) -> None:
        """Make no more, unless it is for a file as well."""
        if self.job is not None and self._saving.track_of(self.job) is None:
            self.job.cancel.set()
            self.speech.track.finish()
        self.job = None

    def take_up(self) -> None:
        """The speech is heard from now on: what makes it for a file makes it to be heard as well."""
        self.speech.left = False
        if self.job is None:
            self.job = self._saving.job_for(self.speech.track)

    def leave(self) -> None:
        """Play no more of the speech, which is not its end, even if nothing of it is left to be heard."""
        self.speech.left = True
        self._player.stop()

    def show(self, job: SpeakJob, track: AudioTrack, source: object = None) -> None:
        """Let what this job makes be what is heard."""
        self.cancel()
        self.job = job
        self.leave()  # while the speech still is the one that stops
        self.speech.position = self._player.position
        if self.speech.track.length or not self.speech.track.finished:  # else nothing has come of it
            self._before = self.speech
        self.speech = HeardSpeech(job.request, track, source)
        self._player.load(track)
        self._tell_track()

    def _begin_job(self) -> None:
        if self.job is not None:
            self._thread.begin(self.job)
        self.changed.emit()

    def _tell_track(self) -> None:
        track = self.speech.track
        self.track_changed.emit(track)
        if track.planned.utterances:
            self.planned.emit(track.planned)

    @Slot(object)
    def _on_event(self, event: JobEvent) -> None:
        if isinstance(event, SpeechPlanned | ChunkSpoken | SpeechEnded):
            self._on_speech(event)

    def _on_speech(self, event: SpeechPlanned | ChunkSpoken | SpeechEnded) -> None:
        heard = event.job is self.job
        track = self.speech.track if heard else self._saving.track_of(event.job)
        if track is None:
            return
        speech = self.speech if heard else HeardSpeech(event.job.request, track)
        match event:
            case SpeechPlanned(event=planned):
                speech.plan(planned.plan)
                if heard:
                    self.planned.emit(track.planned)
            case ChunkSpoken(job=job, chunk=chunk):
                speech.append(chunk, job.request.speed)
                self._on_growth(track)
            case SpeechEnded(job=job, error=error):
                track.finish()
                self._end(job, track, error)
                self._on_growth(track)
        self.changed.emit()

    def _on_growth(self, track: AudioTrack) -> None:
        if track is self.speech.track:
            if track.length:
                self._before = self.speech  # what was before need not be kept in memory
            self._player.tick()
            self.track_grew.emit()

    def _end(self, job: SpeakJob, track: AudioTrack, error: Exception | None) -> None:
        if error is not None and not isinstance(error, Cancelled):
            heard = track is self.speech.track
            if heard and not track.length:
                self._take_back()
            self.failed.emit(error)
            if heard:
                self.speech_failed.emit(error)
        self._saving.end(job, error)  # only now, so that whoever waits for it hears of a failure first
        if job is self.job:
            self.job = None

    def _take_back(self) -> None:
        """Return to the speech before, since nothing came of the latest."""
        self.speech = self._before
        self._player.load(self.speech.track)
        self._tell_track()
        self._player.seek(self.speech.position)


def _no_speech() -> HeardSpeech:
    track = AudioTrack()
    track.finish()
    return HeardSpeech(None, track)
