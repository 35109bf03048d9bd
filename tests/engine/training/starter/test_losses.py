"""The losses are zero for equal waveforms, grow with the difference, and hear phases where they are asked to."""

from __future__ import annotations

import torch

from engine.models.checkpoints import model_config
from engine.training.starter.sound_stages import phase_distance, waveform_losses

CONFIG = model_config("starter")
SAMPLES = CONFIG.sample_rate_hz // 2


def tone(frequency_hz: float, amplitude: float = 0.3, phase: float = 0.0) -> torch.Tensor:
    time = torch.arange(SAMPLES) / CONFIG.sample_rate_hz
    return amplitude * torch.sin(2 * torch.pi * frequency_hz * time + phase)[None]


def total(ours: torch.Tensor, wanted: torch.Tensor) -> float:
    return float(sum(waveform_losses(ours, wanted, CONFIG)))


def test_equals_cost_nothing() -> None:
    assert total(tone(200), tone(200)) < 1e-5


def test_the_wrong_pitch_costs_more_than_a_slightly_wrong_level() -> None:
    wanted = tone(200)
    assert total(tone(200, 0.25), wanted) < total(tone(900), wanted)


def test_a_turned_phase_costs_only_with_phases() -> None:
    wanted, turned = tone(200), tone(200, phase=torch.pi / 2)
    mel, magnitudes, phases = waveform_losses(turned, wanted, CONFIG)
    assert float(phases) > 0.2
    assert float(mel) + float(magnitudes) < 0.25 * total(tone(900), wanted)


def test_the_opposite_phase_costs_most() -> None:
    distances = [float(phase_distance(tone(200, phase=turn), tone(200), 256)) for turn in (0.0, 0.5, 1.5, 3.1)]
    assert distances == sorted(distances)


def test_losses_can_be_learnt_from() -> None:
    ours = tone(250).requires_grad_()
    torch.stack(waveform_losses(ours, tone(200), CONFIG)).sum().backward()
    assert torch.isfinite(ours.grad).all()
    assert ours.grad.abs().max() > 0


def test_silence_has_finite_gradients() -> None:
    ours = torch.zeros(1, SAMPLES, requires_grad=True)
    torch.stack(waveform_losses(ours, tone(200), CONFIG)).sum().backward()
    assert ours.grad is not None
    assert torch.isfinite(ours.grad).all()
