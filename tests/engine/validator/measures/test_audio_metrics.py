"""Lag, spectrum and level against known sounds; every waveform has a finite result."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from engine.validator.data.results import AudioMetrics
from engine.validator.measures.audio_metrics import (
    FLOOR,
    best_lag,
    compare_audio,
    height_of_hz,
    hz_at_height,
    line_edges_hz,
    log_mel_l1,
    multi_resolution_stft,
    spectrogram_db,
)

RATE = 24_000
MAX_LAG = 2400
SEEDS = st.integers(0, 10_000)


def noise(seed: int, samples: int) -> np.ndarray:
    return 0.1 * np.random.default_rng(seed).standard_normal(samples)


def sine(frequency_hz: float, samples: int = RATE, amplitude: float = 0.5) -> np.ndarray:
    return amplitude * np.sin(2 * np.pi * frequency_hz * np.arange(samples) / RATE)


def assert_is_json(metrics: AudioMetrics) -> None:
    json.dumps(asdict(metrics), allow_nan=False)


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 5000))
def test_a_waveform_equals_itself(seed: int, samples: int) -> None:
    wave = noise(seed, samples).astype(np.float32)
    assert compare_audio(wave, wave, RATE) == AudioMetrics(pytest.approx(1.0), 0, 0.0, 0.0, 0.0)


@settings(max_examples=30)
@given(SEEDS, st.integers(-MAX_LAG, MAX_LAG), st.floats(0.1, 10))
def test_the_lag_is_found_at_any_level(seed: int, lag: int, scale: float) -> None:
    sound = noise(seed, 12_000)
    first, second = np.concatenate([noise(seed + 1, abs(lag)), sound]), scale * sound
    ours, reference = (first, second) if lag >= 0 else (second, first)
    correlation, found = best_lag(ours, reference, MAX_LAG)
    assert found == lag
    assert correlation == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 40), st.integers(1, 40), st.integers(0, 50))
def test_equals_the_definition(seed: int, ours_length: int, reference_length: int, longest: int) -> None:
    ours, reference = noise(seed, ours_length), noise(seed + 1, reference_length)
    found = {}
    for lag in range(-longest, longest + 1):
        pairs = [(ours[n + lag], reference[n]) for n in range(reference_length) if 0 <= n + lag < ours_length]
        if pairs:
            a, b = np.array(pairs).T
            found[lag] = (math.sqrt((a @ a) * (b @ b)), a @ b)
    most = max(energy for energy, _ in found.values())
    expected = {lag: product / energy for lag, (energy, product) in found.items() if energy >= most / 2}
    correlation, lag = best_lag(ours, reference, longest)
    assert correlation == pytest.approx(max(expected.values()), abs=1e-9)
    assert expected[lag] == pytest.approx(correlation, abs=1e-9)


def test_a_lag_beyond_a_tenth_of_a_second_is_not_looked_for() -> None:
    sound = noise(0, 24_000)
    within, beyond = (compare_audio(sound, sound[lag:], RATE) for lag in (MAX_LAG, MAX_LAG + 1))
    assert within.lag_samples == MAX_LAG
    assert within.best_lag_correlation == pytest.approx(1.0)
    assert beyond.best_lag_correlation < 0.1


def test_of_equal_lags_the_shortest_is_taken() -> None:
    assert best_lag(sine(1000), sine(1000), MAX_LAG)[1] == 0
    assert best_lag(sine(1000)[4:], sine(1000)[: RATE - 4], MAX_LAG)[1] == -4


def test_the_sign_matters() -> None:
    assert best_lag(np.array([-1.0]), np.array([1.0]), MAX_LAG) == (-1.0, 0)
    assert best_lag(np.array([0.0, 0.0, 0.0, 1.0]), np.array([-1.0]), MAX_LAG) == (-1.0, 3)
    assert best_lag(-noise(0, 5000), noise(0, 5000), MAX_LAG)[0] < 0.2


def test_a_few_samples_in_common_are_no_match() -> None:
    """At the longest lags only two loud samples overlap; any two samples correlate at 1 or -1."""
    ours, reference = noise(0, 1000), noise(1, 1000)
    ours[-1] = reference[0] = 0.2
    assert best_lag(ours, reference, MAX_LAG)[0] < 0.3


def test_a_level_is_a_level_and_nothing_else() -> None:
    wave = noise(0, 30_000)
    metrics = compare_audio(2 * wave, wave, RATE)
    assert metrics.best_lag_correlation == pytest.approx(1.0)
    assert metrics.lag_samples == 0
    assert metrics.level_difference_db == pytest.approx(6.0206, abs=1e-3)
    assert metrics.log_mel_l1 == pytest.approx(math.log(2), rel=1e-3)
    assert metrics.multi_resolution_stft == pytest.approx(1 + math.log(2), rel=1e-2)


def test_a_sine_has_its_amplitude_in_its_band_and_none_elsewhere() -> None:
    """Against silence the mean log difference is that of the few bands that the sine reaches."""
    silence, bin_hz = np.zeros(RATE), RATE / 1024
    assert log_mel_l1(sine(4 * bin_hz, amplitude=FLOOR), silence, RATE) == pytest.approx(0, abs=1e-3)
    assert log_mel_l1(sine(4 * bin_hz, amplitude=1.8 * FLOOR), silence, RATE) > 2e-3
    assert 0.1 < log_mel_l1(sine(3000, amplitude=0.5), silence, RATE) < math.log(0.5 / FLOOR) / 4


@pytest.mark.parametrize("frequencies_hz", [(200, 210), (1000, 1300), (5000, 6000)])
def test_pitch_moves_the_spectra(frequencies_hz: tuple[float, float]) -> None:
    low, high = (sine(frequency) for frequency in frequencies_hz)
    assert log_mel_l1(low, low, RATE) == 0
    assert log_mel_l1(low, high, RATE) > 0.05
    assert multi_resolution_stft(low, high) > 0.3


@settings(max_examples=15)
@given(SEEDS, st.integers(0, 3))
def test_spectra_are_further_apart_with_more_noise(seed: int, exponent: int) -> None:
    wave, error = noise(seed, 6000), noise(seed + 1, 6000)
    little, much = (wave + 10.0 ** (power - 5) * error for power in (exponent, exponent + 1))
    assert log_mel_l1(little, wave, RATE) < log_mel_l1(much, wave, RATE)
    assert multi_resolution_stft(little, wave) < multi_resolution_stft(much, wave)


def test_the_spectra_do_not_hear_phase_as_the_correlation_does() -> None:
    metrics = compare_audio(-sine(100.0), sine(100.0), RATE)
    assert metrics.log_mel_l1 == 0
    assert metrics.multi_resolution_stft == 0
    assert metrics.lag_samples != 0


@pytest.mark.parametrize("position", [0, 1, 1500, 5998, 5999])
def test_no_sample_goes_unheard(position: int) -> None:
    wave = noise(0, 6000)
    clicked = wave.copy()
    clicked[position] += 1
    assert log_mel_l1(clicked, wave, RATE) > 0.01
    assert multi_resolution_stft(clicked, wave) > 0.1


@pytest.mark.parametrize("length", [0, 1, 511, 5000])
def test_silence_equals_silence(length: int) -> None:
    silence = np.zeros(length, np.float32)
    assert compare_audio(silence, silence, RATE) == AudioMetrics(1.0, 0, 0.0, 0.0, 0.0)


def test_sound_and_silence() -> None:
    wave, silence = np.full(5000, 0.1), np.zeros(5000)
    spoken, muted = compare_audio(wave, silence, RATE), compare_audio(silence, wave, RATE)
    assert (spoken.best_lag_correlation, muted.best_lag_correlation) == (0.0, 0.0)
    assert (spoken.level_difference_db, muted.level_difference_db) == (pytest.approx(80.0), pytest.approx(-80.0))
    assert 1 < muted.multi_resolution_stft < spoken.multi_resolution_stft


def test_audio_below_the_floor_counts_as_silent() -> None:
    metrics = compare_audio(1e-6 * noise(0, 5000), np.zeros(5000), RATE)
    assert (metrics.log_mel_l1, metrics.level_difference_db) == (0.0, 0.0)
    assert metrics.multi_resolution_stft < 0.1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e39])
def test_a_sample_that_is_not_finite_counts_as_silence(value: float) -> None:
    wave = noise(0, 5000)
    broken, muted = wave.copy(), wave.copy()
    broken[2000], muted[2000] = value, 0
    assert compare_audio(broken, wave, RATE) == compare_audio(muted, wave, RATE)
    assert compare_audio(np.full(9, value), wave, RATE) == compare_audio(np.zeros(9), wave, RATE)


@settings(max_examples=100)
@given(st.data(), st.sampled_from([8000, 24_000, 192_000]))
def test_every_waveform_has_finite_results(data: st.DataObject, rate_hz: int) -> None:
    kind = data.draw(st.sampled_from([np.float32, np.float64, np.int16]))
    ours, reference = (data.draw(arrays_of.arrays(kind, st.integers(0, 60))) for _ in range(2))
    metrics = compare_audio(ours, reference, rate_hz)
    assert_is_json(metrics)
    assert -1 <= metrics.best_lag_correlation <= 1
    assert abs(metrics.lag_samples) <= rate_hz / 10
    assert metrics.log_mel_l1 >= 0
    assert metrics.multi_resolution_stft >= 0


def test_more_than_one_axis_is_refused() -> None:
    with pytest.raises(ValueError, match="one axis"):
        compare_audio(np.zeros((1, 5)), np.zeros(5), RATE)


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


@given(st.floats(0, RATE_HZ / 2))
def test_a_frequency_is_found_again_at_its_height(frequency_hz: float) -> None:
    height = height_of_hz(frequency_hz, RATE_HZ)
    assert 0 <= height <= 1 + 1e-12
    assert hz_at_height(height, RATE_HZ) == pytest.approx(frequency_hz, abs=1e-6)
