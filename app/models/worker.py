"""Model jobs in a separate thread; this module is the only caller of the engine's model store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Protocol

from engine.errors import Canceled
from engine.models.catalog import ModelEntry
from engine.models.installed_voices import ModelVoices, installed_voices
from engine.models.progress import ModelObserver, ModelProgress
from engine.models.store import ModelStatus, ModelStore
from engine.runtime.preparation.devices import AUTO
from engine.runtime.preparation.files import make_ready
from engine.runtime.preparation.modules import PreparationObserver
from engine.speech import PreparationEvent

JobProgress = ModelProgress | PreparationEvent
REPORT_SECONDS = 0.1
"""The minimum interval of progress reports, except when an activity starts or is complete."""


class ModelTask(Enum):
    """The tasks for models; LOOK lists all of them, PREPARE makes one load immediately."""

    LOOK = "look"
    FETCH = "fetch"
    IMPORT = "import"
    VERIFY = "verify"
    REMOVE = "remove"
    PREPARE = "prepare"


@dataclass(frozen=True)
class ModelJob:
    """A task for one model; `path` is the file to import, `device` the one to prepare for.

    `discard`, set before `cancel`, discards a partial download instead of saving it for next time.
    """

    task: ModelTask
    model: str = ""
    path: Path | None = None
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)
    discard: threading.Event = field(default_factory=threading.Event, compare=False)
    device: str = AUTO


@dataclass(frozen=True)
class ListedModel:
    """A model of the catalog: its status, and the folder where it is or would be."""

    status: ModelStatus
    folder: Path


@dataclass(frozen=True)
class ModelsListed:
    """The current state of all models, and the voices of the usable ones, best first."""

    models: tuple[ListedModel, ...]
    voices: tuple[ModelVoices, ...]


@dataclass(frozen=True)
class JobEnded:
    """A job that has failed, and the error."""

    job: ModelJob
    error: Exception


class ModelLibrary(Protocol):
    """The interface that the window needs to manage models; implemented by `app.models.worker.StoreLibrary`."""

    def catalog(self) -> tuple[ModelEntry, ...]:
        """Return every available model."""

    def status(self, name: str) -> ModelStatus:
        """Return the status of a model."""

    def model_folder(self, name: str) -> Path:
        """Return the folder where a model is, or would be."""

    def fetch(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
        """Download the published model; if canceled, the partial download is saved."""

    def discard_received(self, name: str) -> None:
        """Delete a partial download."""

    def import_from(self, path: Path, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
        """Import a model, or voices for one, from files."""

    def verify(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
        """Verify a model by reading all of it."""

    def remove(self, name: str) -> None:
        """Delete a model."""

    def voices(self) -> tuple[ModelVoices, ...]:
        """Return the voices of the usable models, best first."""

    def make_ready(self, name: str, device: str, observe: PreparationObserver, cancel: threading.Event | None) -> None:
        """Prepare an installed model, so that it loads immediately."""


LibraryFactory = Callable[[], ModelLibrary]


class ModelWorker:
    """A runner of jobs, one at a time, in any thread; `advanced` receives the progress of each."""

    def __init__(self, make_library: LibraryFactory, advanced: Callable[[ModelJob, JobProgress], None]) -> None:
        self._make_library = make_library
        self._advanced = advanced
        self._library: ModelLibrary | None = None
        self._reported: ModelProgress | None = None
        self._reported_at = 0.0

    def work(self, job: ModelJob) -> None:
        """Run a job; errors of the library propagate."""
        library, observe = self._opened(), partial(self._observe, job)
        match job.task:
            case ModelTask.FETCH:
                _fetch(library, job, observe)
            case ModelTask.IMPORT if job.path is not None:
                library.import_from(job.path, job.model, observe, job.cancel)
            case ModelTask.VERIFY:
                library.verify(job.model, observe, job.cancel)
            case ModelTask.REMOVE:
                library.remove(job.model)
            case ModelTask.PREPARE:
                library.make_ready(job.model, job.device, partial(self._advanced, job), job.cancel)

    def listed(self) -> ModelsListed:
        """Return the current state of all models."""
        library = self._opened()
        names = [entry.name for entry in library.catalog()]
        models = tuple(ListedModel(library.status(name), library.model_folder(name)) for name in names)
        return ModelsListed(models, library.voices())

    def _opened(self) -> ModelLibrary:
        if self._library is None:
            self._library = self._make_library()
        return self._library

    def _observe(self, job: ModelJob, progress: ModelProgress) -> None:
        told, now = self._reported, time.monotonic()
        begins = told is None or told.activity is not progress.activity
        if begins or progress.bytes_done >= progress.bytes_total or now - self._reported_at >= REPORT_SECONDS:
            self._reported, self._reported_at = progress, now
            self._advanced(job, progress)


def _fetch(library: ModelLibrary, job: ModelJob, observe: ModelObserver) -> None:
    try:
        library.fetch(job.model, observe, job.cancel)
    except Canceled:
        if job.discard.is_set():
            library.discard_received(job.model)
        raise


class StoreLibrary(ModelStore):
    """The model store of this machine, as `app.models.worker.ModelLibrary`."""

    def voices(self) -> tuple[ModelVoices, ...]:
        """Return the voices of the usable models, best first."""
        return installed_voices()

    def make_ready(
        self, name: str, device: str, observe: PreparationObserver, cancel: threading.Event | None = None
    ) -> None:
        """Compile the modules of an installed model and pack its weights, in child processes; load no model."""
        make_ready(name, device, observe, cancel)
