"""The estimate for a model and a length of audio: counts of every stage, and their times on every chip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.config import ModelConfig
from engine.estimate.chips import CHIPS, Chip, record_of
from engine.estimate.lengths import Length, natural_length
from engine.estimate.roofline import KernelTime, Resource, kernel_time
from engine.estimate.work import KernelWork, StageWork
from engine.stages import DEVICE_STAGES

LABEL = "estimated, not measured"
DECODER = "decoder"


@dataclass(frozen=True)
class TimedKernel:
    """A dispatch with its time on one chip."""

    stage: str
    kernel: KernelWork
    time: KernelTime


@dataclass(frozen=True)
class ChipEstimate:
    """All dispatches on one chip, in order."""

    chip: Chip
    kernels: tuple[TimedKernel, ...]

    def seconds(self, kind: Callable[[KernelTime], float], stage: str | None = None) -> float:
        """The sum of one kind of time, of one stage or all."""
        return sum(kind(timed.time) for timed in self.kernels if stage in (None, timed.stage))

    def bound_by(self, stage: str) -> Resource:
        """The resource that most of a stage's time is spent on, at the slow end."""
        shares: defaultdict[Resource, float] = defaultdict(float)
        for timed in self.kernels:
            if timed.stage == stage:
                shares[timed.time.bound_by] += timed.time.slow_seconds
        return max(shares, key=lambda resource: shares[resource])


@dataclass(frozen=True)
class Estimate:
    """Counts of one utterance, and their times on every chip."""

    model: str
    length: Length
    stages: tuple[StageWork, ...]
    chips: tuple[ChipEstimate, ...]

    @property
    def dispatches(self) -> int:
        """Dispatches of the whole utterance."""
        return sum(len(stage.kernels) for stage in self.stages)

    @property
    def executed_flop(self) -> float:
        """Floating-point operations that the kernels of the whole utterance execute."""
        return sum(kernel.work.flop for stage in self.stages for kernel in stage.kernels)

    @property
    def useful_flop(self) -> float:
        """Floating-point operations that the whole utterance needs if convolutions are computed directly."""
        return sum(stage.useful_flop for stage in self.stages)

    def record_share_of_peak(self, chip: Chip) -> float | None:
        """The share of the chip's float32 peak that the record reaches, counting useful operations alone."""
        record = record_of(self.model, chip)
        if record is None:
            return None
        return self.useful_flop / self.length.seconds / (record * 1e-3 * chip.flop_per_second)


def estimate_metal(model: str, config: ModelConfig, seconds: float, on_progress: Callable[[str], None]) -> Estimate:
    """Count the Metal modules of a model, and estimate their times; `on_progress` gets the name of each counted stage.

    Raises `InvalidRequest`, `CompileError`.
    """
    from engine.estimate.stage_work import Run, count_for_metal  # loads torch and tvm

    length = natural_length(seconds, config)
    run = Run(config, 1, {"frames": length.frames, "tokens": length.tokens})
    stages = []
    for stage in count_for_metal(DEVICE_STAGES, run):
        on_progress(stage.stage)
        stages.append(stage)
    return timed(model, length, stages)


def timed(model: str, length: Length, stages: Sequence[StageWork]) -> Estimate:
    """The estimate that these counts give: their times on every chip."""
    chips = tuple(
        ChipEstimate(
            chip,
            tuple(
                TimedKernel(stage.stage, kernel, kernel_time(kernel, chip))
                for stage in stages
                for kernel in stage.kernels
            ),
        )
        for chip in CHIPS
    )
    return Estimate(model, length, tuple(stages), chips)
