"""Lessons: an exact student has no error, a learning one gets better, and the chain differs from side by side."""

import random

import pytest
import torch

from engine.training.distillation.lessons import (
    ChainLesson,
    DurationLesson,
    PitchLesson,
    Shelf,
    TextLesson,
    relative_error,
)
from engine.training.distillation.teacher import FRAME_LSTM, TEXT_LSTM
from engine.training.distillation.training import new_students

LESSONS = [DurationLesson, ChainLesson, PitchLesson, TextLesson]


@pytest.fixture
def shelf(teacher, examples):
    return Shelf(teacher, examples, batch_tokens=200)


def lesson_of(kind, teacher, shelf, corrections=2):
    return kind(teacher, new_students(teacher, 1, corrections), shelf, shelf)


@pytest.mark.parametrize("kind", LESSONS)
def test_students_with_enough_corrections_make_no_error(kind, teacher, shelf):
    lesson = lesson_of(kind, teacher, shelf, corrections=120)
    for student in lesson.students.values():
        student.eval()
    with torch.no_grad():
        terms = lesson.figures(shelf.draw(random.Random(4)))
    assert all(value < 1e-4 for value in terms.values())


@pytest.mark.parametrize("kind", LESSONS)
def test_students_learn(kind, teacher, shelf):
    lesson = lesson_of(kind, teacher, shelf)
    parameters = [parameter for module in lesson.modules.values() for parameter in module.parameters()]
    optimizer = torch.optim.Adam([parameter for parameter in parameters if parameter.requires_grad], 1e-3)
    with torch.no_grad():
        before = sum(lesson.validate().values())
    for step in range(12):
        loss, _ = lesson.loss(random.Random(step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        assert sum(lesson.validate().values()) < 0.9 * before


def test_lessons_cover_every_lstm_once(teacher):
    paths = [path for kind in (DurationLesson, PitchLesson, TextLesson) for path in kind.paths(teacher)]
    assert sorted(paths) == sorted(teacher.lstms)
    assert {FRAME_LSTM, TEXT_LSTM} < set(paths)


def test_errors_add_up_in_the_chain_only(teacher, shelf):
    first, *_, last = teacher.duration_lstms
    alone, chained = (lesson_of(kind, teacher, shelf) for kind in (DurationLesson, ChainLesson))
    batch = shelf.draw(random.Random(1))
    with torch.no_grad():
        for lesson in (alone, chained):
            for student in lesson.students.values():
                student.eval()
        by_itself, in_chain = (lesson.terms(batch) for lesson in (alone, chained))
    names = list(by_itself)
    torch.testing.assert_close(by_itself[names[0]], in_chain[names[0]], msg=first)
    assert in_chain["lstm"] > by_itself["lstm"], last


def test_batches_speak_each_language_with_its_voices(teacher, examples, shelf):
    voices = {name: voice.info.language for name, voice in teacher.voices.items()}
    assert {teacher.speakers(example.language)[0] for example in examples} == set(voices)
    batch = shelf.draw(random.Random(3))
    assert int(batch.lengths.sum()) <= 260
    assert torch.equal(batch.tokens, shelf.draw(random.Random(3)).tokens)


def test_relative_error_is_a_share_of_the_power():
    wanted = torch.tensor([3.0, 4.0])
    assert relative_error(wanted, wanted) == 0
    assert relative_error(torch.zeros(2), wanted) == 1
