"""Random weights must be reproducible, complete, and speak at the pace of speech."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import build_network
from engine.network.random_weights import network_with, random_weights, without_weight_norm
from engine.runners.host import durations
from engine.runners.torch_runner import ExportableRunner
from tests.engine.network.utterances import all_values, opening


def test_the_same_seed_gives_the_same_weights(tiny_config: ModelConfig) -> None:
    first, again, other = (random_weights(tiny_config, seed) for seed in (3, 3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any(not np.array_equal(first[name], other[name]) for name in first)


def test_torchs_own_random_state_is_left_alone(tiny_config: ModelConfig) -> None:
    before = torch.get_rng_state()
    random_weights(tiny_config, 0)
    assert torch.equal(before, torch.get_rng_state())


def test_weights_fill_a_network_without_weight_norm(tiny_config: ModelConfig) -> None:
    weights = random_weights(tiny_config, 0)
    network = network_with(tiny_config, weights)
    assert set(network.state_dict()) == set(weights)
    assert not any("weight_g" in name for name in weights)
    for name, tensor in network.state_dict().items():
        np.testing.assert_array_equal(tensor, weights[name])


def test_folding_does_not_change_the_network(tiny_config: ModelConfig) -> None:
    network = build_network(tiny_config)
    tokens, style = torch.tensor([[0, 3, 4, 0]]), torch.zeros(1, tiny_config.style_dim)
    arguments = (tokens, torch.tensor([4]), torch.zeros(1, 4, dtype=torch.bool))
    with torch.no_grad():
        before = network.text_encoder(*arguments), network.predictor.F0Ntrain(torch.ones(1, 40, 5), style)
        without_weight_norm(network)
        after = network.text_encoder(*arguments), network.predictor.F0Ntrain(torch.ones(1, 40, 5), style)
    torch.testing.assert_close(after, before)


def test_other_architectures_weights_are_refused(tiny_config: ModelConfig) -> None:
    weights = random_weights(tiny_config, 0)
    weights.pop("bert_encoder.bias")
    with pytest.raises(RuntimeError, match=r"bert_encoder\.bias"):
        network_with(tiny_config, weights)


@pytest.mark.parametrize("seed", [0, 1])
def test_tokens_last_as_in_speech_and_pitch_varies(tiny_config: ModelConfig, seed: int) -> None:
    runner = ExportableRunner(network_with(tiny_config, random_weights(tiny_config, seed)))
    values = all_values(tiny_config, runner, opening(tiny_config, [60]))
    lengths = durations(values["duration_logits"][0], speed=1.0)
    assert np.mean((lengths >= 2) & (lengths <= 4)) > 0.8
    assert 60 < values["f0"].mean() < 180
    assert values["f0"].std() > 10
    assert np.isfinite(values["audio"]).all()


def test_lstms_remember_for_some_steps(tiny_config: ModelConfig) -> None:
    lstm = network_with(tiny_config, random_weights(tiny_config, 0)).text_encoder.lstm
    gates = (lstm.bias_ih_l0 + lstm.bias_hh_l0).reshape(4, -1).mean(dim=1)
    assert gates[1] == pytest.approx(1, abs=0.2)
    assert gates[[0, 2, 3]].abs().max() < 0.2
