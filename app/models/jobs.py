"""The data exchanged between the window's thread and the thread that manages models, in both directions."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from engine.models.installed_voices import ModelVoices
from engine.models.progress import ModelProgress
from engine.models.store import ModelStatus
from engine.runtime.preparation.devices import AUTO
from engine.speech import PreparationEvent


class Task(Enum):
    """What can be done with models; LOOK lists all of them, PREPARE makes one ready to be loaded at once."""

    LOOK = "look"
    FETCH = "fetch"
    IMPORT = "import"
    VERIFY = "verify"
    REMOVE = "remove"
    PREPARE = "prepare"


@dataclass(frozen=True)
class ModelJob:
    """A task for one model; `path` is what to import, `device` what to make it ready for.

    `discard`, set before `cancel`, says that what has been received is not kept for next time.
    """

    task: Task
    model: str = ""
    path: Path | None = None
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)
    discard: threading.Event = field(default_factory=threading.Event, compare=False)
    device: str = AUTO


@dataclass(frozen=True)
class ListedModel:
    """A model of the catalogue: its status, and the folder where it is or would be."""

    status: ModelStatus
    folder: Path


@dataclass(frozen=True)
class ModelsListed:
    """The current state of all models, and the voices of those that can speak, the best first."""

    models: tuple[ListedModel, ...]
    voices: tuple[ModelVoices, ...]


JobProgress = ModelProgress | PreparationEvent


@dataclass(frozen=True)
class JobEnded:
    """A job has failed; `error` says why."""

    job: ModelJob
    error: Exception
