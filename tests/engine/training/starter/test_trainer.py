"""Training must learn, be repeatable, and continue after an interruption as if there had been none."""

from __future__ import annotations

import errno
import math
import random
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.config import ModelConfig
from engine.errors import DamagedFile, OutputError
from engine.network.architecture import build_network
from engine.training.starter.trainer import (
    Schedule,
    StageProgress,
    Trainer,
    compile_generator_blocks,
    load_averaged,
    without_compiling,
)

ENDLESS = Schedule(cpu_minutes=1e9, learning_rate=0.05, warm_up_steps=1)


class LineStage:
    """Learns y = 3 x - 1 from random points."""

    name = "line"

    def __init__(self) -> None:
        torch.manual_seed(5)
        self.modules: dict[str, nn.Module] = {"line": nn.Linear(1, 1)}
        self.rate_shares: dict[str, float] = {}
        self.broken = False

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        points = torch.tensor([[chance.uniform(-1, 1)] for _ in range(8)]) + 0.01 * torch.randn(8, 1)
        error = (self.modules["line"](points) - 3 * points + 1).square().mean()
        return error * math.nan if self.broken else error, {"error": float(error.detach())}

    def validate(self) -> dict[str, float]:
        return {"at_one": float(self.modules["line"](torch.ones(1, 1)).detach())}


def trained(checkpoint: Path, *runs: int) -> Trainer:
    for steps in runs:
        trainer = Trainer(LineStage(), ENDLESS, checkpoint)
        for _ in range(steps):
            trainer.advance()
        trainer.save()
    return trainer


def numbers(trainer: Trainer) -> list[float]:
    return [
        value
        for module in trainer.stage.modules.values()
        for value in nn.utils.parameters_to_vector(module.parameters()).tolist()
    ]


def test_loss_decreases(tmp_path: Path) -> None:
    trainer = Trainer(LineStage(), ENDLESS, tmp_path / "line.pt")
    losses = [trainer.advance()["loss"] for _ in range(150)]
    assert sum(losses[-10:]) < 0.1 * sum(losses[:10])


def test_resuming_gives_the_same_state(tmp_path: Path) -> None:
    through = trained(tmp_path / "through.pt", 20)
    resumed = trained(tmp_path / "resumed.pt", 8, 12)
    assert numbers(resumed) == numbers(through)
    assert resumed.step == through.step == 20
    assert resumed.validate() == through.validate()


def test_validation_uses_averages_and_changes_nothing(tmp_path: Path) -> None:
    trainer = trained(tmp_path / "line.pt", 30)
    before = numbers(trainer)
    averaged = trainer.validate()["at_one"]
    assert numbers(trainer) == before
    assert averaged != trainer.stage.validate()["at_one"]


def test_later_stages_get_the_averages(tmp_path: Path) -> None:
    trainer = trained(tmp_path / "line.pt", 30)
    other = nn.Linear(1, 1)
    load_averaged(tmp_path / "line.pt", {"line": other, "unknown": nn.Linear(2, 2)})
    assert float(other(torch.ones(1, 1)).detach()) == pytest.approx(trainer.validate()["at_one"])


def test_step_without_finite_gradient_changes_nothing(tmp_path: Path) -> None:
    trainer = trained(tmp_path / "line.pt", 3)
    before = numbers(trainer)
    trainer.stage.broken = True
    trainer.advance()
    assert numbers(trainer) == before


def test_run_stops_when_its_time_is_spent(tmp_path: Path) -> None:
    seen: list[StageProgress] = []
    trainer = Trainer(LineStage(), Schedule(0.003, 0.05), tmp_path / "line.pt")
    trainer.train(seen.append)
    assert seen[-1].fraction == 1
    assert "at_one" in seen[-1].measures
    assert Trainer(LineStage(), Schedule(0.003, 0.05), tmp_path / "line.pt").fraction >= 1


def test_schedule_rises_then_falls() -> None:
    schedule = Schedule(10, 1e-3, warm_up_steps=10, final_share=0.1)
    assert schedule.rate(0, 0) == pytest.approx(1e-4)
    assert schedule.rate(9, 0) == pytest.approx(1e-3)
    assert schedule.rate(99, 1) == pytest.approx(1e-4)
    assert schedule.rate(99, 0.4) > schedule.rate(99, 0.6)


def test_module_can_learn_slower(tmp_path: Path) -> None:
    stage = LineStage()
    stage.rate_shares = {"line": 0.0}
    trainer = Trainer(stage, ENDLESS, tmp_path / "line.pt")
    before = numbers(trainer)
    trainer.advance()
    assert numbers(trainer) == before


@pytest.mark.parametrize("kept_bytes", [0, 10, 900])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, kept_bytes: int) -> None:
    path = tmp_path / "line.pt"
    trained(path, 1)
    path.write_bytes(path.read_bytes()[:kept_bytes])
    with pytest.raises(DamagedFile, match=r"line.pt is damaged, or of a different model"):
        Trainer(LineStage(), ENDLESS, path)
    with pytest.raises(DamagedFile, match=r"line.pt is damaged, or of a different model"):
        load_averaged(path, {"line": nn.Linear(1, 1)})


def test_a_full_disk_is_one_sentence_and_keeps_the_state_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = trained(tmp_path / "line.pt", 4)
    before = (tmp_path / "line.pt").read_bytes()

    def refuse(path: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "refused")

    monkeypatch.setattr(Path, "replace", refuse)
    trainer.advance()
    with pytest.raises(OutputError, match="The disk is full"):
        trainer.save()
    assert (tmp_path / "line.pt").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["line.pt"]


def test_blocks_can_be_run_as_written(narrow_config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    network = build_network(narrow_config)
    keys = list(network.state_dict())
    block = network.decoder.generator.resblocks[0]
    inputs = torch.zeros(1, block.convs1[0].in_channels, 30), torch.zeros(1, narrow_config.style_dim)
    expected = block(*inputs)
    assert compile_generator_blocks(network)
    assert list(network.state_dict()) == keys
    with without_compiling():
        assert torch.equal(block(*inputs), expected)
