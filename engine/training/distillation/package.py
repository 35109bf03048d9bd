"""Writes the file of students from the checkpoints, in half precision, with what they scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.network.student import LstmStudent
from engine.network.student_file import Students, save_students
from engine.speech import Array
from engine.system.whole_file import write_error
from engine.training.distillation.teacher import Teacher

Architectures = Mapping[str, Mapping[str, Any]]


def export_students(path: Path, teacher: Teacher, students: Mapping[str, LstmStudent]) -> Students:
    """Write the students' own weights, whole or not at all; raises `OutputError`.

    The cells stay out: their weights are the teacher's and come with the model.
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
