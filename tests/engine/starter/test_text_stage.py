"""The text stage must compute what the finished model computes, and learn durations."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from engine.config import ModelConfig
from engine.network.architecture import build_network
from engine.starter.batches import Item, collate
from engine.starter.text_stage import TextStage, duration_losses, prepare_predictor
from engine.starter.trainer import Schedule, Trainer


@pytest.fixture
def stage(narrow_config: ModelConfig, items: tuple[Item, ...]) -> TextStage:
    torch.manual_seed(0)
    network = build_network(narrow_config)
    prepare_predictor(network)
    return TextStage(network, nn.Embedding(2, narrow_config.style_dim), items, items[:2], 4)


def test_durations_and_f0_are_learnt(stage: TextStage, tmp_path: Path) -> None:
    trainer = Trainer(stage, Schedule(cpu_minutes=1e9, learning_rate=5e-3, warm_up_steps=1), tmp_path / "text.pt")
    before = trainer.validate()
    for _ in range(30):
        trainer.advance()
    after = trainer.validate()
    assert after["duration_frames"] < 0.8 * before["duration_frames"]
    assert after["f0_hz"] < before["f0_hz"]


def test_perfect_logits_cost_nothing(items: tuple[Item, ...]) -> None:
    batch = collate(items[1:2])
    steps = torch.arange(8)
    wanted = torch.from_numpy(items[1].example.durations_frames)[:, None]
    logits = torch.where(steps < wanted, 30.0, -30.0)[None]
    counted, levels = duration_losses(logits, batch)
    assert counted < 1e-5
    assert levels < 1e-5


def test_one_frame_too_many_costs_one(items: tuple[Item, ...]) -> None:
    batch = collate(items[1:2])
    wanted = torch.from_numpy(items[1].example.durations_frames)[:, None] + 1
    logits = torch.where(torch.arange(8) < wanted, 30.0, -30.0)[None]
    assert duration_losses(logits, batch)[0] == pytest.approx(1.0, abs=1e-4)
