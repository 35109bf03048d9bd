"""Defines the options of starter training and its progress reports; nothing here loads a tensor library."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InvalidRequest

STAGE_MINUTES: Mapping[str, float] = {"text": 240.0, "front": 240.0, "generator": 120.0, "joint": 1020.0}
"""CPU minutes of each stage on one core, in the order of training.

The front reads nine examples in the time in which both sound stages together read one.
"""
WARM_STAGES = ("text", "front", "joint")
"""The stages trained from an existing package, whose generator already knows sounds, regardless of the voice."""
ROUNDS = 20


@dataclass(frozen=True)
class TrainOptions:
    """The folders of the training state and of the package, and the amount of work.

    `work_folder` holds the teacher's examples and checkpoints; running again with the same folder continues. `minutes`
    are the CPU minutes of the stages to train; `rounds` the shards of training data for each voice; `start` a package
    whose weights are the initial ones.
    """

    work_folder: Path
    output_folder: Path
    minutes: Mapping[str, float] = field(default_factory=lambda: dict(STAGE_MINUTES))
    rounds: int = ROUNDS
    start: Path | None = None
    seed: int = 11
    compile_blocks: bool = True

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> TrainOptions:
        """Return the options of the command line; raises `InvalidRequest` for numbers that are not above zero."""
        if arguments.minutes is not None and not arguments.minutes > 0:
            raise InvalidRequest(f"--minutes {arguments.minutes} is too small.", "Use a number above zero.")
        if not arguments.rounds > 0:
            raise InvalidRequest(f"--rounds {arguments.rounds} is too small.", "Use a number above zero.")
        stages = arguments.stages or (WARM_STAGES if arguments.start else tuple(STAGE_MINUTES))
        return cls(
            arguments.work_dir,
            arguments.output_dir or arguments.work_dir / "package",
            minutes_of(stages, arguments.minutes),
            arguments.rounds,
            arguments.start,
        )


def minutes_of(stages: Sequence[str], total: float | None) -> dict[str, float]:
    """Return the minutes of these stages, in the order of training, scaled to `total` if it is given."""
    chosen = {name: minutes for name, minutes in STAGE_MINUTES.items() if name in stages}
    share = 1.0 if total is None else total / sum(chosen.values())
    return {name: minutes * share for name, minutes in chosen.items()}


@dataclass(frozen=True)
class TrainProgress:
    """The progress of training: `fraction` of the stage, seconds left in all stages, the stage's latest figures."""

    stage: str
    fraction: float
    remaining_seconds: float
    measures: Mapping[str, float]

    def __str__(self) -> str:
        minutes, seconds = divmod(round(self.remaining_seconds), 60)
        figures = " ".join(f"{name} {value:.4f}" for name, value in self.measures.items())
        return f"{self.stage} {self.fraction:4.0%}, {minutes}:{seconds:02} left in all. {figures}".rstrip()
