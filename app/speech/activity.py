"""The current activity of the application, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from app.audio.player import Playback
from engine.speech import DeviceEvent, PreparationEvent


class Readiness(Enum):
    """The state of the engine."""

    PREPARING = "preparing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class SaveProgress:
    """The file being saved: the current `step`, the `fraction` done, and the estimated `seconds_left`.

    These are empty or None while unknown. `waiting_count` is the number of other files in the queue; `interrupted` is
    the one of them, if any, that has begun: a book that resumes afterwards.
    """

    name: str
    step: str = ""
    fraction: float | None = None
    seconds_left: float | None = None
    waiting_count: int = 0
    interrupted: SaveProgress | None = None


@dataclass(frozen=True)
class Activity:
    """The activity of the application at a given moment.

    `utterance_number` (from 1, of `utterance_count`) is being played, or else generated; 0 while unknown.
    `device` computes the speech; it is None until known. `fallback` is the reason why the CPU generated some of the
    latest speech instead of the GPU, if it did. While `previewing`, a voice is tried with a separate sentence.
    `partial` speech was stopped before all of it was generated.
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
        """True while a file is being saved or generated."""
        return self.save is not None

    @property
    def can_stop(self) -> bool:
        """True if there is something to stop."""
        return self.busy or self.playback is Playback.PAUSED

    @property
    def busy(self) -> bool:
        """True while something is being generated or played."""
        return self.making or self.previewing or self.playback is Playback.PLAYING

    @property
    def idle(self) -> bool:
        """True if nothing is in progress."""
        return self.readiness is not Readiness.PREPARING and not self.saving and not self.busy
