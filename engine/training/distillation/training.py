"""Runs the training stages in order, each resuming from its checkpoint, and writes the file of students."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from torch import nn

from engine.errors import DamagedFile, InvalidRequest, OutputError, UnusableModel
from engine.network.student import LstmStudent
from engine.network.student_file import Students, save_students
from engine.speech import Array
from engine.system.atomic_write import write_error
from engine.training.distillation.objectives import (
    ChainObjective,
    DurationObjective,
    PitchObjective,
    TeacherBatchSampler,
    TextObjective,
    TrainingObjective,
)
from engine.training.distillation.options import DOUBLINGS, DistillOptions
from engine.training.distillation.shards import ShardFolder
from engine.training.distillation.teacher import FRAME_LSTM, DistillationTeacher
from engine.training.starter.options import TrainProgress
from engine.training.starter.trainer import Schedule, StageProgress, Trainer

OnProgress = Callable[[TrainProgress], None]

CHECK_EXAMPLES = 60
"""The number of examples, the first ones, that are used for validation and not for training."""


LEARNING_CORRECTIONS = 2
"""The default number of corrections in training. Each is over one step, so that the guess matters most."""
_UNREADABLE = (OSError, RuntimeError, KeyError, ValueError, TypeError, EOFError, UnpicklingError, BadZipFile)
"""The errors that PyTorch raises for a file that is not a checkpoint of these modules."""


@dataclass(frozen=True)
class StageConfig:
    """A training stage: the stage whose students it starts from, if any, its learning rate, and its corrections."""

    objective: type[TrainingObjective]
    after: str | None = None
    learning_rate: float = 2e-3
    corrections: int = LEARNING_CORRECTIONS

    def schedule(self, minutes: float) -> Schedule:
        """Return the schedule for a number of minutes."""
        return Schedule(minutes, self.learning_rate, average_decay=0.99)


STAGE_CONFIGS: Mapping[str, StageConfig] = {
    "durations": StageConfig(DurationObjective),
    "pitch": StageConfig(PitchObjective),
    "text": StageConfig(TextObjective),
    "chain": StageConfig(ChainObjective, "durations", learning_rate=7e-4, corrections=4),
}


def train(teacher: DistillationTeacher, options: DistillOptions, on_progress: OnProgress) -> dict[str, LstmStudent]:
    """Run all training stages; return the students by path.

    Raises `InvalidRequest` if there is too little data, `UnusableModel` if it is that of a different teacher,
    `DamagedFile`, or `OutputError` if a checkpoint cannot be written: the previous one stays.
    """
    torch.set_num_threads(1)
    examples = list(ShardFolder(options.data_folder, teacher.identity).examples())
    if len(examples) <= CHECK_EXAMPLES:
        raise InvalidRequest(f"{len(examples)} texts are too few to train on.", "Generate at least two shards of data.")
    check, learn = (
        TeacherBatchSampler(teacher, examples[:CHECK_EXAMPLES]),
        TeacherBatchSampler(teacher, examples[CHECK_EXAMPLES:]),
    )
    for name in STAGE_CONFIGS:
        _give(name, teacher, options, (learn, check), on_progress)
    return load_students(teacher, options)


def load_students(teacher: DistillationTeacher, options: DistillOptions) -> dict[str, LstmStudent]:
    """Load the students of the checkpoints, finished or not, in evaluation mode, with the options' corrections.

    Students of a stage that was not begun are left out. Raises `DamagedFile`, `UnusableModel` if they were distilled
    from a different model, or `InvalidRequest` if there is none.
    """
    students = new_students(teacher, options.seed)
    for path, student in students.items():
        count = options.frame_corrections if path == FRAME_LSTM else options.corrections
        student.architecture = replace(student.architecture, corrections=count, doublings=DOUBLINGS)
    taught: dict[str, LstmStudent] = {}
    for name, stage_config in STAGE_CONFIGS.items():
        if options.checkpoint(name).exists():
            _load(options.checkpoint(name), students, teacher)
            taught.update({path: students[path].eval() for path in stage_config.objective.paths(teacher)})
    if not taught:
        raise InvalidRequest(f"{options.work_folder} has no training in progress.", "Run “kokoro-desk distill train”.")
    return taught


def new_students(
    teacher: DistillationTeacher, seed: int, corrections: int = LEARNING_CORRECTIONS
) -> dict[str, LstmStudent]:
    """Return untrained students of all LSTMs; equal seeds yield equal ones."""
    torch.manual_seed(seed)
    return {path: LstmStudent.of(teacher.lstm(path), corrections=corrections) for path in teacher.lstms}


def _give(
    name: str,
    teacher: DistillationTeacher,
    options: DistillOptions,
    samplers: tuple[TeacherBatchSampler, TeacherBatchSampler],
    on_progress: OnProgress,
) -> None:
    stage_config, checkpoint = STAGE_CONFIGS[name], options.checkpoint(name)
    students = new_students(teacher, options.seed, stage_config.corrections)
    if stage_config.after and not checkpoint.exists():
        _load(options.checkpoint(stage_config.after), students, teacher)
    objective = stage_config.objective(teacher, students, *samplers)
    trainer = _opened(objective, stage_config.schedule(options.minutes[name]), checkpoint, options.seed)
    if trainer.fraction < 1:
        trainer.train(lambda progress: on_progress(_overall(progress, options)))


class _ObjectiveTrainer(Trainer):
    """A trainer that explains in a sentence why a checkpoint could not be written."""

    def save(self) -> None:
        """Save like `Trainer.save`; raises `OutputError`, and the previous checkpoint stays."""
        try:
            super().save()
        except OSError as error:
            raise write_error(self.checkpoint, error) from error
        except RuntimeError as error:  # raised by PyTorch's own writer, without a reason
            raise OutputError(
                f"The checkpoint {self.checkpoint} couldn’t be written.",
                "Free up some space and continue; the previous checkpoint is intact.",
            ) from error


def _opened(objective: TrainingObjective, schedule: Schedule, checkpoint: Path, seed: int) -> Trainer:
    try:
        return _ObjectiveTrainer(objective, schedule, checkpoint, seed)
    except _UNREADABLE as error:
        raise _damaged(checkpoint) from error


def _load(checkpoint: Path, students: Mapping[str, LstmStudent], teacher: DistillationTeacher) -> None:
    try:
        averaged = torch.load(checkpoint, weights_only=True)["averaged"]
        for path, weights in averaged.items():
            students[path].load_state_dict(weights)
    except _UNREADABLE as error:
        raise _damaged(checkpoint) from error
    for path in averaged:
        _require_cell(students[path], teacher.lstm(path), checkpoint)


def _require_cell(student: LstmStudent, lstm: nn.LSTM, checkpoint: Path) -> None:
    """Raise `UnusableModel` unless the student's cell is this LSTM's."""
    weights = student.state_dict()
    if not all(torch.equal(weights[name], tensor) for name, tensor in lstm.state_dict().items()):
        raise UnusableModel(
            f"The students in {checkpoint} were distilled from a different model.",
            "Choose a different folder for this one.",
        )


def _damaged(checkpoint: Path) -> DamagedFile:
    return DamagedFile(
        checkpoint,
        f"The checkpoint {checkpoint} is damaged, or of different students.",
        "Delete it; its training stage starts over.",
    )


def _overall(progress: StageProgress, options: DistillOptions) -> TrainProgress:
    names = list(STAGE_CONFIGS)
    later = sum(options.minutes[name] for name in names[names.index(progress.stage) + 1 :])
    left = 60 * (options.minutes[progress.stage] * (1 - progress.fraction) + later)
    return TrainProgress(progress.stage, progress.fraction, left, progress.measures)


Architectures = Mapping[str, Mapping[str, Any]]


def export_students(path: Path, teacher: DistillationTeacher, students: Mapping[str, LstmStudent]) -> Students:
    """Write the students' own weights atomically; raises `OutputError`.

    The cells are left out: their weights are the teacher's and come with the model.
    """
    weights = {
        f"{where}.{name}": tensor.numpy().astype(np.float16)
        for where, student in students.items()
        for name, tensor in student.taught.items()
    }
    architectures = {where: asdict(student.architecture) for where, student in students.items()}
    return _save(path, teacher.identity, architectures, weights, {})


def keep_scores(students: Students, scores: Mapping[str, Any]) -> Students:
    """Write the same students again, with these scores; raises `DamagedFile` or `OutputError`."""
    stored = {name: array.astype(np.float16) for name, array in students.load_weights().items()}
    return _save(students.path, students.teacher, students.architectures, stored, scores)


def _save(
    path: Path, teacher: str, architectures: Architectures, weights: Mapping[str, Array], scores: Mapping[str, Any]
) -> Students:
    try:
        return save_students(path, teacher, architectures, weights, scores)
    except OSError as error:
        raise write_error(path, error) from error
