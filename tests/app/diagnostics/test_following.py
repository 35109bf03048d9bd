"""The listener's place in raw audio, from the sample of the track that is heard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audio.track import Segment
from app.diagnostics.feature import moment_heard, utterance_heard
from app.diagnostics.stages.utterance_clock import UtteranceClock
from engine.speech import SpokenWord, Utterance, WrittenWord

RATE_HZ = 1000
UTTERANCE = Utterance(1, "one two", "aaa bbb", 10, 17, words=(WrittenWord(10, 13, 0, 3), WrittenWord(14, 17, 4, 7)))
CLOCK = UtteranceClock((4, 2, 2, 2, 2, 2, 2, 2, 4), 10.0)
"""One from 0.4 to 1 s, two from 1.2 to 1.8 s, all of it 2.2 s."""
SEGMENT = Segment(UTTERANCE, 5000, 7000)
SPOKEN = (SpokenWord(10, 13, 5030, 5630), SpokenWord(14, 17, 6030, 6630))
"""0.37 s of silence are cut off before, and 0.2 s of pause put in between."""


def heard(position: int) -> float:
    return moment_heard(SEGMENT, SPOKEN, position, RATE_HZ, UTTERANCE, CLOCK)


@pytest.mark.parametrize(
    ("position", "seconds"),
    [(5000, 0.37), (5030, 0.4), (5330, 0.7), (5630, 1.0), (5830, 1.1), (6030, 1.2), (6630, 1.8), (7000, 2.17)],
)
def test_words_are_where_they_are_heard(position: int, seconds: float) -> None:
    assert heard(position) == pytest.approx(seconds)


@given(st.integers(4000, 9000), st.integers(0, 500))
def test_time_never_goes_back_nor_leaves_the_utterance(position: int, later: int) -> None:
    assert 0 <= heard(position) <= heard(position + later) <= CLOCK.seconds


def test_without_words_time_goes_at_its_own_pace() -> None:
    assert moment_heard(SEGMENT, (), 5500, RATE_HZ, UTTERANCE, CLOCK) == pytest.approx(0.5)


def test_an_utterance_is_found_by_its_place_in_the_text() -> None:
    others = (Utterance(0, "zero", "c", 0, 9), Utterance(1, "one two three", "d", 10, 23))
    assert utterance_heard(SEGMENT, others) is others[1]
    assert utterance_heard(SEGMENT, others[:1]) is None
    assert utterance_heard(None, others) is None
