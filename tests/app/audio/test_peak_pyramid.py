import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audio.peak_pyramid import FINEST_BIN_SAMPLES, JoinedPeaks, PeakPyramid

NOISE = np.random.default_rng(1).uniform(-1, 1, 300_000).astype(np.float32)


def filled(signal: np.ndarray, piece: int) -> PeakPyramid:
    pyramid = PeakPyramid()
    for start in range(0, len(signal), piece):
        pyramid.append(signal[start : start + piece])
    return pyramid


@given(lengths=st.lists(st.integers(0, 700), max_size=20), columns=st.integers(1, 50))
def test_every_covered_sample_lies_in_its_column(lengths: list[int], columns: int) -> None:
    signal = NOISE[: sum(lengths)]
    pyramid, start = PeakPyramid(), 0
    for length in lengths:
        pyramid.append(signal[start : start + length])
        start += length
    covered = pyramid.covered_samples
    assert len(signal) - covered < FINEST_BIN_SAMPLES
    peaks = pyramid.peaks(0, len(signal), columns)
    column = np.minimum((np.arange(covered) / max(len(signal) / columns, 1)).astype(int), columns - 1)
    assert (signal[:covered] >= peaks.lowest[column]).all()
    assert (signal[:covered] <= peaks.highest[column]).all()


@pytest.mark.parametrize("columns", [1, 4, 37, 73])
def test_columns_that_fall_on_bins_are_exact(columns: int) -> None:
    width = FINEST_BIN_SAMPLES * 8**2
    signal = NOISE[: columns * width]
    peaks = filled(signal, 1234).peaks(0, len(signal), columns)
    np.testing.assert_array_equal(peaks.lowest, signal.reshape(columns, width).min(axis=1))
    np.testing.assert_array_equal(peaks.highest, signal.reshape(columns, width).max(axis=1))


def test_the_part_that_is_not_there_yet_is_flat() -> None:
    peaks = filled(NOISE[:6400], 6400).peaks(0, 12_800, 100)
    assert (peaks.highest[:50] > 0).all()
    assert not peaks.highest[50:].any()
    assert not peaks.lowest[50:].any()


def test_nothing_is_flat() -> None:
    assert not PeakPyramid().peaks(0, 0, 10).highest.any()


@pytest.mark.parametrize("count", [0, 63, 64, 100_000, 131_072, 299_999, 300_000])
def test_what_is_cut_off_leaves_no_trace(count: int) -> None:
    pyramid = filled(NOISE, 10_000)
    covered = pyramid.cut(count)
    assert count - FINEST_BIN_SAMPLES < covered <= count
    pyramid.append(NOISE[covered:count])
    pyramid.append(NOISE[:5000])
    anew = filled(np.concatenate([NOISE[:count], NOISE[:5000]]), 10_000)
    for columns in (10, 100, 1000):
        cut, expected = (each.peaks(0, count + 5000, columns) for each in (pyramid, anew))
        np.testing.assert_array_equal(cut.lowest, expected.lowest)
        np.testing.assert_array_equal(cut.highest, expected.highest)


@pytest.mark.parametrize("columns", [1, 7, 40])
@pytest.mark.parametrize("offset", [0, 5_000, 21_000])
def test_joined_signals_are_like_one_with_silence_in_between(columns: int, offset: int) -> None:
    parts = NOISE[: 70 * FINEST_BIN_SAMPLES], NOISE[: 90 * FINEST_BIN_SAMPLES] / 2
    silence = np.zeros(20_001, np.float32)
    signal = np.concatenate([parts[0], silence, parts[1]])
    second = len(parts[0]) + len(silence)
    joined = JoinedPeaks(((0, filled(parts[0], 1000)), (second, filled(parts[1], 1000))))
    assert joined.covered_samples == len(signal)
    peaks = joined.peaks(offset, len(signal), columns)
    rest = signal[offset:]
    column = np.minimum((np.arange(len(rest)) / max(len(rest) / columns, 1)).astype(int), columns - 1)
    assert (rest >= peaks.lowest[column]).all()
    assert (rest <= peaks.highest[column]).all()
    assert not joined.peaks(len(parts[0]) + 600, second - 600, 40).highest.any()
