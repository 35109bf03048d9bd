"""Spectra must put energy where it is, and distances must be zero only between equals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.training.starter.spectra import (
    log_mel,
    log_mel_distance,
    magnitude,
    mel_cepstral_distortion_db,
    mel_filters,
    spectrum,
)


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


def test_magnitudes_are_those_of_the_complex_spectrum(narrow_config: ModelConfig) -> None:
    audio = torch.from_numpy(tone(200.0, narrow_config))
    assert torch.allclose(magnitude(audio, 512, 128), spectrum(audio, 512, 128).abs(), atol=1e-3)


def test_halving_a_level_is_a_log_mel_distance_of_at_most_ln_2(narrow_config: ModelConfig) -> None:
    audio = torch.from_numpy(np.random.default_rng(0).standard_normal(12_000).astype(np.float32))
    assert float(log_mel_distance(audio, audio, narrow_config)) == 0
    assert float(log_mel_distance(audio / 2, audio, narrow_config)) == pytest.approx(np.log(2), rel=0.01)


def test_distortion_is_zero_for_equals_and_grows(narrow_config: ModelConfig) -> None:
    near, far = tone(210.0, narrow_config), tone(900.0, narrow_config)
    reference = tone(200.0, narrow_config)
    assert mel_cepstral_distortion_db(reference, reference, narrow_config) == 0
    assert mel_cepstral_distortion_db(near, reference, narrow_config) > 0
    assert mel_cepstral_distortion_db(near, reference, narrow_config) < mel_cepstral_distortion_db(
        far, reference, narrow_config
    )
