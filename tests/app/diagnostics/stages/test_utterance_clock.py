import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.stages.utterance_clock import UtteranceClock, clock_of
from engine.speech import Utterance, WrittenWord
from tests.app.diagnostics_fakes import CONFIG

RATE = 40.0


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40).filter(any), st.integers(1, 60))
def test_cells_cover_all_the_time(frames: list[int], cells: int) -> None:
    clock = UtteranceClock(tuple(frames), RATE)
    for axis in ("tokens", "frames"):
        edges = clock.edges(axis, cells)
        assert len(edges) == cells + 1
        assert edges[0] == 0
        assert edges[-1] == pytest.approx(clock.seconds)
        assert np.all(np.diff(edges) >= 0)


def test_a_cell_per_token_is_as_long_as_the_token() -> None:
    clock = UtteranceClock((2, 4, 2), RATE)
    assert clock.edges("tokens", 3).tolist() == clock.token_edges.tolist()
    assert np.diff(clock.edges("frames", 4)) == pytest.approx(0.05)


WINDOW = (WrittenWord(5, 8, 0, 2), WrittenWord(9, 15, 3, 9))


def test_words_last_as_long_as_their_phonemes() -> None:
    utterance = Utterance(0, "The window", "ðə wˈɪndO", 5, 15, words=WINDOW)
    clock = UtteranceClock((4, *[2] * len(utterance.phonemes), 4), RATE)
    first, second = clock.words(utterance)
    assert (first.text, second.text) == ("The", "window")
    assert (first.start_seconds, first.end_seconds) == pytest.approx((0.1, 0.2))
    assert second.start_seconds == pytest.approx(0.25)
    assert second.end_seconds == pytest.approx(clock.seconds - 0.1)


def test_an_alignment_of_a_different_length_shows_as_much_as_possible() -> None:
    utterance = Utterance(0, "The window", "ðə wˈɪndO", 5, 15, words=WINDOW)
    assert [word.text for word in UtteranceClock((2,) * 6, RATE).words(utterance)] == ["The"]


def test_before_the_alignment_all_tokens_are_equally_long() -> None:
    utterance = Utterance(0, "Hi", "hˈI", 0, 2)
    clock = clock_of(utterance, (), CONFIG)
    assert len(clock.token_edges) == len(utterance.phonemes) + 3
    assert np.ptp(np.diff(clock.token_edges)) == pytest.approx(0)
    assert clock_of(None, (), CONFIG).seconds > 0


def test_a_word_with_a_given_pronunciation_is_the_word() -> None:
    text = "[Kokoro](/kˈOkəɹO/) is"
    utterance = Utterance(1, text, "kˈOkəɹO ɪz", 40, 62, words=(WrittenWord(40, 59, 0, 7), WrittenWord(60, 62, 8, 10)))
    assert [word.text for word in clock_of(utterance, (), CONFIG).words(utterance)] == ["Kokoro", "is"]
