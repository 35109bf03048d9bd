"""Tones are where they belong on the mel scale, and sounds where they sound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.validator.measures.audio_metrics import height_of_hz, hz_at_height, line_edges_hz, spectrogram_db

RATE_HZ = 24_000
LINES = 64


def tone(frequency_hz: float, seconds: float = 1.0) -> np.ndarray:
    return np.sin(2 * np.pi * frequency_hz * np.arange(int(RATE_HZ * seconds)) / RATE_HZ).astype(np.float32)


@pytest.mark.parametrize("frequency_hz", [500, 3000, 11_000])
def test_a_tone_is_loudest_at_its_frequency(frequency_hz: int) -> None:
    found = spectrogram_db(tone(frequency_hz), RATE_HZ, 0, RATE_HZ, 50, LINES)
    assert found.shape == (LINES, 50)
    edges_hz = line_edges_hz(RATE_HZ, LINES)
    loudest = int(found[:, 25].argmax())
    assert edges_hz[loudest] - 24 <= frequency_hz <= edges_hz[loudest + 1] + 24  # a bin is 23 Hz wide


def test_the_loud_part_is_where_it_sounds() -> None:
    samples = np.concatenate([np.zeros(RATE_HZ, np.float32), tone(1000)])
    found = spectrogram_db(samples, RATE_HZ, 0, len(samples), 40, LINES).max(axis=0)
    assert found[:18].max() < found[22:].min() - 60
    late = spectrogram_db(samples, RATE_HZ, RATE_HZ, len(samples), 40, LINES).max(axis=0)
    assert late.min() > found[:18].max() + 20


def test_a_waveform_shorter_than_a_window_is_no_trouble() -> None:
    assert np.isfinite(spectrogram_db(np.ones(3, np.float32), RATE_HZ, 0, 3, 10, LINES)).all()
    assert np.isfinite(spectrogram_db(np.zeros(0, np.float32), RATE_HZ, 0, 0, 10, LINES)).all()


def test_low_frequencies_have_more_room_than_high_ones() -> None:
    edges_hz = line_edges_hz(RATE_HZ, LINES)
    assert edges_hz[0] == 0
    assert edges_hz[-1] == pytest.approx(RATE_HZ / 2)
    assert (np.diff(edges_hz, 2) > 0).all()


@given(st.floats(0, RATE_HZ / 2))
def test_a_frequency_is_found_again_at_its_height(frequency_hz: float) -> None:
    height = height_of_hz(frequency_hz, RATE_HZ)
    assert 0 <= height <= 1 + 1e-12
    assert hz_at_height(height, RATE_HZ) == pytest.approx(frequency_hz, abs=1e-6)
