"""The text stage must compute the same as the finished model, and learn durations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import build_network
from engine.training.starter.batches import TrainingItem, collate
from engine.training.starter.text_stage import (
    TextStage,
    duration_losses,
    prepare_predictor,
    text_figures,
    voiced_cents,
)
from engine.training.starter.trainer import Schedule, Trainer


@pytest.fixture
def stage(narrow_config: ModelConfig, items: tuple[TrainingItem, ...]) -> TextStage:
    torch.manual_seed(0)
    network = build_network(narrow_config)
    prepare_predictor(network)
    return TextStage(network, items, items[:2], 4)


def test_durations_and_f0_are_learned(stage: TextStage, tmp_path: Path) -> None:
    trainer = Trainer(stage, Schedule(cpu_minutes=1e9, learning_rate=5e-3, warm_up_steps=1), tmp_path / "text.pt")
    before = trainer.validate()
    for _ in range(30):
        trainer.advance()
    after = trainer.validate()
    assert after["duration_frames"] < 0.8 * before["duration_frames"]
    assert after["f0_cents"] < before["f0_cents"]


def test_the_teachers_logits_cost_nothing_more_than_their_own_entropy(items: tuple[TrainingItem, ...]) -> None:
    counted, levels = duration_losses(wanted_logits(items[1]), collate(items[1:2]))
    assert counted < 1e-5
    assert levels < 1e-5


def test_one_frame_too_many_costs_one(items: tuple[TrainingItem, ...]) -> None:
    durations = torch.from_numpy(items[1].example.durations_frames)[:, None] + 1
    logits = torch.where(torch.arange(8) < durations, 20.0, -20.0)[None]
    assert duration_losses(logits, collate(items[1:2]))[0] == pytest.approx(1.0, abs=1e-4)


@torch.no_grad()
def test_figures_are_in_frames_and_cents(
    stage: TextStage, items: tuple[TrainingItem, ...], monkeypatch: object
) -> None:
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    example = items[0].example
    f0 = torch.from_numpy(example.f0_hz)[None] * 2 ** (50 / 1200)
    energy = torch.from_numpy(example.energy)[None] + 0.25
    monkeypatch.setattr(
        "engine.training.starter.text_stage.predicted", lambda network, batch: (wanted_logits(items[0]), f0, energy)
    )
    figures = text_figures(stage._network, items[0])
    assert figures == pytest.approx(
        {"duration_frames": 0.0, "f0_cents": 50.0, "voicing": 1.0, "energy": 0.25}, abs=0.01
    )


def wanted_logits(item: TrainingItem) -> torch.Tensor:
    return torch.from_numpy(item.example.duration_logits).float()[None]


def test_cents_are_counted_where_both_are_voiced():
    ours, wanted = np.array([200.0, 0, 400, 100]), np.array([100.0, 100, 0, 100 * 2 ** (1 / 1200)])
    cents, voicing_agrees = voiced_cents(ours, wanted)
    assert cents == pytest.approx([1200, -1])
    assert voicing_agrees.tolist() == [True, False, False, True]
