"""The options of a starter training, and the progress it reports; nothing here loads a tensor library."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import InvalidRequest


@dataclass(frozen=True)
class StageMinutes:
    """Processor minutes of each stage on one core."""

    text: float = 10.0
    front: float = 30.0
    generator: float = 20.0
    joint: float = 52.0

    @property
    def total(self) -> float:
        """Minutes of all stages together."""
        return self.text + self.front + self.generator + self.joint

    def scaled_to(self, minutes: float) -> StageMinutes:
        """The same proportions in another total."""
        share = minutes / self.total
        return StageMinutes(self.text * share, self.front * share, self.generator * share, self.joint * share)


@dataclass(frozen=True)
class TrainOptions:
    """Where training keeps its state, where the package goes, and how much work is done.

    `work_folder` holds recordings and checkpoints; running again with the same folder continues.
    """

    work_folder: Path
    output_folder: Path
    minutes: StageMinutes = field(default_factory=StageMinutes)
    utterances_per_voice: int = 4000
    seed: int = 11
    compile_blocks: bool = True

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> TrainOptions:
        """Options from `--work-dir`, `--output-dir` and `--minutes` of the command line.

        Raises `InvalidRequest` for minutes that are not above zero.
        """
        options = cls(arguments.work_dir, arguments.output_dir or arguments.work_dir / "package")
        if arguments.minutes is None:
            return options
        if not arguments.minutes > 0:
            raise InvalidRequest(f"{arguments.minutes} minutes are no time to train.", "Give a number above zero.")
        return replace(options, minutes=StageMinutes().scaled_to(arguments.minutes))


@dataclass(frozen=True)
class TrainProgress:
    """Where a training stands: `fraction` of the stage, seconds left in all stages, the stage's latest figures."""

    stage: str
    fraction: float
    remaining_seconds: float
    measures: Mapping[str, float]

    def __str__(self) -> str:
        minutes, seconds = divmod(round(self.remaining_seconds), 60)
        figures = " ".join(f"{name} {value:.3f}" for name, value in self.measures.items())
        return f"{self.stage} {self.fraction:4.0%}, {minutes}:{seconds:02} left in all. {figures}".rstrip()
