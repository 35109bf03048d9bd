"""What the application is doing at a given moment, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from app.audio.player import Playback
from engine.speech import DeviceEvent, PreparationEvent


class Readiness(Enum):
    """Whether the engine can speak."""

    PREPARING = "preparing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class SaveProgress:
    """The file being saved: `step` says what is done, `fraction` how much, `seconds_left` how long the rest may take.

    These are empty and None while unknown. `waiting_count` others are to be saved, too; the one of them that is
    `interrupted`, if any, is a book that has begun and goes on afterwards.
    """

    name: str
    step: str = ""
    fraction: float | None = None
    seconds_left: float | None = None
    waiting_count: int = 0
    interrupted: SaveProgress | None = None


@dataclass(frozen=True)
class Activity:
    """`utterance_number` (from 1, of `utterance_count`) is heard, or else being made; 0 when unknown.

    `device` is what computes the speech, None until it is known. `fallback` says why the processor made some of the
    latest speech in place of the GPU, if it did. While `previewing`, a voice is tried with a sentence of its own.
    `partial` speech was stopped before all of it was made.
    """

    readiness: Readiness = Readiness.PREPARING
    preparation: PreparationEvent | None = None
    making: bool = False
    save: SaveProgress | None = None
    playback: Playback = Playback.STOPPED
    waiting: bool = False
    utterance_number: int = 0
    utterance_count: int = 0
    made_count: int = 0
    device: DeviceEvent | None = None
    fallback: str = ""
    previewing: bool = False
    partial: bool = False

    @property
    def saving(self) -> bool:
        """Whether a file is being saved, or speech is being made for it."""
        return self.save is not None

    @property
    def can_stop(self) -> bool:
        """Whether there is something to stop."""
        return self.busy or self.playback is Playback.PAUSED

    @property
    def busy(self) -> bool:
        """Whether something is made or heard."""
        return self.making or self.previewing or self.playback is Playback.PLAYING

    @property
    def idle(self) -> bool:
        """Whether nothing is in progress."""
        return self.readiness is not Readiness.PREPARING and not self.saving and not self.busy
