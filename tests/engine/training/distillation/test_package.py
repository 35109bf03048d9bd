"""The file of students computes what the students do, and is refused by another model."""

import dataclasses
import errno
import os

import numpy as np
import pytest
import torch

from engine.errors import OutputError, UnusableModel
from engine.network.distilled_stages import distilled_stages
from engine.network.student_file import read_students
from engine.training.distillation.evaluation import require_teacher
from engine.training.distillation.training import export_students, keep_scores, new_students
from tests.engine.training.distillation.conftest import tiny_checkpoint


@pytest.fixture
def students(teacher):
    return {path: student.eval() for path, student in new_students(teacher, 3).items()}


@torch.no_grad()
def test_the_stages_of_the_file_compute_what_the_students_do(tmp_path, teacher, examples, students):
    file = read_students(export_students(tmp_path / "s.safetensors", teacher, students).path)
    checkpoint = tiny_checkpoint()
    stages = distilled_stages(checkpoint.config, file, {**checkpoint.load_weights(), **file.load_weights()})
    batch = teacher.batch(examples[:3], [teacher.speakers(example.language)[0] for example in examples[:3]])
    logits, features = stages["duration"](batch.features.transpose(1, 2), batch.styles, batch.lengths)

    def run(path, x, lengths):
        return students[path](x, lengths)

    expected = teacher.encoded(batch, run)
    torch.testing.assert_close(features, expected, atol=5e-3, rtol=0)
    hidden = run("predictor.lstm", expected, batch.lengths)
    for index, length in enumerate(batch.lengths.tolist()):
        ours, theirs = logits[index, :length], teacher.duration_logits(hidden)[index, :length]
        torch.testing.assert_close(ours, theirs, atol=2e-2, rtol=0)


def test_has_no_weights_of_the_teacher(tmp_path, teacher, students):
    names = set(export_students(tmp_path / "s.safetensors", teacher, students).load_weights())
    assert names
    assert not names & set(teacher.network.state_dict())


def test_keeps_scores_and_weights(tmp_path, teacher, students):
    file = export_students(tmp_path / "s.safetensors", teacher, students)
    weights = file.load_weights()
    keep_scores(file, {"af_heart": {"equal": 95}})
    again = read_students(file.path)
    assert again.scores == {"af_heart": {"equal": 95}}
    for name, array in again.load_weights().items():
        np.testing.assert_array_equal(array, weights[name])
    assert dataclasses.replace(again, scores={}) == dataclasses.replace(file, scores={})


def test_students_of_another_model_are_refused(tmp_path, teacher, students):
    file = export_students(tmp_path / "s.safetensors", teacher, students)
    require_teacher(tiny_checkpoint(), file)
    with pytest.raises(UnusableModel, match="taught by another model"):
        require_teacher(tiny_checkpoint(seed=2), file)


def test_a_full_disk_leaves_nothing_half_written(tmp_path, teacher, students, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OutputError, match="disk is full"):
        export_students(tmp_path / "s.safetensors", teacher, students)
    assert not list(tmp_path.iterdir())
