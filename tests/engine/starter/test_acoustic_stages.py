"""The acoustic stages must compute what kokoro's decoder computes, and learn."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network
from engine.starter.acoustic_stages import FrontStage, SoundStage, front_features, prepare_decoder, target_features
from engine.starter.batches import Item, collate
from engine.starter.trainer import Schedule, Trainer

SCHEDULE = Schedule(cpu_minutes=1e9, learning_rate=5e-3, warm_up_steps=1)
BANDWIDTHS = {0: 8_000.0, 1: 12_000.0}


@pytest.fixture
def network(narrow_config: ModelConfig) -> Network:
    torch.manual_seed(0)
    network = build_network(narrow_config)
    prepare_decoder(network)
    return network


@pytest.fixture
def timbres(narrow_config: ModelConfig) -> nn.Embedding:
    torch.manual_seed(1)
    return nn.Embedding(2, narrow_config.style_dim)


def sound_stage(network: Network, timbres: nn.Embedding, items: tuple[Item, ...], joint: bool) -> SoundStage:
    return SoundStage(network, timbres, items, items[:1], BANDWIDTHS, 2, 8, joint)


@torch.no_grad()
def test_front_and_generator_are_the_decoder(network: Network, timbres: nn.Embedding, items: tuple[Item, ...]) -> None:
    batch = collate(items[:1])
    timbre = timbres(batch.voices)
    f0, energy = batch.curves("f0_hz"), batch.curves("energy")
    phonemes = batch.spread(network.text_encoder(batch.tokens, batch.lengths, batch.padding))
    torch.manual_seed(3)
    expected = network.decoder(phonemes, f0, energy, timbre)
    torch.manual_seed(3)
    ours = network.decoder.generator(front_features(network, batch, timbre), timbre, f0)
    assert torch.allclose(ours, expected, atol=1e-6)


def test_target_fits_the_front(network: Network, timbres: nn.Embedding, items: tuple[Item, ...]) -> None:
    batch = collate(items)
    target = target_features(batch.samples(network.config.samples_per_frame), network)
    assert target.shape == front_features(network, batch, timbres(batch.voices)).shape
    assert target.min() >= 0


def test_front_learns(network: Network, timbres: nn.Embedding, items: tuple[Item, ...], tmp_path: Path) -> None:
    stage = FrontStage(network, timbres, items, items[:2], 4)
    trainer = Trainer(stage, SCHEDULE, tmp_path / "front.pt")
    before = trainer.validate()
    for _ in range(20):
        trainer.advance()
    after = trainer.validate()
    assert set(after) == {"bands_0"}
    assert after["bands_0"] < 0.8 * before["bands_0"]


@pytest.mark.parametrize("joint", [False, True])
def test_generator_learns(
    network: Network, timbres: nn.Embedding, items: tuple[Item, ...], tmp_path: Path, joint: bool
) -> None:
    trainer = Trainer(sound_stage(network, timbres, items, joint), SCHEDULE, tmp_path / "sound.pt")
    losses = [trainer.advance()["loss"] for _ in range(8)]
    assert sum(losses[-3:]) < 0.9 * sum(losses[:3])
    assert trainer.validate()["mcd_0"] > 0


def test_generator_alone_leaves_the_front_as_it_was(
    network: Network, timbres: nn.Embedding, items: tuple[Item, ...], tmp_path: Path
) -> None:
    before = network.decoder.encode.conv1.bias.clone()
    Trainer(sound_stage(network, timbres, items, joint=False), SCHEDULE, tmp_path / "sound.pt").advance()
    assert torch.equal(network.decoder.encode.conv1.bias, before)
    Trainer(sound_stage(network, timbres, items, joint=True), SCHEDULE, tmp_path / "joint.pt").advance()
    assert not torch.equal(network.decoder.encode.conv1.bias, before)


def test_joint_training_lets_timbres_move(
    network: Network, timbres: nn.Embedding, items: tuple[Item, ...], tmp_path: Path
) -> None:
    before = timbres.weight.detach().clone()
    Trainer(sound_stage(network, timbres, items, joint=True), SCHEDULE, tmp_path / "joint.pt").advance()
    assert not torch.equal(timbres.weight, before)


def test_loss_is_repeatable(network: Network, timbres: nn.Embedding, items: tuple[Item, ...]) -> None:
    stage = sound_stage(network, timbres, items, joint=True)
    network.eval()
    values = []
    for _ in range(2):
        torch.manual_seed(2)
        values.append(float(stage.loss(random.Random(4))[0].detach()))
    assert values[0] == values[1]
