"""The starter model: training from speech that is synthesised on this machine, and evaluation.

Importing this package loads no tensor library; calling `train` or `evaluate` does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.starter.options import StageMinutes, TrainOptions, TrainProgress

if TYPE_CHECKING:
    from engine.starter.evaluation import VoiceScore

__all__ = ["StageMinutes", "TrainOptions", "TrainProgress", "evaluate", "train"]


def train(options: TrainOptions, on_progress: Callable[[TrainProgress], None]) -> Path:
    """Train the starter model, continuing from the work folder; returns the folder of the written package.

    Raises `EngineError` with the command that installs whatever is missing.
    """
    from engine.starter.training import train as run

    return run(options, on_progress)


def evaluate(sentences: int = 40, folder: Path | None = None) -> tuple[VoiceScore, ...]:
    """Word error rate and distortion of each voice of the package in `folder`, or of the bundled one."""
    from engine.starter.evaluation import evaluate as run

    return run(sentences, folder)
