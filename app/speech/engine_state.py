"""What the engine has told about itself: whether it can speak, what it is getting ready, and what computes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.speech.activity import Readiness
from app.speech.jobs import (
    DeviceChosen,
    FellBack,
    JobEvent,
    PreparationAdvanced,
    Prepared,
    PreviewEnded,
    SaveEnded,
    SpeechEnded,
)
from engine.speech import DeviceEvent, PreparationEvent


@dataclass(frozen=True)
class EngineState:
    """`preparation` is the step in progress; `fallback` says why the processor spoke in place of the GPU, if it did."""

    readiness: Readiness = Readiness.PREPARING
    preparation: PreparationEvent | None = None
    device: DeviceEvent | None = None
    fallback: str = ""

    def _unready(self, error: Exception | None) -> bool:
        return error is not None and self.readiness is Readiness.PREPARING

    def after(self, event: JobEvent) -> EngineState:
        """The state once this has happened; a preparation that is cancelled gives way to another, and says nothing."""
        match event:
            case PreparationAdvanced(preparation):
                return replace(self, readiness=Readiness.PREPARING, preparation=preparation)
            case DeviceChosen(device):
                return replace(self, device=device)
            case FellBack(message):
                return replace(self, readiness=Readiness.READY, preparation=None, fallback=message)
            case Prepared(error) if not event.gave_way:
                return replace(self, readiness=Readiness.FAILED if error else Readiness.READY, preparation=None)
            case SpeechEnded(error=error) | PreviewEnded(error=error) | SaveEnded(error=error) if self._unready(error):
                return replace(self, readiness=Readiness.FAILED, preparation=None)
        return self
