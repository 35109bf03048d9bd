"""Durations must be whole, positive, complete, and otherwise as near as possible to the teacher's times."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.starter.alignment import align_utterance, isotonic, timed_symbols, whole_frames
from engine.starter.teachers.speech import Phone, TeacherSpeech

RATE_HZ = 16_000
FRAMES_PER_SECOND = 40.0

starts = st.lists(st.floats(0, 200), min_size=1, max_size=60).map(lambda values: np.array(sorted(values)))


@given(starts, st.integers(0, 400))
def test_durations_are_positive_and_complete(starts_frames: np.ndarray, total: int) -> None:
    durations = whole_frames(starts_frames, total)
    assert len(durations) == len(starts_frames)
    assert durations.min() >= 1
    assert durations.sum() == max(total, len(starts_frames))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_whole_durations_are_kept(durations: list[int]) -> None:
    starts_frames = np.concatenate([[0], np.cumsum(durations)[:-1]]).astype(float)
    assert whole_frames(starts_frames, sum(durations)).tolist() == durations


@given(arrays(float, st.integers(0, 30), elements=st.floats(-100, 100)))
def test_isotonic_is_monotone_and_keeps_the_mean(values: np.ndarray) -> None:
    fitted = isotonic(values)
    assert (np.diff(fitted) >= 0).all()
    assert np.isclose(fitted.sum(), values.sum())


@given(arrays(float, st.integers(1, 30), elements=st.floats(-100, 100)))
def test_isotonic_leaves_a_monotone_sequence_alone(values: np.ndarray) -> None:
    assert np.allclose(isotonic(np.sort(values)), np.sort(values))


def phone(name: str, start: float, end: float, word: str = "", index: int = -1, punctuation: str = "") -> Phone:
    return Phone(name, start, end, True, index, word, punctuation)


PHONES = (
    phone("pau", 0.0, 0.1),
    phone("d", 0.1, 0.2, "dog", 0),
    phone("ao", 0.2, 0.3, "dog", 0),
    phone("g", 0.3, 0.4, "dog", 0),
    phone("z", 0.4, 0.5, "'s", 1, ";"),
    phone("pau", 0.5, 0.7),
    phone("iy", 0.7, 0.8, "e", 2),
    phone("pau", 0.8, 0.9),
    phone("iy", 0.9, 1.0, "e", 3, "."),
    phone("pau", 1.0, 1.2),
)


def no_entry(word: str) -> tuple[str, ...]:
    return ()


def test_words_pauses_and_punctuation_become_symbols() -> None:
    asked: list[str] = []

    def pronounce(word: str) -> tuple[str, ...]:
        asked.append(word)
        return ()

    symbols = "".join(item.symbol for item in timed_symbols(PHONES, 1.2, pronounce))
    assert symbols == "$dˈɔɡz; ˈi, ˈi.$"
    assert asked == ["dog's", "e", "e"]


def test_pause_after_punctuation_belongs_to_it() -> None:
    speech = TeacherSpeech("", RATE_HZ, np.zeros(round(1.2 * RATE_HZ), np.float32), PHONES)
    aligned = align_utterance(speech, no_entry, FRAMES_PER_SECOND)
    durations = dict(zip(aligned.symbols, aligned.durations_frames, strict=True))
    assert sum(aligned.durations_frames) == 48
    assert durations[";"] >= 5
    assert durations["$"] >= 6
