"""The stages of the sound must compute what kokoro's decoder computes, and learn."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network
from engine.training.starter.batches import Item, collate
from engine.training.starter.sound_stages import (
    BORDER_FRAMES,
    FrontStage,
    SoundStage,
    front_features,
    prepare_decoder,
    rendered,
    target_features,
)
from engine.training.starter.trainer import Schedule, Trainer

SCHEDULE = Schedule(cpu_minutes=1e9, learning_rate=5e-3, warm_up_steps=1)


@pytest.fixture
def network(narrow_config: ModelConfig) -> Network:
    torch.manual_seed(0)
    network = build_network(narrow_config)
    prepare_decoder(network)
    return network


def sound_stage(network: Network, items: tuple[Item, ...], joint: bool) -> SoundStage:
    return SoundStage(network, items, items[:1], 2, 8, joint)


@torch.no_grad()
def test_front_and_generator_are_the_decoder(network: Network, items: tuple[Item, ...]) -> None:
    """kokoro's decoder draws its own noise; with the excitation it had, ours gives the same samples."""
    batch = collate(items[:1])
    phonemes = batch.spread(network.text_encoder(batch.tokens, batch.lengths, batch.padding))
    torch.manual_seed(3)
    expected = network.decoder(phonemes, batch.f0_hz(), batch.energy(), batch.timbre)
    torch.manual_seed(3)
    generator = network.decoder.generator
    waveform, _, _ = generator.m_source(generator.f0_upsamp(batch.f0_hz()[:, None]).transpose(1, 2))
    excitation = torch.cat(generator.stft.transform(waveform.transpose(1, 2).squeeze(1)), 1)
    ours = rendered(network, front_features(network, batch), batch.timbre, excitation)
    assert torch.allclose(ours, expected[:, 0], atol=1e-6)


def test_target_fits_the_front(network: Network, items: tuple[Item, ...]) -> None:
    batch = collate(items)
    target = target_features(batch.samples(network.config), network)
    assert target.shape == front_features(network, batch).shape
    assert target.min() >= 0


def test_front_learns(network: Network, items: tuple[Item, ...], tmp_path: Path) -> None:
    trainer = Trainer(FrontStage(network, items, items[:2], 4), SCHEDULE, tmp_path / "front.pt")
    name = f"bands_{items[0].voice}"
    before = trainer.validate()
    for _ in range(20):
        trainer.advance()
    after = trainer.validate()
    assert set(after) == {name}
    assert after[name] < 0.8 * before[name]


@pytest.mark.parametrize("joint", [False, True])
def test_generator_learns(network: Network, items: tuple[Item, ...], tmp_path: Path, joint: bool) -> None:
    trainer = Trainer(sound_stage(network, items, joint), SCHEDULE, tmp_path / "sound.pt")
    before = trainer.validate()
    losses = [trainer.advance()["loss"] for _ in range(12)]
    assert sum(losses[-3:]) < 0.9 * sum(losses[:3])
    assert set(before) == {f"log_mel_{items[0].voice}"}


def test_generator_alone_leaves_the_front_as_it_was(network: Network, items: tuple[Item, ...], tmp_path: Path) -> None:
    before = network.decoder.encode.conv1.bias.clone()
    Trainer(sound_stage(network, items, joint=False), SCHEDULE, tmp_path / "sound.pt").advance()
    assert torch.equal(network.decoder.encode.conv1.bias, before)
    Trainer(sound_stage(network, items, joint=True), SCHEDULE, tmp_path / "joint.pt").advance()
    assert not torch.equal(network.decoder.encode.conv1.bias, before)


def test_loss_is_repeatable(network: Network, items: tuple[Item, ...]) -> None:
    stage = sound_stage(network, items, joint=True)
    network.eval()
    values = []
    for _ in range(2):
        torch.manual_seed(2)
        values.append(float(stage.loss(random.Random(4))[0].detach()))
    assert values[0] == values[1]


@torch.no_grad()
def test_the_ends_of_an_utterance_are_compared_and_cuts_inside_it_are_not(
    network: Network, items: tuple[Item, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = set[int]()

    def lengths(ours: torch.Tensor, wanted: torch.Tensor, config: ModelConfig) -> tuple[torch.Tensor, ...]:
        assert ours.shape == wanted.shape
        compared.add(ours.shape[1] // config.samples_per_frame)
        return (ours.mean(),) * 3

    monkeypatch.setattr("engine.training.starter.sound_stages.waveform_losses", lengths)
    frames = items[0].lesson.frames
    for piece_frames in (frames, frames - 2):
        stage = SoundStage(network, items[:1], items[:1], 1, piece_frames, joint=False)
        for seed in range(20):
            stage.loss(random.Random(seed))
    inside, one_end = frames - 2 - 2 * BORDER_FRAMES, frames - 2 - BORDER_FRAMES
    assert compared == {frames, one_end, inside}
