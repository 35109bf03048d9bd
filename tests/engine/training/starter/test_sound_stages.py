"""The audio stages must compute the same as Kokoro's decoder, and learn."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.models.checkpoints import model_config
from engine.network.architecture import Network, build_network
from engine.training.starter.batches import TrainingItem, collate
from engine.training.starter.sound_stages import (
    BORDER_FRAMES,
    FrontStage,
    SoundStage,
    front_features,
    phase_distance,
    prepare_decoder,
    rendered,
    waveform_losses,
)
from engine.training.starter.spectra import (
    log_mel,
    log_mel_distance,
    mel_cepstral_distortion_db,
    mel_filters,
)
from engine.training.starter.trainer import Schedule, Trainer

SCHEDULE = Schedule(cpu_minutes=1e9, learning_rate=5e-3, warm_up_steps=1)


@pytest.fixture
def network(narrow_config: ModelConfig) -> Network:
    torch.manual_seed(0)
    network = build_network(narrow_config)
    prepare_decoder(network)
    return network


def sound_stage(network: Network, items: tuple[TrainingItem, ...], joint: bool) -> SoundStage:
    return SoundStage(network, items, items[:1], 2, 8, joint)


@torch.no_grad()
def test_front_and_generator_are_the_decoder(network: Network, items: tuple[TrainingItem, ...]) -> None:
    """Kokoro's decoder draws its own noise; with the same excitation, ours gives the same samples."""
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


def test_front_learns(network: Network, items: tuple[TrainingItem, ...], tmp_path: Path) -> None:
    trainer = Trainer(FrontStage(network, items, items[:2], 4), SCHEDULE, tmp_path / "front.pt")
    name = f"bands_{items[0].voice}"
    before = trainer.validate()
    for _ in range(20):
        trainer.advance()
    after = trainer.validate()
    assert set(after) == {name}
    assert after[name] < 0.8 * before[name]


@pytest.mark.parametrize("joint", [False, True])
def test_generator_learns(network: Network, items: tuple[TrainingItem, ...], tmp_path: Path, joint: bool) -> None:
    trainer = Trainer(sound_stage(network, items, joint), SCHEDULE, tmp_path / "sound.pt")
    before = trainer.validate()
    losses = [trainer.advance()["loss"] for _ in range(12)]
    assert sum(losses[-3:]) < 0.9 * sum(losses[:3])
    assert set(before) == {f"log_mel_{items[0].voice}"}


def test_generator_alone_leaves_the_front_as_it_was(
    network: Network, items: tuple[TrainingItem, ...], tmp_path: Path
) -> None:
    before = network.decoder.encode.conv1.bias.clone()
    Trainer(sound_stage(network, items, joint=False), SCHEDULE, tmp_path / "sound.pt").advance()
    assert torch.equal(network.decoder.encode.conv1.bias, before)
    Trainer(sound_stage(network, items, joint=True), SCHEDULE, tmp_path / "joint.pt").advance()
    assert not torch.equal(network.decoder.encode.conv1.bias, before)


def test_loss_is_repeatable(network: Network, items: tuple[TrainingItem, ...]) -> None:
    stage = sound_stage(network, items, joint=True)
    network.eval()
    values = []
    for _ in range(2):
        torch.manual_seed(2)
        values.append(float(stage.loss(random.Random(4))[0].detach()))
    assert values[0] == values[1]


@torch.no_grad()
def test_the_ends_of_an_utterance_are_compared_and_inner_cuts_are_not(
    network: Network, items: tuple[TrainingItem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = set[int]()

    def lengths(ours: torch.Tensor, wanted: torch.Tensor, config: ModelConfig) -> tuple[torch.Tensor, ...]:
        assert ours.shape == wanted.shape
        compared.add(ours.shape[1] // config.samples_per_frame)
        return (ours.mean(),) * 3

    monkeypatch.setattr("engine.training.starter.sound_stages.waveform_losses", lengths)
    frames = items[0].example.frames
    for piece_frames in (frames, frames - 2):
        stage = SoundStage(network, items[:1], items[:1], 1, piece_frames, joint=False)
        for seed in range(20):
            stage.loss(random.Random(seed))
    inside, one_end = frames - 2 - 2 * BORDER_FRAMES, frames - 2 - BORDER_FRAMES
    assert compared == {frames, one_end, inside}


CONFIG = model_config("starter")
SAMPLES = CONFIG.sample_rate_hz // 2


def tone(frequency_hz: float, amplitude: float = 0.3, phase: float = 0.0) -> torch.Tensor:
    time = torch.arange(SAMPLES) / CONFIG.sample_rate_hz
    return amplitude * torch.sin(2 * torch.pi * frequency_hz * time + phase)[None]


def total(ours: torch.Tensor, wanted: torch.Tensor) -> float:
    return float(sum(waveform_losses(ours, wanted, CONFIG)))


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


def sine(hertz: float, config: ModelConfig, level: float = 0.3) -> np.ndarray:
    time = np.arange(config.sample_rate_hz // 2) / config.sample_rate_hz
    return (level * np.sin(2 * np.pi * hertz * time)).astype(np.float32)


def test_filters_cover_every_bin_between_the_edges() -> None:
    filters = mel_filters(40, 1024, 24_000, 8_000.0)
    assert filters.shape == (40, 513)
    assert (filters.sum(0)[5:300] > 0).all()
    assert (filters[:, 345:] == 0).all()


def test_tone_peaks_in_its_band(narrow_config: ModelConfig) -> None:
    low, high = (
        int(log_mel(torch.from_numpy(sine(hertz, narrow_config)), 80, 1024, 256, narrow_config).mean(-1).argmax())
        for hertz in (300.0, 3000.0)
    )
    assert low < high


def test_a_halved_level_has_a_log_mel_distance_of_ln_2(narrow_config: ModelConfig) -> None:
    audio = torch.from_numpy(np.random.default_rng(0).standard_normal(12_000).astype(np.float32))
    assert float(log_mel_distance(audio, audio, narrow_config)) == 0
    assert float(log_mel_distance(audio / 2, audio, narrow_config)) == pytest.approx(np.log(2), rel=0.01)


def test_distortion_is_zero_for_equals_and_grows(narrow_config: ModelConfig) -> None:
    near, far = sine(210.0, narrow_config), sine(900.0, narrow_config)
    reference = sine(200.0, narrow_config)
    assert mel_cepstral_distortion_db(reference, reference, narrow_config) == 0
    assert mel_cepstral_distortion_db(near, reference, narrow_config) > 0
    assert mel_cepstral_distortion_db(near, reference, narrow_config) < mel_cepstral_distortion_db(
        far, reference, narrow_config
    )
