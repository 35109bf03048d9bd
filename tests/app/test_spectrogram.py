import numpy as np
import pytest

from app.spectrogram import spectrogram_db

RATE_HZ = 24_000
LINES = 128


def tone(frequency_hz: float, seconds: float = 1.0) -> np.ndarray:
    return np.sin(2 * np.pi * frequency_hz * np.arange(int(RATE_HZ * seconds)) / RATE_HZ).astype(np.float32)


@pytest.mark.parametrize("frequency_hz", [500, 3000, 11_000])
def test_a_tone_is_loudest_at_its_frequency(frequency_hz: int) -> None:
    found = spectrogram_db(tone(frequency_hz), 0, RATE_HZ, 50, LINES)
    assert found.shape == (LINES, 50)
    loudest = found[:, 25].argmax()
    assert (loudest + 0.5) / LINES * RATE_HZ / 2 == pytest.approx(frequency_hz, abs=RATE_HZ / LINES)


def test_the_loud_part_is_where_it_sounds() -> None:
    samples = np.concatenate([np.zeros(RATE_HZ, np.float32), tone(1000)])
    found = spectrogram_db(samples, 0, len(samples), 40, LINES).max(axis=0)
    assert found[:18].max() < found[22:].min() - 60
    late = spectrogram_db(samples, RATE_HZ, len(samples), 40, LINES).max(axis=0)
    assert late.min() > found[:18].max() + 20


def test_a_waveform_shorter_than_a_window_is_no_trouble() -> None:
    assert np.isfinite(spectrogram_db(np.ones(3, np.float32), 0, 3, 10, LINES)).all()
    assert np.isfinite(spectrogram_db(np.zeros(0, np.float32), 0, 0, 10, LINES)).all()
