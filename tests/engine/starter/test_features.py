"""Measured curves must lie on the frame grid and agree with a known signal."""

from __future__ import annotations

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.starter.features import CLOSING_SECONDS, OPENING_SECONDS, fit, make_example, measure_f0
from engine.starter.teachers.speech import PAUSE, Phone, TeacherSpeech, trim_silence

RATE_HZ = 16_000


@pytest.fixture(scope="module")
def buzz() -> TeacherSpeech:
    """Half a second of silence, one of a 120 Hz buzz as two phones, half a second of silence."""
    time = np.arange(RATE_HZ) / RATE_HZ
    voice = sum(0.2 / order * np.sin(2 * np.pi * 120 * order * time) for order in range(1, 12))
    silence = np.zeros(RATE_HZ // 2)
    phones = (
        Phone(PAUSE, 0.0, 0.5, False, -1, "", ""),
        Phone("aa", 0.5, 1.0, True, 0, "ab", ""),
        Phone("b", 1.0, 1.5, True, 0, "ab", "."),
        Phone(PAUSE, 1.5, 2.0, False, -1, "", ""),
    )
    samples = np.concatenate([silence, voice, silence]).astype(np.float32)
    return TeacherSpeech("Ab.", RATE_HZ, samples, phones)


def test_silence_is_trimmed_at_both_ends(buzz: TeacherSpeech) -> None:
    trimmed = trim_silence(buzz, OPENING_SECONDS, CLOSING_SECONDS)
    seconds = 1 + OPENING_SECONDS + CLOSING_SECONDS
    assert len(trimmed.samples) == pytest.approx(seconds * RATE_HZ, abs=2)
    assert trimmed.phones[0].end_seconds == pytest.approx(OPENING_SECONDS)
    assert trimmed.phones[-1].end_seconds == pytest.approx(seconds)


def test_short_silence_stays(buzz: TeacherSpeech) -> None:
    trimmed = trim_silence(buzz, 9.0, 9.0)
    assert np.array_equal(trimmed.samples, buzz.samples)


def test_f0_of_a_buzz(buzz: TeacherSpeech, narrow_config: ModelConfig) -> None:
    f0 = measure_f0(buzz, (60.0, 300.0), narrow_config)
    steps_per_second = narrow_config.sample_rate_hz / narrow_config.samples_per_f0_value
    voiced = f0[round(0.6 * steps_per_second) : round(1.4 * steps_per_second)]
    assert np.median(voiced) == pytest.approx(120, abs=1)
    assert (f0[: round(0.3 * steps_per_second)] == 0).all()


def test_example_lies_on_the_frame_grid(buzz: TeacherSpeech, narrow_config: ModelConfig) -> None:
    def pronounce(word: str) -> tuple[str, ...]:
        return ("ɑb",)

    example = make_example(buzz, pronounce, narrow_config, (60.0, 300.0), gain=0.5)
    assert example.phonemes == "$ɑb.$"
    assert example.tokens.tolist() == [0, *(narrow_config.vocab[symbol] for symbol in "ɑb."), 0]
    assert example.frames == example.durations_frames.sum()
    assert len(example.f0_hz) == len(example.energy) == 2 * example.frames
    assert len(example.pcm) == narrow_config.samples_per_frame * example.frames
    assert np.abs(example.samples).max() == pytest.approx(0.5 * np.abs(buzz.samples).max(), rel=0.1)


@pytest.mark.parametrize("length", [0, 3, 8])
def test_fit_cuts_or_pads(length: int) -> None:
    fitted = fit(np.ones(5), length)
    assert len(fitted) == length
    assert fitted.sum() == min(length, 5)
