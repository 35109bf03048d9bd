"""What the steps of a distillation are told; nothing here loads a tensor library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LESSON_MINUTES: Mapping[str, float] = {"durations": 17.0, "pitch": 15.0, "text": 3.0, "chain": 11.0}
"""Processor minutes of each lesson on one core, in the order in which they are given."""
DEFAULT_SHARDS = 20
CORRECTIONS, FRAME_CORRECTIONS = 6, 14
"""How often the cell corrects a guess in the file of students, over tokens and over frames."""
DOUBLINGS = 4
"""Each correction carries the cell state over 2 ** 4 steps; more of them bring no more equal durations."""


@dataclass(frozen=True)
class DistillOptions:
    """Who teaches, and where the work is kept: `work_folder` has data and checkpoints, and going on is done there.

    `minutes` are those of each lesson; `corrections`, and over frames `frame_corrections`, those of finished students.
    """

    model: str
    work_folder: Path
    minutes: Mapping[str, float] = field(default_factory=lambda: dict(LESSON_MINUTES))
    shards: int = DEFAULT_SHARDS
    weights: str | None = None
    seed: int = 11
    corrections: int = CORRECTIONS
    frame_corrections: int = FRAME_CORRECTIONS

    @property
    def data_folder(self) -> Path:
        """Where the shards are."""
        return self.work_folder / "data"

    def checkpoint(self, lesson: str) -> Path:
        """The file that keeps the state of a lesson."""
        return self.work_folder / "checkpoints" / f"{lesson}.pt"


def scaled_minutes(total: float) -> dict[str, float]:
    """The lessons' minutes in the same proportions, for another total."""
    share = total / sum(LESSON_MINUTES.values())
    return {name: minutes * share for name, minutes in LESSON_MINUTES.items()}
