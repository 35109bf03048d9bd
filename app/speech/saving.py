"""The file that is being saved: the speech is made, then written, whatever is heard or stopped meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.track import AudioTrack
from app.speech.activity import SaveProgress
from app.speech.engine_worker import EngineWorker
from app.speech.jobs import JobEvent, SaveEnded, SaveJob, SpeakJob
from engine.speech import SpeechRequest


@dataclass(frozen=True, eq=False)
class _Save:
    """What is being saved; `job` makes it, and is None once all of it is made."""

    path: Path
    track: AudioTrack
    job: SpeakJob | None = None


class Saving(QObject):
    """One file at a time; `changed` tells that `progress` may have changed."""

    changed = Signal()
    saved = Signal(object)
    failed = Signal(object)

    _write_wanted = Signal(object)

    def __init__(self, worker: EngineWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._save: _Save | None = None
        self._write_wanted.connect(worker.save)
        worker.reported.connect(self._on_event)

    @property
    def progress(self) -> SaveProgress | None:
        """The file being saved, or None."""
        if self._save is None:
            return None
        track = self._save.track
        return SaveProgress(self._save.path.name, track.segment_count, track.utterance_count)

    def begin(self, path: Path, track: AudioTrack, job: SpeakJob | None = None) -> None:
        """Write this track as soon as the job, if there is one, has made all of it."""
        self._save = _Save(path, track, job)
        if job is None:
            self._write(self._save)

    def track_of(self, job: SpeakJob) -> AudioTrack | None:
        """The track for which this job makes speech, if it is one that is being saved."""
        return self._save.track if self._save is not None and self._save.job is job else None

    def made(self, request: SpeechRequest) -> tuple[SpeakJob, AudioTrack] | None:
        """What makes this request for a file and the track it fills, if anything does."""
        save = self._save
        if save is None or save.job is None or save.job.request != request:
            return None
        return save.job, save.track

    def end(self, job: SpeakJob, error: Exception | None) -> None:
        """Take note that a job has ended; if it was for the file and nothing failed, that is written now."""
        save = self._save
        if save is None or save.job is not job:
            return
        self._save = None
        if error is None:
            self._write(save)

    def cancel(self, heard: SpeakJob | None) -> None:
        """Stop making what is being saved, unless it is heard; what is all made is written all the same."""
        save = self._save
        if save is None or save.job is None:
            return
        self._save = None
        if save.job is not heard:
            save.job.cancel.set()
            save.track.finish()
        self.changed.emit()

    def _write(self, save: _Save) -> None:
        self._save = replace(save, job=None)
        self._write_wanted.emit(SaveJob(save.path, save.track.samples(), save.track.sample_rate_hz))

    @Slot(object)
    def _on_event(self, event: JobEvent) -> None:
        if not isinstance(event, SaveEnded):
            return
        self._save = None
        if event.error is None:
            self.saved.emit(event.job.path)
        else:
            self.failed.emit(event.error)
        self.changed.emit()
