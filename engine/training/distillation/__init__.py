"""Distills a model's LSTMs: training data, training and evaluation of students, and the file that holds them.

Importing this package loads no tensor library; calling its functions does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.errors import InvalidRequest
from engine.training.distillation.options import (
    CORRECTIONS,
    DEFAULT_SHARDS,
    FRAME_CORRECTIONS,
    DistillOptions,
    scaled_minutes,
)
from engine.training.starter.options import TrainProgress

__all__ = [
    "CORRECTIONS",
    "DEFAULT_SHARDS",
    "FRAME_CORRECTIONS",
    "DistillOptions",
    "evaluate",
    "export",
    "make_data",
    "scaled_minutes",
    "train",
]

OnProgress = Callable[[TrainProgress], None]


def make_data(options: DistillOptions, on_progress: OnProgress) -> Path:
    """Generate the missing shards; return their folder.

    Raises `EngineError` if there is no teacher, the folder has data of a different teacher, or it cannot be written.
    """
    from engine.models.checkpoints import open_checkpoint
    from engine.training.distillation.data import make_data as run
    from engine.training.distillation.teacher import DistillationTeacher

    teacher = DistillationTeacher(open_checkpoint(options.model, options.weights))
    run(teacher, options, on_progress)
    return options.data_folder


def train(options: DistillOptions, on_progress: OnProgress) -> Path:
    """Train the students, resuming from the checkpoints; return the folder of the checkpoints. Raises `EngineError`."""
    from engine.models.checkpoints import open_checkpoint
    from engine.training.distillation.teacher import DistillationTeacher
    from engine.training.distillation.training import train as run

    run(DistillationTeacher(open_checkpoint(options.model, options.weights)), options, on_progress)
    return options.checkpoint("").parent


def export(options: DistillOptions, path: Path) -> Path:
    """Write the students of the checkpoints, finished or not, to one file. Raises `EngineError`."""
    from engine.models.checkpoints import open_checkpoint
    from engine.training.distillation.teacher import DistillationTeacher
    from engine.training.distillation.training import export_students, load_students

    teacher = DistillationTeacher(open_checkpoint(options.model, options.weights))
    return export_students(path, teacher, load_students(teacher, options)).path


def evaluate(
    options: DistillOptions, path: Path, sentences: int, spoken: int, advance: Callable[[float], None]
) -> Mapping[str, Mapping[str, Any]]:
    """Evaluate a file of students; return their scores by voice, which are also saved in the file.

    Raises `InvalidRequest` if the file does not exist, or other subclasses of `EngineError`.
    """
    from engine.models.checkpoints import open_checkpoint
    from engine.network.student_file import read_students
    from engine.training.distillation.evaluation import evaluate as run
    from engine.training.distillation.training import keep_scores

    if not path.exists():
        raise InvalidRequest(f"{path} doesn’t exist.", "Create it with “kokoro-desk distill export”.")
    students = read_students(path)
    scores = run(open_checkpoint(options.model, options.weights), students, sentences, spoken, advance)
    figures = {voice: asdict(each) for voice, each in scores.items()}
    keep_scores(students, figures)
    return figures
