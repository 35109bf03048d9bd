"""Silence at the ends of a teacher's speech is trimmed, and the phones keep their times."""

import numpy as np
import pytest

from engine.starter.teachers.speech import PAUSE, Phone, TeacherSpeech, trim_silence

RATE_HZ = 1_000


def speech(opening_seconds: float, closing_seconds: float) -> TeacherSpeech:
    end = opening_seconds + 0.5
    phones = (
        Phone(PAUSE, 0.0, opening_seconds, False, -1, "", ""),
        Phone("aa", opening_seconds, end, True, 0, "ah", "."),
        Phone(PAUSE, end, end + closing_seconds, False, -1, "", ""),
    )
    samples = np.arange(round((end + closing_seconds) * RATE_HZ), dtype=np.float32)
    return TeacherSpeech("Ah.", RATE_HZ, samples, phones)


def test_long_pauses_are_shortened() -> None:
    trimmed = trim_silence(speech(0.4, 0.6), 0.1, 0.2)
    assert len(trimmed.samples) == round(0.8 * RATE_HZ)
    assert trimmed.samples[0] == pytest.approx(0.3 * RATE_HZ)
    assert [phone.end_seconds for phone in trimmed.phones] == pytest.approx([0.1, 0.6, 0.8])


def test_short_pauses_stay() -> None:
    original = speech(0.05, 0.05)
    trimmed = trim_silence(original, 0.1, 0.2)
    assert np.array_equal(trimmed.samples, original.samples)
    assert trimmed.phones == original.phones
