"""Scores: exact students score perfectly, others by their distance."""

import math

import numpy as np
import pytest

from engine.errors import InvalidRequest, UnusableModel
from engine.models.checkpoints import STARTER, open_checkpoint
from engine.training.distillation import evaluation
from engine.training.distillation.evaluation import compared_durations, evaluate
from engine.training.distillation.teacher import DistillationTeacher
from engine.training.distillation.training import export_students, new_students


@pytest.fixture(scope="module")
def starter():
    return open_checkpoint(STARTER)


@pytest.fixture
def one_voice(monkeypatch, starter):
    voice = next(iter(DistillationTeacher(starter).voices))
    monkeypatch.setattr(evaluation, "EVALUATION_VOICES", (voice,))
    return voice


def exported(folder, checkpoint, corrections):
    teacher = DistillationTeacher(checkpoint)
    return export_students(folder / "s.safetensors", teacher, new_students(teacher, 1, corrections))


def test_exact_students_score_perfectly(tmp_path, starter, one_voice):
    students = exported(tmp_path, starter, corrections=120)
    progress = []
    scores = evaluate(starter, students, 1, 1, progress.append)[one_voice]
    assert scores.equal_durations_percent == 100
    assert scores.far_durations == 0
    assert scores.f0_cents_rms < 0.1
    assert scores.energy_rms < 1e-3
    assert scores.log_mel_l1 is not None
    assert scores.log_mel_l1 < 0.02
    assert scores.word_error_rate == scores.teacher_word_error_rate
    assert math.isclose(scores.opinion, scores.teacher_opinion, abs_tol=0.05)
    assert progress == [1]


def test_untaught_students_do_not(tmp_path, starter, one_voice):
    scores = evaluate(starter, exported(tmp_path, starter, corrections=1), 1, 0)[one_voice]
    assert scores.equal_durations_percent < 90
    assert scores.f0_cents_rms > 10
    assert scores.log_mel_l1 is None


def test_students_of_a_different_model_and_out_of_range_numbers_are_refused(tmp_path, starter):
    students = exported(tmp_path, starter, corrections=1)
    with pytest.raises(UnusableModel):
        evaluate(open_checkpoint("kokoro-82m", "random:0"), students, 1, 0)
    for sentences, spoken in ((0, 0), (201, 0), (3, 4)):
        with pytest.raises(InvalidRequest):
            evaluate(starter, students, sentences, spoken)


def test_durations_are_compared_as_spoken():
    theirs = np.full((4, 10), -40.0, np.float32)
    ours = theirs.copy()
    theirs[1, :4], ours[1, :5] = 40, 40
    ours[2, :5] = 40
    ours[3, :1] = 40  # one frame, as zero frames become one
    assert compared_durations(ours, theirs) == (2, 1)
