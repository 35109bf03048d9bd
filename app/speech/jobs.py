"""The data exchanged between the window's thread and the engine's thread, in both directions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.audio.track import AudioTrack
from engine.errors import Cancelled
from engine.export.order import Order
from engine.export.progress import ExportProgress
from engine.speech import AudioChunk, DeviceEvent, PlanEvent, PreparationEvent, Samples, SpeechRequest

if TYPE_CHECKING:
    from app.speech.engine_worker import SpeechEngine
    from engine.model_store.installed_voices import ModelVoices


@dataclass(frozen=True)
class PrepareJob:
    """Prepare the engine."""

    cancel: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True)
class SpeakJob:
    """Speak a request with the engine of `make_engine`; `number` tells its events from those of an older job."""

    number: int
    request: SpeechRequest
    make_engine: Callable[[], SpeechEngine] | None = field(default=None, compare=False)
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True)
class PreviewJob:
    """Speak a sentence with the engine that `make_engine` makes, to hear what a voice is like.

    That may be one that only visits, without taking over from the present one.
    """

    request: SpeechRequest
    make_engine: Callable[[], SpeechEngine] = field(compare=False)
    visits: bool = False
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True, eq=False)
class SaveJob:
    """Save what is ordered: the speech of a `track`, or, without one, speech that the engine of `make_engine` makes.

    What is `short` is saved in between what is not.
    """

    order: Order
    make_engine: Callable[[], SpeechEngine]
    track: AudioTrack | None = field(default=None, repr=False)
    short: bool = False
    cancel: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class VoicesListed:
    """The models that can speak and their voices, the best first, and the best of them that can speak at once."""

    models: tuple[ModelVoices, ...]
    ready_model: str


@dataclass(frozen=True)
class PreparationAdvanced:
    """The engine has made progress in getting ready."""

    event: PreparationEvent


@dataclass(frozen=True)
class DeviceChosen:
    """What will compute the speech is known."""

    event: DeviceEvent


@dataclass(frozen=True)
class Prepared:
    """Preparation has ended; `error` says why if it failed, `job` is the one that only prepared, if it was one."""

    error: Exception | None = None
    job: PrepareJob | None = field(default=None, compare=False)

    @property
    def gave_way(self) -> bool:
        """Whether it was to give way to another, however it has ended: it may not have noticed in time."""
        return isinstance(self.error, Cancelled) or (self.job is not None and self.job.cancel.is_set())


@dataclass(frozen=True)
class FellBack:
    """The processor speaks in place of the GPU; `message` says why and for how long, `job` what, if it is a speech."""

    message: str
    job: SpeakJob | None = field(default=None, compare=False)


@dataclass(frozen=True)
class SpeechPlanned:
    """The text has been cut into utterances."""

    job: SpeakJob
    event: PlanEvent


@dataclass(frozen=True)
class ChunkSpoken:
    """The audio of the next utterance is ready."""

    job: SpeakJob
    chunk: AudioChunk


@dataclass(frozen=True)
class SpeechEnded:
    """The job has ended; `error` says why if not everything was spoken."""

    job: SpeakJob
    error: Exception | None = None


@dataclass(frozen=True)
class PreviewEnded:
    """A sentence [n] float32 is made; `error` says why if it is not."""

    job: PreviewJob
    samples: Samples = field(repr=False)
    sample_rate_hz: int = 0
    error: Exception | None = None


@dataclass(frozen=True)
class SaveAdvanced:
    """Saving goes on."""

    job: SaveJob
    progress: ExportProgress


@dataclass(frozen=True)
class SaveEnded:
    """Saving has ended; `error` says why if not every file was written."""

    job: SaveJob
    error: Exception | None = None


JobEvent = (
    VoicesListed
    | PreparationAdvanced
    | DeviceChosen
    | Prepared
    | FellBack
    | SpeechPlanned
    | ChunkSpoken
    | SpeechEnded
    | PreviewEnded
    | SaveAdvanced
    | SaveEnded
)
