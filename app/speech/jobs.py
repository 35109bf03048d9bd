"""The data exchanged between the window's thread and the engine's thread, in both directions."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from engine.speech import AudioChunk, PlanEvent, PreparationEvent, Samples, SpeechRequest, VoiceInfo


@dataclass(frozen=True)
class PrepareJob:
    """Make the engine ready."""

    cancel: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True)
class SpeakJob:
    """Speak a request; `number` tells its reports from those of an older one."""

    number: int
    request: SpeechRequest
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True)
class SaveJob:
    """Write finished speech to a file."""

    path: Path
    samples: Samples = field(repr=False)
    sample_rate_hz: int


@dataclass(frozen=True)
class VoicesListed:
    """The voices there are."""

    voices: tuple[VoiceInfo, ...]


@dataclass(frozen=True)
class PreparationAdvanced:
    """The engine is getting ready."""

    event: PreparationEvent


@dataclass(frozen=True)
class Prepared:
    """The engine is ready, or `error` says why not."""

    error: Exception | None = None


@dataclass(frozen=True)
class SpeechPlanned:
    """The text has been cut into utterances."""

    job: SpeakJob
    event: PlanEvent


@dataclass(frozen=True)
class ChunkSpoken:
    """The next utterance can be heard."""

    job: SpeakJob
    chunk: AudioChunk


@dataclass(frozen=True)
class SpeechEnded:
    """Nothing more will come: all is spoken, or `error` says why not."""

    job: SpeakJob
    error: Exception | None = None


@dataclass(frozen=True)
class SaveEnded:
    """The file is written, or `error` says why not."""

    job: SaveJob
    error: Exception | None = None


JobEvent = VoicesListed | PreparationAdvanced | Prepared | SpeechPlanned | ChunkSpoken | SpeechEnded | SaveEnded
