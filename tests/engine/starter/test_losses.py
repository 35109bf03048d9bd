"""The losses are zero for equal waveforms, grow with the difference, and respect each teacher's bandwidth."""

import torch

from engine.model_store.checkpoints import model_config
from engine.starter.losses import stft_distance, waveform_losses

CONFIG = model_config("starter")
SAMPLES = CONFIG.sample_rate_hz // 2
FULL_BAND = torch.tensor([float(CONFIG.sample_rate_hz // 2)])
HALF_BAND = torch.tensor([6_000.0])


def tone(frequency_hz: float, amplitude: float = 0.3) -> torch.Tensor:
    time = torch.arange(SAMPLES) / CONFIG.sample_rate_hz
    return amplitude * torch.sin(2 * torch.pi * frequency_hz * time)[None]


def total(ours: torch.Tensor, wanted: torch.Tensor, bandwidths_hz: torch.Tensor) -> float:
    mel, stft = waveform_losses(ours, wanted, bandwidths_hz, CONFIG)
    return float(mel + stft)


def test_the_wrong_pitch_costs_more_than_a_slightly_wrong_level() -> None:
    wanted = tone(200)
    assert (
        total(wanted, wanted, FULL_BAND)
        < total(tone(200, 0.25), wanted, FULL_BAND)
        < total(tone(900), wanted, FULL_BAND)
    )


def test_sound_above_the_teachers_band_costs() -> None:
    wanted = tone(200)
    leaking = wanted + tone(9_000)
    assert float(stft_distance(leaking, wanted, HALF_BAND, 512, CONFIG)) > float(
        stft_distance(wanted, wanted, HALF_BAND, 512, CONFIG)
    )


def test_losses_can_be_learnt_from() -> None:
    ours = tone(250).requires_grad_()
    mel, stft = waveform_losses(ours, tone(200), FULL_BAND, CONFIG)
    (mel + stft).backward()
    assert ours.grad is not None
    assert torch.isfinite(ours.grad).all()
    assert ours.grad.abs().max() > 0
