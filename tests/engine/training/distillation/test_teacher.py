"""The teacher over padded batches is kokoro's own network, utterance by utterance."""

import numpy as np
import pytest
import torch

from engine.errors import InvalidRequest
from engine.network.reference import Arithmetic, Reference
from engine.runners.host import durations
from engine.training.distillation.teacher import (
    DURATION_LSTM,
    FRAME_LSTM,
    TEXT_LSTM,
    Teacher,
    frames_per_token,
    on_frames,
)
from tests.engine.tiny_model import TINY
from tests.engine.training.distillation.conftest import tiny_checkpoint


@pytest.fixture(scope="module")
def batch(teacher, examples):
    chosen = sorted(examples, key=lambda example: -len(example.features))[::20]
    voices = [teacher.speakers(example.language)[0] for example in chosen]
    return chosen, teacher.batch(chosen, voices)


def test_paths_are_those_of_the_networks_lstms(teacher):
    found = {path for path, module in teacher.network.named_modules() if isinstance(module, torch.nn.LSTM)}
    assert set(teacher.lstms) == found
    assert teacher.lstms[-3:] == (DURATION_LSTM, FRAME_LSTM, TEXT_LSTM)


@torch.no_grad()
def test_padded_batches_equal_the_reference(teacher, batch):
    examples, together = batch
    reference = Reference(teacher.network, Arithmetic.UPSTREAM)
    encoded = teacher.encoded(together, teacher.run)
    logits = teacher.duration_logits(teacher.run(DURATION_LSTM, encoded, together.lengths))
    frames = frames_per_token(logits, together.lengths)
    for index, example in enumerate(examples):
        count = len(example.features)
        values = {
            "text_features": example.features.T[None].astype(np.float32),
            "prosody": together.styles[index : index + 1].numpy(),
            "token_count": np.array([count], np.int32),
        }
        alone = reference.run("duration", values)
        np.testing.assert_allclose(logits[index, :count], alone["duration_logits"][0], atol=1e-5)
        np.testing.assert_allclose(encoded[index, :count], alone["prosody_features"][0], atol=1e-5)
        assert frames[index, :count].tolist() == durations(alone["duration_logits"][0], 1.0).tolist()
        assert not frames[index, count:].any()


@torch.no_grad()
def test_phoneme_inputs_lead_to_kokoros_phoneme_features(teacher, batch):
    examples, together = batch
    features = teacher.run(TEXT_LSTM, teacher.phoneme_inputs(together), together.lengths)
    reference = Reference(teacher.network, Arithmetic.UPSTREAM)
    for index in range(len(examples)):
        count = int(together.lengths[index])
        values = {"tokens": together.tokens[index : index + 1, :count].numpy(), "token_count": np.array([count])}
        alone = reference.run("text_encoder", values)["phoneme_features"][0].T
        np.testing.assert_allclose(features[index, :count], alone, atol=1e-5)


@torch.no_grad()
def test_curves_are_those_of_the_reference(teacher):
    features, style = torch.randn(1, 9, TINY.hidden_dim + TINY.style_dim), torch.randn(1, TINY.style_dim)
    values = {"prosody_features": features.numpy(), "prosody": style.numpy(), "frame_count": np.array([9])}
    frame_token = np.arange(9, dtype=np.int32)[None]
    alone = Reference(teacher.network, Arithmetic.UPSTREAM).run("f0n", {**values, "frame_token": frame_token})
    lengths = torch.tensor([9], dtype=torch.int32)
    pitch, energy = teacher.curves(teacher.run(FRAME_LSTM, features, lengths), style)
    np.testing.assert_allclose(pitch[0], alone["f0"].ravel(), atol=1e-3)
    np.testing.assert_allclose(energy[0], alone["energy"].ravel(), atol=1e-4)


def test_frames_repeat_their_tokens():
    features = torch.arange(6.0).reshape(2, 3, 1)
    spread, counts = on_frames(features, torch.tensor([[2, 1, 3], [1, 0, 0]]))
    assert spread[:, :, 0].tolist() == [[0, 0, 1, 2, 2, 2], [3, 0, 0, 0, 0, 0]]
    assert counts.tolist() == [6, 1]


def test_features_are_those_of_the_network(teacher, examples):
    values = {"tokens": teacher.batch(examples[:1], ["af_heart"]).tokens.numpy(), "token_count": np.array([1])}
    exact = Reference(teacher.network, Arithmetic.UPSTREAM).run("bert", values)["text_features"][0].T
    assert np.abs(examples[0].features - exact).max() < 0.05 * np.abs(exact).max()


def test_only_english_voices_teach():
    names = ("af_heart", "bf_emma", "jf_alpha")
    assert list(Teacher(tiny_checkpoint(names=names)).voices) == ["af_heart", "bf_emma"]
    with pytest.raises(InvalidRequest, match="no English voice"):
        Teacher(tiny_checkpoint(names=("jf_alpha",)))
