"""The estimate for a model and a length of audio: counts of every stage, and times of them on every chip.

It does not know how it is shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.estimate.chips import CHIPS, Chip, record_of
from engine.estimate.roofline import KernelTime, Resource, kernel_time
from engine.estimate.work import KernelWork, StageWork
from engine.stages import DEVICE_STAGES

LABEL = "estimated, not measured"
FRAMES_PER_TOKEN = 3
"""Tokens of speech last 2 to 4 frames."""
DECODER = "decoder"
MOST_WASTE = 1.6
LEAST_SHARE = 0.01
"""Of the time: kernels below it may waste."""


@dataclass(frozen=True)
class Utterance:
    """What is estimated: one utterance."""

    seconds: float
    frames: int
    tokens: int


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
        """The resource that most of a stage's estimated time is spent on."""
        shares: defaultdict[Resource, float] = defaultdict(float)
        for timed in self.kernels:
            if timed.stage == stage:
                shares[timed.time.bound_by] += timed.time.estimate_seconds
        return max(shares, key=lambda resource: shares[resource])

    def wasteful(self) -> tuple[TimedKernel, ...]:
        """Dispatches of a kernel that takes more than a hundredth of the time and wastes too much of it."""
        total = self.seconds(lambda time: time.estimate_seconds)
        shares: defaultdict[tuple[str, str], float] = defaultdict(float)
        for timed in self.kernels:
            shares[timed.stage, timed.kernel.name] += timed.time.estimate_seconds / total
        return tuple(
            timed
            for timed in self.kernels
            if (timed.kernel.waste or 0) > MOST_WASTE and shares[timed.stage, timed.kernel.name] > LEAST_SHARE
        )


@dataclass(frozen=True)
class Estimate:
    """Counts of one utterance, and times on every chip."""

    model: str
    utterance: Utterance
    stages: tuple[StageWork, ...]
    chips: tuple[ChipEstimate, ...]

    @property
    def dispatches(self) -> int:
        """Of the whole utterance."""
        return sum(len(stage.kernels) for stage in self.stages)

    @property
    def useful_flop(self) -> float:
        """Of the whole utterance."""
        return sum(stage.useful_flop for stage in self.stages)

    def record_share_of_peak(self, chip: Chip) -> float | None:
        """The share of the chip's float32 peak that the record's slope comes to, with the useful operations alone."""
        record = record_of(self.model, chip)
        if record is None:
            return None
        return self.useful_flop / self.utterance.seconds / (record * 1e-3 * chip.flop_per_second)


def utterance_of(seconds: float, config: ModelConfig) -> Utterance:
    """An utterance of this length in whole frames; raises `InvalidRequest` for one that the model cannot speak."""
    frames = round(seconds * config.frames_per_second)
    tokens = round(frames / FRAMES_PER_TOKEN)
    if tokens < 1 or tokens > config.token_limit:
        most = config.token_limit * FRAMES_PER_TOKEN / config.frames_per_second
        raise InvalidRequest(
            f"{seconds:g} seconds is no length of an utterance.", f"Take one up to {most:.0f} seconds."
        )
    return Utterance(frames / config.frames_per_second, frames, tokens)


def estimate_metal(model: str, config: ModelConfig, seconds: float, report: Callable[[str], None]) -> Estimate:
    """Count the Metal modules of a model, and estimate their times; `report` gets the name of each counted stage.

    Raises `InvalidRequest`, `CompileError`.
    """
    from engine.estimate.stage_work import Run, count_for_metal  # brings torch and tvm

    utterance = utterance_of(seconds, config)
    run = Run(config, 1, {"frames": utterance.frames, "tokens": utterance.tokens})
    stages = []
    for stage in count_for_metal(DEVICE_STAGES, run):
        report(stage.stage)
        stages.append(stage)
    return timed(model, utterance, stages)


def timed(model: str, utterance: Utterance, stages: Sequence[StageWork]) -> Estimate:
    """Counts with their times on every chip."""
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
    return Estimate(model, utterance, tuple(stages), chips)
