"""Defines the options of a distillation; nothing here loads a tensor library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LESSON_MINUTES: Mapping[str, float] = {"durations": 17.0, "pitch": 15.0, "text": 3.0, "chain": 11.0}
"""CPU minutes of each training stage on one core, in the order of training."""
DEFAULT_SHARDS = 20
CORRECTIONS, FRAME_CORRECTIONS = 6, 14
"""The numbers of corrections by the cell in the file of students, over tokens and over frames."""
DOUBLINGS = 4
"""Each correction carries the cell state over 2 ** 4 steps; a larger value does not make more durations equal."""


@dataclass(frozen=True)
class DistillOptions:
    """The teacher, the work folder and the amount of training; `work_folder` has data and checkpoints to resume from.

    `minutes` are those of each training stage; `corrections`, and over frames `frame_corrections`, those of finished
    students.
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
        """The folder of the shards."""
        return self.work_folder / "data"

    def checkpoint(self, objective: str) -> Path:
        """Return the checkpoint file of a training stage."""
        return self.work_folder / "checkpoints" / f"{objective}.pt"


def scaled_minutes(total: float) -> dict[str, float]:
    """Return the minutes of the training stages, scaled to a different total."""
    share = total / sum(LESSON_MINUTES.values())
    return {name: minutes * share for name, minutes in LESSON_MINUTES.items()}
