import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio import (
    FADE_SECONDS,
    KEPT_SILENCE_SECONDS,
    PEAK_LIMIT,
    finish_utterance,
    limit_peak,
    trim_silence,
)

RATE_HZ = 24_000


def tone(seconds: float, amplitude: float = 0.5) -> np.ndarray:
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (amplitude * np.sin(2 * np.pi * 200 * time)).astype(np.float32)


def test_silence_at_both_ends_is_trimmed_to_the_margin() -> None:
    silence = np.zeros(RATE_HZ // 2, np.float32)
    trimmed = trim_silence(np.concatenate([silence, tone(1), silence]), RATE_HZ)
    assert len(trimmed) / RATE_HZ == pytest.approx(1 + 2 * KEPT_SILENCE_SECONDS, abs=0.021)


def test_a_quiet_word_between_loud_ones_is_kept() -> None:
    speech = np.concatenate([tone(0.2), np.zeros(RATE_HZ, np.float32), tone(0.2, 0.05)])
    assert len(trim_silence(speech, RATE_HZ)) == len(speech)


def test_all_silence_stays_as_it_is() -> None:
    silence = np.zeros(1000, np.float32)
    assert np.array_equal(trim_silence(silence, RATE_HZ), silence)


def test_only_a_clipping_waveform_is_scaled() -> None:
    assert np.abs(limit_peak(tone(0.1, 3.0))).max() == pytest.approx(PEAK_LIMIT)
    quiet = tone(0.1)
    assert limit_peak(quiet) is quiet


def test_the_pause_is_silence_of_the_asked_length() -> None:
    with_pause = finish_utterance(tone(0.5), RATE_HZ, 0.25)
    without = finish_utterance(tone(0.5), RATE_HZ, 0.0)
    assert len(with_pause) - len(without) == RATE_HZ // 4
    assert not with_pause[len(without) :].any()


def test_edges_are_faded_so_that_nothing_clicks() -> None:
    finished = finish_utterance(np.full(RATE_HZ, 0.5, np.float32), RATE_HZ, 0.0)
    assert finished[0] == 0
    assert abs(finished[-1]) < 0.5 / (FADE_SECONDS * RATE_HZ) * 2


@given(st.lists(st.floats(-4, 4, width=32), max_size=400))
def test_any_waveform_ends_up_finite_and_below_clipping(values: list[float]) -> None:
    finished = finish_utterance(np.array(values, np.float32), RATE_HZ, 0.0)
    assert finished.dtype == np.float32
    assert np.isfinite(finished).all()
    assert np.abs(finished).max(initial=0.0) <= PEAK_LIMIT + 1e-6
