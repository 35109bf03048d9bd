"""Spectra must put energy where it is, and distances must be zero only between equals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.starter.losses import waveform_losses
from engine.starter.spectra import energy_curve, log_mel, mel_cepstral_distortion_db, mel_filters

BANDWIDTH = torch.tensor([12_000.0])


def tone(hertz: float, config: ModelConfig, level: float = 0.3) -> np.ndarray:
    time = np.arange(config.sample_rate_hz // 2) / config.sample_rate_hz
    return (level * np.sin(2 * np.pi * hertz * time)).astype(np.float32)


def test_filters_cover_every_bin_between_the_edges() -> None:
    filters = mel_filters(40, 1024, 24_000, 8_000.0)
    assert filters.shape == (40, 513)
    assert (filters.sum(0)[5:300] > 0).all()
    assert (filters[:, 345:] == 0).all()


def test_every_band_of_the_front_has_a_bin() -> None:
    assert (mel_filters(128, 2048, 24_000, 12_000.0).sum(1) > 0).all()


def test_tone_peaks_in_its_band(narrow_config: ModelConfig) -> None:
    low, high = (
        int(log_mel(torch.from_numpy(tone(hertz, narrow_config)), 80, 1024, 256, narrow_config).mean(-1).argmax())
        for hertz in (300.0, 3000.0)
    )
    assert low < high


def test_energy_follows_loudness(narrow_config: ModelConfig) -> None:
    quiet, loud = (energy_curve(tone(200.0, narrow_config, level), narrow_config) for level in (0.03, 0.3))
    assert len(loud) == narrow_config.sample_rate_hz // 2 // narrow_config.samples_per_f0_value + 1
    assert np.median(loud - quiet) == pytest.approx(np.log(10), abs=0.05)


def test_distortion_is_zero_for_equals_and_grows(narrow_config: ModelConfig) -> None:
    near, far = tone(210.0, narrow_config), tone(900.0, narrow_config)
    reference = tone(200.0, narrow_config)
    assert mel_cepstral_distortion_db(reference, reference, narrow_config) == 0
    assert mel_cepstral_distortion_db(near, reference, narrow_config) > 0
    assert mel_cepstral_distortion_db(near, reference, narrow_config) < mel_cepstral_distortion_db(
        far, reference, narrow_config
    )


def test_losses_are_zero_for_equals(narrow_config: ModelConfig) -> None:
    audio = torch.from_numpy(tone(200.0, narrow_config))[None]
    mel, stft = waveform_losses(audio, audio, BANDWIDTH, narrow_config)
    assert mel == 0
    assert stft < 1e-6


def test_sound_above_the_bandwidth_is_leakage_not_log_distance(narrow_config: ModelConfig) -> None:
    """A faint hiss above a narrow teacher's band costs little; with logarithms it would cost much."""
    audio = torch.from_numpy(tone(200.0, narrow_config))[None]
    hiss = torch.from_numpy(tone(11_000.0, narrow_config, 1e-3))[None]
    _, narrow = waveform_losses(audio + hiss, audio, torch.tensor([8_000.0]), narrow_config)
    _, full = waveform_losses(audio + hiss, audio, BANDWIDTH, narrow_config)
    assert 0 < narrow < full / 3
