"""Training resumes where it was interrupted, and rejects checkpoints that it cannot resume from."""

import dataclasses
import errno
import os
import shutil

import numpy as np
import pytest
import torch

from engine.errors import DamagedFile, InvalidRequest, OutputError, UnusableModel
from engine.network.distilled_stages import distilled_stages
from engine.network.student_file import read_students
from engine.training.distillation import objectives
from engine.training.distillation.evaluation import require_teacher
from engine.training.distillation.objectives import TrainingObjective
from engine.training.distillation.options import LESSON_MINUTES, DistillOptions, scaled_minutes
from engine.training.distillation.shards import ShardFolder
from engine.training.distillation.teacher import FRAME_LSTM, DistillationTeacher
from engine.training.distillation.training import (
    STAGE_CONFIGS,
    export_students,
    keep_scores,
    load_students,
    new_students,
    train,
)
from tests.engine.training.distillation.conftest import tiny_checkpoint

BRIEF = dict.fromkeys(STAGE_CONFIGS, 1e-6)
"""One step of each course."""


@pytest.fixture(scope="module", autouse=True)
def _one_batch_to_check():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objectives, "VALIDATION_BATCHES", 1)
        yield


@pytest.fixture(scope="module")
def given(tmp_path_factory, teacher, examples):
    """A work folder in which every course has run, and the reports."""
    options = DistillOptions("tiny", tmp_path_factory.mktemp("given"), BRIEF)
    ShardFolder(options.data_folder, teacher.identity).add(examples)
    reports = []
    train(teacher, options, reports.append)
    return options, reports


@pytest.fixture
def trained(given, tmp_path):
    return DistillOptions("tiny", shutil.copytree(given[0].work_folder, tmp_path / "work"), BRIEF)


def test_training_completes_every_stage_and_reports_the_remaining_time(given, teacher):
    options, reports = given
    students = load_students(teacher, options)
    assert [report.stage for report in reports] == list(STAGE_CONFIGS)
    assert all(report.fraction == 1 for report in reports)
    assert reports[-1].remaining_seconds == 0
    assert set(students) == set(teacher.lstms)
    untaught = new_students(teacher, options.seed)
    for path, student in students.items():
        assert not torch.equal(student.entry.weight, untaught[path].entry.weight)


def test_finished_training_stages_are_not_repeated(trained, teacher):
    before = {name: trained.checkpoint(name).stat().st_mtime_ns for name in STAGE_CONFIGS}
    reports = []
    train(teacher, trained, reports.append)
    assert not reports
    assert {name: trained.checkpoint(name).stat().st_mtime_ns for name in STAGE_CONFIGS} == before


def test_the_chain_continues_from_side_by_side_training(trained, teacher):
    trained.checkpoint("chain").unlink()
    path = teacher.duration_lstms[0]
    side_by_side = load_students(teacher, trained)[path].entry.weight
    train(teacher, trained, lambda progress: None)
    chained = load_students(teacher, trained)[path].entry.weight
    untaught = new_students(teacher, trained.seed)[path].entry.weight
    assert not torch.equal(chained, side_by_side)
    assert (chained - side_by_side).abs().max() < (chained - untaught).abs().max()


def test_unfinished_students_can_be_had(trained, teacher):
    for name in ("chain", "pitch", "text"):
        trained.checkpoint(name).unlink()
    students = load_students(teacher, dataclasses.replace(trained, corrections=5))
    assert set(students) == set(teacher.duration_lstms)
    assert all(student.architecture.corrections == 5 and not student.training for student in students.values())


def test_corrections_over_frames_are_chosen_by_themselves(trained, teacher):
    students = load_students(teacher, dataclasses.replace(trained, corrections=3, frame_corrections=7))
    counts = {path: student.architecture.corrections for path, student in students.items()}
    assert counts == {**dict.fromkeys(teacher.lstms, 3), FRAME_LSTM: 7}


def test_no_student_has_begun(tmp_path, teacher):
    with pytest.raises(InvalidRequest, match="no training in progress"):
        load_students(teacher, DistillOptions("tiny", tmp_path))


@pytest.mark.parametrize("content", [b"", b"no checkpoint", None])
def test_a_damaged_checkpoint_is_refused_by_name(trained, teacher, content):
    path = trained.checkpoint("pitch")
    path.write_bytes(path.read_bytes()[:-1000] if content is None else content)
    for use in (lambda: train(teacher, trained, lambda progress: None), lambda: load_students(teacher, trained)):
        with pytest.raises(DamagedFile, match="pitch"):
            use()


def test_students_of_a_different_model_are_refused(trained):
    with pytest.raises(UnusableModel, match="a different model"):
        load_students(DistillationTeacher(tiny_checkpoint(seed=2)), trained)
    with pytest.raises(UnusableModel, match="a different teacher"):
        train(DistillationTeacher(tiny_checkpoint(seed=2)), trained, lambda progress: None)


def test_too_few_texts(tmp_path, teacher, examples):
    options = DistillOptions("tiny", tmp_path, BRIEF)
    ShardFolder(options.data_folder, teacher.identity).add(examples[:5])
    with pytest.raises(InvalidRequest, match="5 texts are too few"):
        train(teacher, options, lambda progress: None)


@pytest.mark.parametrize(
    "failure",
    [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), RuntimeError("PytorchStreamWriter failed writing file")],
)
def test_a_full_disk_keeps_the_checkpoint_before(trained, teacher, monkeypatch, failure):
    def refuse(*arguments, **options):
        raise failure

    before = trained.checkpoint("text").read_bytes()
    spent_seconds = torch.load(trained.checkpoint("text"), weights_only=True)["cpu_seconds"]
    longer = DistillOptions("tiny", trained.work_folder, {**BRIEF, "text": spent_seconds / 60 + 1e-3})
    monkeypatch.setattr(torch, "save", refuse)
    monkeypatch.setattr(TrainingObjective, "validate", lambda objective: {})
    with pytest.raises(OutputError, match=r"text\.pt"):
        train(teacher, longer, lambda progress: None)
    assert trained.checkpoint("text").read_bytes() == before


@pytest.fixture
def students(teacher):
    return {path: student.eval() for path, student in new_students(teacher, 3).items()}


@torch.no_grad()
def test_stages_of_the_file_compute_the_same_as_the_students(tmp_path, teacher, examples, students):
    file = read_students(export_students(tmp_path / "s.safetensors", teacher, students).path)
    checkpoint = tiny_checkpoint()
    stages = distilled_stages(checkpoint.config, file, {**checkpoint.load_weights(), **file.load_weights()})
    batch = teacher.batch(examples[:3], [teacher.speakers(example.language)[0] for example in examples[:3]])
    logits, features = stages["duration"](batch.features.transpose(1, 2), batch.styles, batch.lengths)

    def run_lstm(path, x, lengths):
        return students[path](x, lengths)

    expected = teacher.encoded(batch, run_lstm)
    torch.testing.assert_close(features, expected, atol=5e-3, rtol=0)
    hidden = run_lstm("predictor.lstm", expected, batch.lengths)
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


def test_a_file_of_a_different_models_students_is_refused(tmp_path, teacher, students):
    file = export_students(tmp_path / "s.safetensors", teacher, students)
    require_teacher(tiny_checkpoint(), file)
    with pytest.raises(UnusableModel, match="different model"):
        require_teacher(tiny_checkpoint(seed=2), file)


def test_a_full_disk_leaves_nothing_half_written(tmp_path, teacher, students, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OutputError, match="disk is full"):
        export_students(tmp_path / "s.safetensors", teacher, students)
    assert not list(tmp_path.iterdir())


def test_minutes_keep_their_proportions():
    scaled = scaled_minutes(60)
    assert sum(scaled.values()) == pytest.approx(60)
    assert scaled["pitch"] / scaled["text"] == pytest.approx(LESSON_MINUTES["pitch"] / LESSON_MINUTES["text"])
