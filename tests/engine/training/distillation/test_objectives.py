"""Training courses: an exact student has no error, a trained one improves, and the chain differs from side by side."""

import random

import numpy as np
import pytest
import torch

from engine.errors import InvalidRequest
from engine.network.reference import Arithmetic, Reference
from engine.runtime.runners.host import durations
from engine.training.distillation.objectives import (
    ChainObjective,
    DurationObjective,
    PitchObjective,
    TeacherBatchSampler,
    TextObjective,
)
from engine.training.distillation.teacher import (
    DURATION_LSTM,
    FRAME_LSTM,
    TEXT_LSTM,
    DistillationTeacher,
    frames_per_token,
)
from engine.training.distillation.training import new_students
from tests.engine.tiny_model import TINY
from tests.engine.training.distillation.conftest import tiny_checkpoint

LESSONS = [DurationObjective, ChainObjective, PitchObjective, TextObjective]


@pytest.fixture
def sampler(teacher, examples):
    return TeacherBatchSampler(teacher, examples, batch_tokens=200)


def objective_of(kind, teacher, sampler, corrections=2):
    return kind(teacher, new_students(teacher, 1, corrections), sampler, sampler)


@pytest.mark.parametrize("kind", LESSONS)
def test_students_with_enough_corrections_make_no_error(kind, teacher, sampler):
    objective = objective_of(kind, teacher, sampler, corrections=120)
    for student in objective.students.values():
        student.eval()
    with torch.no_grad():
        terms = objective.figures(sampler.draw(random.Random(4)))
    assert all(value < 1e-4 for value in terms.values())


@pytest.mark.parametrize("kind", LESSONS)
def test_students_learn(kind, teacher, sampler):
    objective = objective_of(kind, teacher, sampler)
    parameters = [parameter for module in objective.modules.values() for parameter in module.parameters()]
    optimizer = torch.optim.Adam([parameter for parameter in parameters if parameter.requires_grad], 1e-3)
    with torch.no_grad():
        before = sum(objective.validate().values())
    for step in range(6):
        loss, _ = objective.loss(random.Random(step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        assert sum(objective.validate().values()) < 0.9 * before


def test_objectives_cover_every_lstm_once(teacher):
    paths = [path for kind in (DurationObjective, PitchObjective, TextObjective) for path in kind.paths(teacher)]
    assert sorted(paths) == sorted(teacher.lstms)
    assert {FRAME_LSTM, TEXT_LSTM} < set(paths)


def test_errors_add_up_in_the_chain_only(teacher, sampler):
    first, *_, last = teacher.duration_lstms
    alone, chained = (objective_of(kind, teacher, sampler) for kind in (DurationObjective, ChainObjective))
    batch = sampler.draw(random.Random(1))
    with torch.no_grad():
        for objective in (alone, chained):
            for student in objective.students.values():
                student.eval()
        by_itself, in_chain = (objective.terms(batch) for objective in (alone, chained))
    names = list(by_itself)
    torch.testing.assert_close(by_itself[names[0]], in_chain[names[0]], msg=first)
    assert in_chain["lstm"] > by_itself["lstm"], last


def test_batches_speak_each_language_with_its_voices(teacher, examples, sampler):
    voices = {name: voice.info.language for name, voice in teacher.voices.items()}
    assert {teacher.speakers(example.language)[0] for example in examples} == set(voices)
    batch = sampler.draw(random.Random(3))
    assert int(batch.lengths.sum()) <= 260
    assert torch.equal(batch.tokens, sampler.draw(random.Random(3)).tokens)


@pytest.fixture(scope="module")
def batch(teacher, examples):
    chosen = sorted(examples, key=lambda example: -len(example.features))[::20]
    voices = [teacher.speakers(example.language)[0] for example in chosen]
    return chosen, teacher.batch(chosen, voices)


@torch.no_grad()
def test_padded_batches_equal_the_reference(teacher, batch):
    examples, together = batch
    reference = Reference(teacher.network, Arithmetic.UPSTREAM)
    encoded = teacher.encoded(together, teacher.run_lstm)
    logits = teacher.duration_logits(teacher.run_lstm(DURATION_LSTM, encoded, together.lengths))
    frames = frames_per_token(logits, together.lengths)
    for index, example in enumerate(examples):
        count = len(example.features)
        values = {
            "text_features": example.features.T[None].astype(np.float32),
            "prosody": together.styles[index : index + 1].numpy(),
            "token_count": np.array([count], np.int32),
        }
        alone = reference.run_stage("duration", values)
        np.testing.assert_allclose(logits[index, :count], alone["duration_logits"][0], atol=1e-5)
        np.testing.assert_allclose(encoded[index, :count], alone["prosody_features"][0], atol=1e-5)
        assert frames[index, :count].tolist() == durations(alone["duration_logits"][0], 1.0).tolist()
        assert not frames[index, count:].any()


@torch.no_grad()
def test_phoneme_inputs_lead_to_kokoros_phoneme_features(teacher, batch):
    examples, together = batch
    features = teacher.run_lstm(TEXT_LSTM, teacher.phoneme_inputs(together), together.lengths)
    reference = Reference(teacher.network, Arithmetic.UPSTREAM)
    for index in range(len(examples)):
        count = int(together.lengths[index])
        values = {"tokens": together.tokens[index : index + 1, :count].numpy(), "token_count": np.array([count])}
        alone = reference.run_stage("text_encoder", values)["phoneme_features"][0].T
        np.testing.assert_allclose(features[index, :count], alone, atol=1e-5)


@torch.no_grad()
def test_curves_are_those_of_the_reference(teacher):
    features, style = torch.randn(1, 9, TINY.hidden_dim + TINY.style_dim), torch.randn(1, TINY.style_dim)
    values = {"prosody_features": features.numpy(), "prosody": style.numpy(), "frame_count": np.array([9])}
    frame_token = np.arange(9, dtype=np.int32)[None]
    alone = Reference(teacher.network, Arithmetic.UPSTREAM).run_stage("f0n", {**values, "frame_token": frame_token})
    lengths = torch.tensor([9], dtype=torch.int32)
    pitch, energy = teacher.curves(teacher.run_lstm(FRAME_LSTM, features, lengths), style)
    np.testing.assert_allclose(pitch[0], alone["f0"].ravel(), atol=1e-3)
    np.testing.assert_allclose(energy[0], alone["energy"].ravel(), atol=1e-4)


def test_features_are_those_of_the_network(teacher, examples):
    values = {"tokens": teacher.batch(examples[:1], ["af_heart"]).tokens.numpy(), "token_count": np.array([1])}
    exact = Reference(teacher.network, Arithmetic.UPSTREAM).run_stage("bert", values)["text_features"][0].T
    assert np.abs(examples[0].features - exact).max() < 0.05 * np.abs(exact).max()


def test_only_english_voices_teach():
    names = ("af_heart", "bf_emma", "jf_alpha")
    assert list(DistillationTeacher(tiny_checkpoint(names=names)).voices) == ["af_heart", "bf_emma"]
    with pytest.raises(InvalidRequest, match="no English voice"):
        DistillationTeacher(tiny_checkpoint(names=("jf_alpha",)))
