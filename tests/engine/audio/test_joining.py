import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio.joining import (
    FADE_SECONDS,
    KEPT_SILENCE_SECONDS,
    PEAK_LIMIT,
    WINDOW_SECONDS,
    Joiner,
    blend,
    finish_utterance,
    limit_peak,
    scale_pauses,
)

RATE_HZ = 24_000
MARGIN = round(KEPT_SILENCE_SECONDS * RATE_HZ)
WINDOW = round(WINDOW_SECONDS * RATE_HZ)
FLOOR = 0.002
"""A little louder than the noise that the models leave between words; 48 dB below the tone."""


def tone(seconds: float, amplitude: float = 0.5) -> np.ndarray:
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (amplitude * np.sin(2 * np.pi * 200 * time)).astype(np.float32)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE_HZ), np.float32)


def utterance(seconds: float, around: float = 0.2) -> np.ndarray:
    """A tone with silence around it, all over a floor of noise."""
    clean = np.concatenate([silence(around), tone(seconds), silence(around)])
    return clean + np.random.default_rng(0).uniform(-FLOOR, FLOOR, len(clean)).astype(np.float32)


def joined(pauses: list[float], scale: float = 1.0) -> np.ndarray:
    joiner = Joiner(RATE_HZ, scale)
    last = len(pauses) - 1
    return np.concatenate([joiner.chunk(utterance(0.3), pause, last=i == last) for i, pause in enumerate(pauses)])


def gaps(samples: np.ndarray) -> list[float]:
    """Seconds between stretches of the tone."""
    loud = np.flatnonzero(np.abs(samples) > 4 * FLOOR)
    steps = np.diff(loud)
    return list(steps[steps > RATE_HZ // 100] / RATE_HZ)


@pytest.mark.parametrize("around", [0.0, 0.01, 0.5])
def test_speech_gets_the_same_margins_whatever_silence_was_there(around: float) -> None:
    finished = finish_utterance(np.concatenate([silence(around), tone(1), silence(around)]), RATE_HZ)
    assert len(finished) == pytest.approx(RATE_HZ + 2 * MARGIN, abs=2 * WINDOW)
    assert not np.abs(finished[: MARGIN - WINDOW]).any()
    assert not np.abs(finished[WINDOW - MARGIN :]).any()


def test_a_quiet_word_between_loud_ones_is_kept() -> None:
    speech = np.concatenate([tone(0.2), np.zeros(RATE_HZ, np.float32), tone(0.2, 0.05)])
    assert len(finish_utterance(speech, RATE_HZ)) == len(speech) + 2 * MARGIN


def test_only_a_clipping_waveform_is_scaled() -> None:
    assert np.abs(limit_peak(tone(0.1, 3.0))).max() == pytest.approx(PEAK_LIMIT)
    quiet = tone(0.1)
    assert limit_peak(quiet) is quiet


def test_edges_are_faded_so_that_nothing_clicks() -> None:
    finished = finish_utterance(np.full(RATE_HZ, 0.5, np.float32), RATE_HZ)
    assert np.abs(np.diff(finished)).max() < 0.5 / (FADE_SECONDS * RATE_HZ) * 2


@pytest.mark.parametrize("pause", [0.05, 0.25])
def test_a_gap_is_the_pause_and_both_margins(pause: float) -> None:
    assert gaps(joined([pause, 0.0])) == [pytest.approx(pause + 2 * KEPT_SILENCE_SECONDS, abs=2 * WINDOW_SECONDS)]


def test_without_a_pause_the_margins_are_one() -> None:
    assert gaps(joined([0.0, 0.0, 0.0])) == [pytest.approx(KEPT_SILENCE_SECONDS, abs=2 * WINDOW_SECONDS)] * 2


@pytest.mark.parametrize("pause", [0.0, 0.05, 0.25])
def test_no_step_at_a_join_is_larger_than_those_of_the_speech(pause: float) -> None:
    speech = joined([pause] * 3)
    assert np.abs(np.diff(speech)).max() <= np.abs(np.diff(utterance(0.3))).max()


def test_blending_keeps_the_power_of_noise() -> None:
    first, second = np.random.default_rng(1).standard_normal((2, 100_000)).astype(np.float32)
    power = np.square(blend(first, second)).reshape(10, -1).mean(axis=1)
    assert power == pytest.approx(np.ones(10), abs=0.05)


@pytest.mark.parametrize(("ending", "beginning"), [(0, 5), (5, 0), (3, 5), (5, 3)])
def test_blending_lays_one_over_the_other_and_loses_nothing_else(ending: int, beginning: int) -> None:
    over = min(ending, beginning)
    blended = blend(np.full(ending, 2, np.float32), np.full(beginning, 3, np.float32))
    assert len(blended) == max(ending, beginning)
    assert blended.dtype == np.float32
    assert (blended[: ending - over] == 2).all()
    assert (blended[ending:] == 3).all()


def test_every_sample_of_speech_is_there_once() -> None:
    """Marked impulses come out in order, at their height, once each."""
    heights = [0.3, 0.4, 0.5, 0.6]
    joiner = Joiner(RATE_HZ)
    chunks = []
    for index, height in enumerate(heights):
        raw = np.concatenate([silence(0.1), tone(0.05, 0.1), [np.float32(height)], tone(0.05, 0.1), silence(0.1)])
        chunks.append(joiner.chunk(raw, 0.25 * (index % 2), last=index == 3))
    speech = np.concatenate(chunks)
    assert list(speech[speech > 0.2]) == pytest.approx(heights)


@pytest.mark.parametrize("scale", [0.0, 0.5, 2.0, 3.0])
def test_pauses_between_and_inside_utterances_are_scaled(scale: float) -> None:
    kept = 2 * KEPT_SILENCE_SECONDS
    assert gaps(joined([0.25, 0.0], scale)) == [pytest.approx(max(kept / 2, 0.25 * scale + kept), abs=0.02 + kept / 2)]
    inside = np.concatenate([utterance(0.3, 0.2), utterance(0.3, 0.2)])
    expected = kept + (0.4 - kept) * scale
    assert gaps(scale_pauses(inside, RATE_HZ, scale)) == [pytest.approx(expected, abs=0.02)]


def test_closures_of_consonants_are_no_pauses() -> None:
    speech = np.concatenate([tone(0.3), silence(0.1), tone(0.3)])
    assert len(scale_pauses(speech, RATE_HZ, 3.0)) == len(speech)


WAVEFORMS = st.lists(st.floats(-4, 4, width=32), max_size=400).map(lambda values: np.array(values, np.float32))


@given(st.lists(st.tuples(WAVEFORMS, st.sampled_from([0.0, 0.001, 0.01])), max_size=4), st.floats(0, 3))
def test_any_waveforms_end_up_finite_and_below_clipping(parts: list[tuple[np.ndarray, float]], scale: float) -> None:
    joiner = Joiner(RATE_HZ, scale)
    for raw, pause in parts:
        chunk = joiner.chunk(raw, pause, last=False)
        assert chunk.dtype == np.float32
        assert np.isfinite(chunk).all()
        assert np.abs(chunk).max(initial=0.0) <= PEAK_LIMIT + 1e-6
