"""Runs model jobs one after the other in a separate thread, and maintains the rows that the window shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.models.row import ModelRow, fraction_of
from app.models.worker import (
    JobEnded,
    JobProgress,
    LibraryFactory,
    ListedModel,
    ModelJob,
    ModelsListed,
    ModelTask,
    ModelWorker,
)
from app.speech.progress_estimator import ProgressEstimator
from app.tasks import Tasks
from engine.errors import Canceled
from engine.models.progress import ModelProgress

NICENESS = 10
"""The niceness of the thread and its child processes, which download, convert, compile and pack.

It puts them well behind the engine in use.
"""
TICK_MS = 500
"""The interval of row updates during a job, so that a long step shows progress as well."""


class ModelController(QObject):
    """The controller of model jobs.

    `rows_changed` carries a `ModelRow` for each model; `done` a `ModelJob`, `failed` a `JobEnded` with its error.
    `voices_listed` carries the `ModelVoices` of the usable models, each time before the rows. Jobs that wait behind a
    failing one are dropped; `retry` repeats it and them. Canceling also drops the waiting jobs, but not those requested
    afterwards.
    """

    rows_changed = Signal(object)
    voices_listed = Signal(object)
    done = Signal(object)
    failed = Signal(object)

    def __init__(self, make_library: LibraryFactory, in_use: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[ListedModel, ...] = ()
        self._jobs: deque[ModelJob] = deque()
        self._not_done: tuple[ModelJob, ...] = ()
        self._progress: JobProgress | None = None
        self._pace = ProgressEstimator()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._announce_rows)
        self._in_use = in_use
        self._tasks = Tasks("models", self, niceness=NICENESS)
        self._worker = ModelWorker(make_library, partial(self._tasks.call_in_window, self._advance))

    @property
    def rows(self) -> tuple[ModelRow, ...]:
        """The current row of every model; empty until they have been listed."""
        job = self._jobs[0] if self._jobs else None
        return tuple(self._row(model, job) for model in self._models)

    @property
    def busy(self) -> bool:
        """True if a job is in progress."""
        return bool(self._jobs)

    def row(self, name: str) -> ModelRow | None:
        """Return the current row of a model; None if it is unknown."""
        return next((row for row in self.rows if row.name == name), None)

    def set_in_use(self, name: str) -> None:
        """Mark this model as the one in use."""
        self._in_use = name
        self._announce_rows()

    @Slot()
    def look(self) -> None:
        """List the models. Every job ends with that anyway, so do nothing while one is in progress."""
        if not self.busy:
            self._begin(ModelJob(ModelTask.LOOK))

    @Slot(str)
    def fetch(self, name: str) -> None:
        """Download the published model."""
        self._begin(ModelJob(ModelTask.FETCH, name))

    def import_files(self, paths: Sequence[Path], name: str) -> None:
        """Import a model, or more voices for it, from these files and folders."""
        self._begin(*(ModelJob(ModelTask.IMPORT, name, path) for path in paths))

    @Slot(str)
    def verify(self, name: str) -> None:
        """Verify a model by reading all of it."""
        self._begin(ModelJob(ModelTask.VERIFY, name))

    @Slot(str)
    def remove(self, name: str) -> None:
        """Delete a model."""
        self._begin(ModelJob(ModelTask.REMOVE, name))

    def prepare(self, name: str, device: str) -> None:
        """Prepare an installed model, so that it loads immediately."""
        self._begin(ModelJob(ModelTask.PREPARE, name, device=device))

    @Slot()
    def cancel(self) -> None:
        """Stop all jobs and discard partial downloads."""
        for job in self._jobs:
            job.discard.set()
        self._stop()

    @Slot()
    def retry(self) -> None:
        """Repeat the job that failed, and the jobs dropped because of it."""
        jobs, self._not_done = self._not_done, ()
        self._begin(*(ModelJob(job.task, job.model, job.path, device=job.device) for job in jobs))

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything, but save partial downloads for next time; return whether the thread ended in time."""
        self._stop()
        return self._tasks.shut_down(timeout_ms)

    def _stop(self) -> None:
        for job in self._jobs:
            job.cancel.set()
        self._announce_rows()

    def _begin(self, *jobs: ModelJob) -> None:
        was_idle = not self._jobs
        self._jobs.extend(jobs)
        if was_idle:
            self._go_on()
        self._announce_rows()

    def _go_on(self) -> None:
        self._progress, self._pace = None, ProgressEstimator()
        if not self._jobs:
            self._tick.stop()
            return
        self._tick.start()
        job = self._jobs[0]
        ended = partial(self._list, job)
        self._tasks.run(self._worker.work, job, done=ended, failed=ended, cancel=job.cancel)

    def _list(self, job: ModelJob, error: Exception | None) -> None:
        """List the models; every job ends with this, even if it fails."""
        done, failed = partial(self._on_listed, job, error), partial(self._end, job)
        self._tasks.run(self._worker.listed, done=done, failed=lambda unlisted: failed(error or unlisted))

    def _on_listed(self, job: ModelJob, error: Exception | None, listed: ModelsListed) -> None:
        self._models = listed.models
        self.voices_listed.emit(listed.voices)
        self._end(job, error)

    def _advance(self, job: ModelJob, progress: JobProgress) -> None:
        if self._jobs and job is self._jobs[0]:
            self._note(progress)
            self._announce_rows()

    def _note(self, progress: JobProgress) -> None:
        self._progress = progress
        if isinstance(progress, ModelProgress):
            left = progress.seconds_left if progress.bytes_done < progress.bytes_total else None
            self._pace.note(progress.activity, 0, 0, left)
        else:
            self._pace.note(progress.title, progress.done, progress.total)

    def _end(self, job: ModelJob, error: Exception | None) -> None:
        self._jobs.popleft()
        if isinstance(error, Canceled):
            self._not_done = ()
            self._jobs = deque(job for job in self._jobs if not job.cancel.is_set())
        elif error is not None:
            self._not_done = (job, *self._jobs)
            self._jobs.clear()
        self._go_on()
        self._announce_rows()
        if error is None:
            self.done.emit(job)
        elif self._not_done:
            self.failed.emit(JobEnded(job, error))

    def _row(self, model: ListedModel, job: ModelJob | None) -> ModelRow:
        name = model.status.entry.name
        idle = job is None or job.task is ModelTask.LOOK
        row = ModelRow(model.status, model.folder, name == self._in_use, idle=idle)
        if job is None or job.model != name:
            return row
        return replace(
            row,
            task=job.task,
            progress=self._progress,
            format_duration=self._pace.words,
            fraction=fraction_of(self._progress, self._pace.fraction),
            stopping=job.cancel.is_set(),
        )

    @Slot()
    def _announce_rows(self) -> None:
        self.rows_changed.emit(self.rows)
