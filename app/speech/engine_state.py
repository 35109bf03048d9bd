"""What the engine has told about itself: whether it can speak, what it is getting ready, and what computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.speech.activity import Readiness
from app.speech.jobs import (
    DeviceChosen,
    FellBack,
    JobEvent,
    PreparationAdvanced,
    Prepared,
    PreviewEnded,
    PreviewJob,
    SaveEnded,
    SaveJob,
    SpeakJob,
    SpeechEnded,
)
from engine.speech import DeviceEvent, PreparationEvent

if TYPE_CHECKING:
    from app.speech.engine_worker import SpeechEngine


@dataclass(frozen=True)
class EngineState:
    """`preparation` is the step in progress; `fallback` says why the processor spoke in place of the GPU, if it did.

    `make_engine` makes the engine that is meant: one that had to give way to it may still be at work.
    """

    readiness: Readiness = Readiness.PREPARING
    preparation: PreparationEvent | None = None
    device: DeviceEvent | None = None
    fallback: str = ""
    make_engine: Callable[[], SpeechEngine] | None = field(default=None, compare=False)

    def after(self, event: JobEvent) -> EngineState:
        """The state once this has happened; a preparation that is cancelled gives way to another, and says nothing."""
        match event:
            case PreparationAdvanced(preparation):
                return replace(self, readiness=Readiness.PREPARING, preparation=preparation)
            case DeviceChosen(device):
                return replace(self, device=device)
            case FellBack(message, job):
                given_up = job is not None and job.cancel.is_set()  # by now it is another speech that is the latest
                fallback = self.fallback if given_up else message
                return replace(self, readiness=Readiness.READY, preparation=None, fallback=fallback)
            case Prepared(error) if not event.gave_way:
                return replace(self, readiness=Readiness.FAILED if error else Readiness.READY, preparation=None)
            case SpeechEnded(job, error=error) | PreviewEnded(job, error=error) | SaveEnded(job, error=error):
                if error is not None and self._gets_ready_for(job):
                    return replace(self, readiness=Readiness.FAILED, preparation=None)
        return self

    def _gets_ready_for(self, job: SpeakJob | PreviewJob | SaveJob) -> bool:
        return self.readiness is Readiness.PREPARING and job.make_engine is self.make_engine
