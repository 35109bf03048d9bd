"""From a request to audible speech: the job in progress, its track and its player; the engine has its own thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.track import AudioTrack
from app.speech.activity import Activity, Readiness
from app.speech.engine_state import EngineState
from app.speech.engine_worker import EngineFactory, EngineWorker, VoiceLister, voices_here
from app.speech.jobs import (
    ChunkSpoken,
    JobEvent,
    Prepared,
    PrepareJob,
    SpeakJob,
    SpeechEnded,
    SpeechPlanned,
    VoicesListed,
)
from app.speech.saving import Saving
from app.speech.voice_preview import VoicePreview
from engine.errors import Cancelled
from engine.export.order import PART_CHARACTERS, Order, order_of_text
from engine.speech import SpeechRequest, Utterance


@dataclass(frozen=True)
class Earlier:
    """The speech before the latest, and the sample up to which it was heard."""

    track: AudioTrack
    request: SpeechRequest | None = None
    position: int = 0


class SpeechController(QObject):
    """One speech and one file at a time; other files wait for their turn.

    A new request stops the previous one at once, though the engine may notice a moment later. What is made for a file
    goes on, whatever is heard or stopped meanwhile; if it is asked for, it is heard as well, and not made again.
    """

    activity_changed = Signal(object)
    voices_listed = Signal(object)
    planned = Signal(object)
    track_changed = Signal(object)
    track_grew = Signal()  # or will not grow any more
    utterance_changed = Signal(object)
    failed = Signal(object)
    saved = Signal(object)

    _list_wanted = Signal()
    _prepare_wanted = Signal(object)
    _speak_wanted = Signal(object)
    _engine_wanted = Signal(object)
    _renewal_wanted = Signal()

    def __init__(
        self,
        make_engine: EngineFactory,
        output: AudioOutput,
        parent: QObject | None = None,
        list_voices: VoiceLister = voices_here,
    ) -> None:
        super().__init__(parent)
        self.player = AudioPlayer(output, parent=self)
        self._track = AudioTrack()
        self._track.finish()
        self._request: SpeechRequest | None = None
        self._before = Earlier(self._track)
        self._job: SpeakJob | None = None
        self._job_count = 0
        self._preparing = PrepareJob()
        self._engine = EngineState()
        self._utterance: Utterance | None = None
        self._activity = Activity()
        self._make_engine = make_engine
        self._start_thread(make_engine, list_voices)
        self.saving = Saving(self._worker, self)
        self.saving.changed.connect(self._update)
        self.saving.saved.connect(self.saved)
        self.saving.failed.connect(self.failed)
        self._preview = VoicePreview(self.player, output, self._worker, self)
        self._preview.changed.connect(self._update)
        self._preview.failed.connect(self.failed)
        self.player.playback_changed.connect(self._on_playback)
        self.player.position_changed.connect(self._on_position)
        self.player.failed.connect(self.failed)

    @property
    def activity(self) -> Activity:
        """The current activity."""
        return self._activity

    @property
    def track(self) -> AudioTrack:
        """The audio of the latest speech."""
        return self._track

    @property
    def request(self) -> SpeechRequest | None:
        """The request of the latest speech."""
        return self._request

    @property
    def text(self) -> str:
        """The text of the latest speech."""
        return self._request.text if self._request else ""

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models in the background; they come with `voices_listed`."""
        self._list_wanted.emit()

    @Slot()
    def prepare(self) -> None:
        """Prepare the engine in the background."""
        self._engine = replace(self._engine, readiness=Readiness.PREPARING)
        self._preparing = PrepareJob()
        self._prepare_wanted.emit(self._preparing)
        self._update()

    def change_engine(self, make_engine: EngineFactory) -> None:
        """Switch to another engine, which is prepared in the background; speech in progress is made by the old one."""
        self._preparing.cancel.set()
        self._make_engine = make_engine
        self._engine_wanted.emit(make_engine)
        self.prepare()

    @Slot()
    def renew_engine(self) -> None:
        """Have the engine take the best modules there are, after the job in progress."""
        self._renewal_wanted.emit()

    def speak(self, request: SpeechRequest) -> None:
        """Make speech and play it; if it is already being made, play that."""
        self._preview.stop()
        if self._job is not None and self._job.request == request and self.player.playback is not Playback.PLAYING:
            self.player.play()
            return
        made = self.saving.made(request)
        if made is not None:
            self._show(*made)
        else:
            job = self._new_job(request)
            self._show(job, AudioTrack())
            self._speak_wanted.emit(job)
        self.player.play()

    def hear_again(self, request: SpeechRequest, track: AudioTrack) -> None:
        """Play speech that was made before, in place of the latest."""
        self._preview.stop()
        self._show(self._new_job(request), track)
        self._job = None
        self._update()
        self.player.play()

    def preview(self, request: SpeechRequest) -> None:
        """Let this be heard in between; the speech halts meanwhile, and can be played on."""
        self._preview.hear(request, self._make_engine)

    @Slot()
    def stop(self) -> None:
        """Stop playing speech, and making it unless it is being saved; what has been made can still be played."""
        self._preview.stop()
        self._cancel_job()
        self.player.stop()
        self.track_grew.emit()
        self._update()

    @Slot()
    def toggle_playback(self) -> None:
        """Pause, or resume playing."""
        if self.player.playback is Playback.PLAYING:
            self.player.pause()
        else:
            self.player.play()

    def save(self, path: Path, request: SpeechRequest) -> None:
        """Write the speech of this request to a file, making it first if necessary."""
        self.export(order_of_text(path, request))

    def export(self, order: Order) -> None:
        """Carry out an order once those before it are, with the engine there is now; what is made already is used."""
        request = order.only_request
        if request is not None and self._job is not None and self._job.request == request:
            self.saving.add(order, self._make_engine, self._track, self._job)
        elif request is not None and self._track.whole and self._request == request:
            self.saving.add(order, self._make_engine, self._track)
        elif request is None or len(request.text) > PART_CHARACTERS or self.saving.progress is not None:
            self.saving.add(order, self._make_engine)
        else:
            self._make_for_file(order, request)

    @Slot()
    def cancel_save(self) -> None:
        """Leave what is being saved unsaved; the next file has its turn."""
        self.saving.cancel(self._job)

    @Slot()
    def cancel_saves(self) -> None:
        """Leave everything unsaved that is not saved yet."""
        self.saving.cancel_all(self._job)

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything; return whether the engine's thread ended in time."""
        self.cancel_saves()
        self._cancel_job()
        self._preview.stop()
        self._preparing.cancel.set()
        self.player.close()
        self._thread.quit()
        return self._thread.wait(timeout_ms)

    def _start_thread(self, make_engine: EngineFactory, list_voices: VoiceLister) -> None:
        self._thread = QThread(self)
        self._thread.setObjectName("engine")
        self._worker = EngineWorker(make_engine, list_voices)
        self._worker.moveToThread(self._thread)
        self._worker.reported.connect(self._on_event)
        self._list_wanted.connect(self._worker.list_voices)
        self._prepare_wanted.connect(self._worker.prepare)
        self._speak_wanted.connect(self._worker.speak)
        self._engine_wanted.connect(self._worker.change_engine)
        self._renewal_wanted.connect(self._worker.renew)
        self._thread.finished.connect(self._worker.close, Qt.ConnectionType.DirectConnection)
        self._thread.start()

    def _new_job(self, request: SpeechRequest) -> SpeakJob:
        self._job_count += 1
        return SpeakJob(self._job_count, request)

    def _make_for_file(self, order: Order, request: SpeechRequest) -> None:
        """Make speech in silence; if nothing else is heard, it can be heard from the player meanwhile."""
        job, track = self._new_job(request), AudioTrack()
        self.saving.add(order, self._make_engine, track, job)
        if self._job is None and self.player.playback is Playback.STOPPED:
            self._show(job, track)
            self._job = None
        self._speak_wanted.emit(job)

    def _show(self, job: SpeakJob, track: AudioTrack) -> None:
        """Let this be what is heard."""
        self._cancel_job()
        self._job = job
        self._engine = replace(self._engine, fallback="")
        self._before = Earlier(self._track, self._request, self.player.position)
        self._request = job.request
        self._track = track
        self.player.load(self._track)
        self.track_changed.emit(self._track)
        if track.planned.utterances:
            self.planned.emit(track.planned)
        self._update()

    def _cancel_job(self) -> None:
        if self._job is not None and self.saving.track_of(self._job) is None:
            self._job.cancel.set()
            self._track.finish()
        self._job = None

    @Slot(object)
    def _on_event(self, event: JobEvent) -> None:
        self._engine = self._engine.after(event)
        match event:
            case VoicesListed():
                self.voices_listed.emit(event)
            case Prepared(error) if error is not None and not isinstance(error, Cancelled):
                self.failed.emit(error)  # one cancelled gave way to another engine, or to the end
            case SpeechPlanned() | ChunkSpoken() | SpeechEnded():
                self._on_speech(event)
        self._update()

    def _on_speech(self, event: SpeechPlanned | ChunkSpoken | SpeechEnded) -> None:
        track = self._track if event.job is self._job else self.saving.track_of(event.job)
        if track is None:
            return
        match event:
            case SpeechPlanned(job=job, event=planned):
                track.plan(planned.plan)
                if job is self._job:
                    self.planned.emit(planned.plan)
            case ChunkSpoken(chunk=chunk):
                track.append(chunk)
                self._on_growth(track)
            case SpeechEnded(job=job, error=error):
                track.finish()
                self._end(job, track, error)
                self._on_growth(track)

    def _on_growth(self, track: AudioTrack) -> None:
        if track is self._track:
            if track.length:
                self._before = Earlier(track)  # what was before need not be kept in memory
            self.player.tick()
            self._on_position(self.player.position)
            self.track_grew.emit()

    def _end(self, job: SpeakJob, track: AudioTrack, error: Exception | None) -> None:
        if error is not None and not isinstance(error, Cancelled):
            if track is self._track and not track.length:
                self._take_back()
            self.failed.emit(error)
        self.saving.end(job, error)  # only now, so that whoever waits for it hears of a failure first
        if job is self._job:
            self._job = None

    def _take_back(self) -> None:
        """Return to the speech before, since nothing came of the latest."""
        before = self._before
        self._request, self._track = before.request, before.track
        self.player.load(self._track)
        self.track_changed.emit(self._track)
        self.player.seek(before.position)
        if self._track.planned.utterances:
            self.planned.emit(self._track.planned)

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        self._on_position(self.player.position)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        segment = self._track.segment_at(position)
        heard = segment is not None and self.player.playback is not Playback.STOPPED
        utterance = segment.utterance if segment is not None and heard else None
        if utterance is not self._utterance:
            self._utterance = utterance
            self.utterance_changed.emit(utterance)
        self._update()

    @Slot()
    def _update(self) -> None:
        activity = self._current_activity()
        if activity != self._activity:
            self._activity = activity
            self.activity_changed.emit(activity)

    def _current_activity(self) -> Activity:
        return Activity(
            readiness=self._engine.readiness,
            preparation=self._engine.preparation,
            making=self._job is not None,
            save=self.saving.progress,
            playback=self.player.playback,
            waiting=self.player.waiting,
            previewing=self._preview.active,
            utterance_number=self._utterance_number(),
            utterance_count=self._track.utterance_count,
            made_count=self._track.segment_count,
            device=self._engine.device,
            fallback=self._engine.fallback,
        )

    def _utterance_number(self) -> int:
        """The number of the utterance that is heard, or else of the one being made."""
        if self._utterance is not None and not self.player.waiting:
            return self._utterance.index + 1
        return min(self._track.segment_count + 1, self._track.utterance_count)
