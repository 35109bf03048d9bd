"""The data exchanged between the window's thread and the thread that manages models, in both directions."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from engine.model_store import ModelProgress, ModelStatus


class Task(Enum):
    """What can be done with models; LOOK lists all of them."""

    LOOK = "look"
    FETCH = "fetch"
    IMPORT = "import"
    VERIFY = "verify"
    REMOVE = "remove"


@dataclass(frozen=True)
class ModelJob:
    """A task for one model; `path` is what to import.

    `discard`, set before `cancel`, says that what has been received is not kept for next time.
    """

    task: Task
    model: str = ""
    path: Path | None = None
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)
    discard: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True)
class ListedModel:
    """A model of the catalogue: its status, and the folder where it is or would be."""

    status: ModelStatus
    folder: Path


@dataclass(frozen=True)
class ModelsListed:
    """The current state of all models."""

    models: tuple[ListedModel, ...]


@dataclass(frozen=True)
class JobAdvanced:
    """The progress of a job."""

    job: ModelJob
    progress: ModelProgress


@dataclass(frozen=True)
class JobEnded:
    """A job has ended; `error` says why if it failed."""

    job: ModelJob
    error: Exception | None = None


JobEvent = ModelsListed | JobAdvanced | JobEnded
