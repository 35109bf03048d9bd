import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.signals import envelope, spectrogram_db

RATE_HZ = 24_000
LINES = 128


@given(st.integers(0, 500), st.integers(-20, 520), st.integers(-20, 520), st.integers(1, 80))
def test_every_value_lies_inside(length: int, start: int, end: int, columns: int) -> None:
    signal = np.random.default_rng(length).standard_normal(length).astype(np.float32)
    found = envelope(signal, start, end, columns)
    assert len(found.lowest) == len(found.highest) == len(found.edges) - 1 <= columns
    assert np.all(np.diff(found.edges) > 0)
    for low, high, first, last in zip(found.lowest, found.highest, found.edges, found.edges[1:], strict=False):
        assert low == signal[first:last].min()
        assert high == signal[first:last].max()
    covered = max(min(end, length) - max(start, 0), 0)
    assert found.edges[-1] - found.edges[0] == covered


def test_few_values_are_left_as_they_are() -> None:
    signal = np.array([3.0, -1.0, 2.0])
    found = envelope(signal, 0, 3, 100)
    assert found.lowest.tolist() == found.highest.tolist() == signal.tolist()


def test_the_signal_is_not_copied_whole() -> None:
    signal = np.zeros(10, np.float32)
    signal.flags.writeable = False
    assert envelope(signal, 2, 8, 3).edges.tolist() == [2, 4, 6, 8]


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
