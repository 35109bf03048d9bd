"""What is being saved and what is to be saved afterwards, whatever is heard or stopped meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.track import AudioTrack
from app.speech.activity import SaveProgress
from app.speech.engine_worker import EngineFactory, EngineWorker
from app.speech.jobs import JobEvent, SaveAdvanced, SaveEnded, SaveJob, SpeakJob
from engine.errors import Cancelled
from engine.export.order import PART_CHARACTERS, Order
from engine.export.progress import ExportProgress
from engine.speech import SpeechRequest


@dataclass(frozen=True, eq=False)
class _Save:
    """An order; if its speech is heard or shown, `track` has that, and `making` makes it until all of it is there."""

    order: Order
    make_engine: EngineFactory
    track: AudioTrack | None = None
    making: SpeakJob | None = None

    @property
    def short(self) -> bool:
        """Whether little more than writing is left to do."""
        return self.track is not None or self.order.document.characters <= PART_CHARACTERS


class Saving(QObject):
    """One order after the other, each by the engine that there was when it was given; short ones come first.

    `changed` tells that `progress` may have changed; `saved` carries the file or folder that is written. In the end,
    `ended` carries every order, and an error unless it was carried out.
    """

    changed = Signal()
    saved = Signal(object)
    failed = Signal(object)
    ended = Signal(object, object)

    _save_wanted = Signal(object)

    def __init__(self, worker: EngineWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._saves: list[_Save] = []
        self._running: list[SaveJob] = []  # a long one, and a short one that comes in between
        self._latest: ExportProgress | None = None
        self._save_wanted.connect(worker.save)
        worker.reported.connect(self._on_event)

    @property
    def progress(self) -> SaveProgress | None:
        """The order that is carried out, or None."""
        if not self._saves:
            return None
        save, latest = self._saves[0], self._latest
        named = SaveProgress(save.order.result.name, waiting_count=len(self._saves) - 1)
        if latest is not None:
            return replace(named, step=latest.step, fraction=latest.fraction, seconds_left=latest.seconds_left)
        if save.track is not None:
            return replace(named, made_count=save.track.segment_count, utterance_count=save.track.utterance_count)
        return named

    def add(
        self,
        order: Order,
        make_engine: EngineFactory,
        track: AudioTrack | None = None,
        making: SpeakJob | None = None,
    ) -> None:
        """Carry this out after the orders before, with the speech of a track as soon as a job has made all of it.

        A short order comes before long ones, even if one of them has begun, unless it is of the same file.
        """
        save, place = _Save(order, make_engine, track, making), len(self._saves)
        if save.short and all(other.order.path != order.path for other in self._saves):
            place = next((number for number, other in enumerate(self._saves) if not other.short), place)
        self._saves.insert(place, save)
        if place == 0:
            self._latest = None
        self._advance()
        self.changed.emit()

    def track_of(self, job: SpeakJob) -> AudioTrack | None:
        """The track for which this job makes speech, if it is one that is being saved."""
        return next((save.track for save in self._saves if save.making is job), None)

    def job_for(self, track: AudioTrack) -> SpeakJob | None:
        """The job that makes speech for this track, if it is one that is being saved and not all there yet."""
        return next((save.making for save in self._saves if save.track is track), None)

    def holds(self, track: AudioTrack) -> bool:
        """Whether this track is being saved or waits for that, and must stay as it is."""
        return any(save.track is track for save in self._saves)

    def made(self, request: SpeechRequest) -> tuple[SpeakJob, AudioTrack] | None:
        """What makes this request for a file and the track it fills, if anything does."""
        for save in self._saves:
            if save.making is not None and save.track is not None and save.making.request == request:
                return save.making, save.track
        return None

    def end(self, job: SpeakJob, error: Exception | None) -> None:
        """Take note that a job has ended; what waited for it can be written now, or will not be, if it failed."""
        saves = self._saves
        self._saves = [
            replace(save, making=None) if save.making is job else save
            for save in saves
            if save.making is not job or error is None
        ]
        for save in saves:
            if save.making is job and error is not None:
                self.ended.emit(save.order, error)
        self._advance()

    def cancel(self, heard: SpeakJob | None) -> None:
        """Leave what is being saved unsaved; its speech is made on only if it is heard or for another order."""
        if self._saves:
            self.cancel_order(self._saves[0].order, heard)

    def cancel_order(self, order: Order, heard: SpeakJob | None) -> None:
        """Leave an order unsaved, whether it has begun or waits."""
        place = next((place for place, save in enumerate(self._saves) if save.order is order), None)
        if place is None:
            return
        save = self._saves.pop(place)
        if place == 0:
            self._latest = None
        job = next((job for job in self._running if job.order is order), None)
        if job is not None:
            job.cancel.set()
            self._running.remove(job)
        elif save.making is not None and save.making is not heard and self.track_of(save.making) is None:
            save.making.cancel.set()
            if save.track is not None:
                save.track.finish()
        self._advance()
        self.ended.emit(order, Cancelled("It was cancelled."))
        self.changed.emit()

    def cancel_all(self, heard: SpeakJob | None) -> None:
        """Leave everything unsaved."""
        while self._saves:
            self.cancel(heard)

    def _advance(self) -> None:
        if not self._saves or self._saves[0].making is not None:
            return
        save = self._saves[0]
        if all(job.order is not save.order for job in self._running):
            self._running.append(SaveJob(save.order, save.make_engine, save.track, save.short))
            self._save_wanted.emit(self._running[-1])

    @Slot(object)
    def _on_event(self, event: JobEvent) -> None:
        if not isinstance(event, SaveAdvanced | SaveEnded) or event.job not in self._running:
            return
        if isinstance(event, SaveEnded):
            self._on_ended(event.job, event.error)
        elif event.job.order is self._saves[0].order:
            self._latest = event.progress
        self.changed.emit()

    def _on_ended(self, job: SaveJob, error: Exception | None) -> None:
        self._saves = [save for save in self._saves if save.order is not job.order]
        self._running.remove(job)
        self._latest = None
        self.ended.emit(job.order, error)
        if error is None:
            self.saved.emit(job.order.result)
        elif not isinstance(error, Cancelled):
            self.failed.emit(error)
        self._advance()
