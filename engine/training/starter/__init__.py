"""Trains and evaluates the starter model, a small student of Kokoro-82M.

Importing this package loads no tensor library; calling `train` or `evaluate` does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.training.starter.options import ROUNDS, STAGE_MINUTES, TrainOptions, TrainProgress

if TYPE_CHECKING:
    from engine.training.starter.evaluation import VoiceScore

__all__ = ["ROUNDS", "STAGE_MINUTES", "TrainOptions", "TrainProgress", "evaluate", "train"]


def train(options: TrainOptions, on_progress: Callable[[TrainProgress], None]) -> Path:
    """Train the starter model, continuing from the work folder; return the folder of the written package.

    Raises `MissingModel` if the teacher is not installed.
    """
    from engine.training.starter.training import train as run

    return run(options, on_progress)


def evaluate(
    sentences: int,
    package: Path | None = None,
    work_folder: Path | None = None,
    on_progress: Callable[[str], None] = lambda line: None,
) -> tuple[VoiceScore, ...]:
    """Score each voice of a package, or of the bundled one, against the teacher's."""
    from engine.training.starter.evaluation import evaluate as run

    return run(sentences, package, work_folder, on_progress)
