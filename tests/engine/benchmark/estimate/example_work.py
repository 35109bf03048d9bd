"""Work with invented counts."""

from __future__ import annotations

from engine.benchmark.estimate.roofline import Estimate, Family, FamilyWork, StageWork
from engine.benchmark.job import Length
from engine.stages import DEVICE_STAGES

CONVOLUTIONS = FamilyWork(Family.CONVOLUTIONS, dispatches=1, needed_flop=2e11, flop=1e11, bytes=0.0)
COPIES = FamilyWork(Family.OTHERS, dispatches=1, needed_flop=0.0, flop=0.0, bytes=1e9)


def estimate(model: str = "kokoro-82m") -> Estimate:
    """Return an estimate of two seconds, with two kernels in the decoder and one in every other stage."""
    stages = (
        StageWork(stage.name, (CONVOLUTIONS, COPIES) if stage.name == "decoder" else (COPIES,))
        for stage in DEVICE_STAGES
    )
    return Estimate(model, Length(80, 27, 2.0), tuple(stages))
