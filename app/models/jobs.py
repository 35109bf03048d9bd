"""The data exchanged between the window's thread and the thread that manages models, in both directions."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from engine.model_store import ModelProgress, ModelStatus


class Task(Enum):
    """What can be done with models; looking concerns all of them."""

    LOOK = "look"
    FETCH = "fetch"
    IMPORT = "import"
    VERIFY = "verify"
    REMOVE = "remove"


@dataclass(frozen=True)
class ModelJob:
    """Do this with a model; `path` is what is imported.

    `discard`, set before `cancel`, says that what was received of it is not kept for the next time.
    """

    task: Task
    model: str = ""
    path: Path | None = None
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)
    discard: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True)
class ListedModel:
    """A model of the catalogue, what there is of it, and the folder where it is or would be."""

    status: ModelStatus
    folder: Path


@dataclass(frozen=True)
class ModelsListed:
    """The models as they are now."""

    models: tuple[ListedModel, ...]


@dataclass(frozen=True)
class JobAdvanced:
    """A job is so far."""

    job: ModelJob
    progress: ModelProgress


@dataclass(frozen=True)
class JobEnded:
    """A job is done, or `error` says why not."""

    job: ModelJob
    error: Exception | None = None


JobEvent = ModelsListed | JobAdvanced | JobEnded
