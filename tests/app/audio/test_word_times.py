import numpy as np
import pytest

from app.audio.word_times import WordTimes
from engine.speech import AudioChunk, SpokenWord, Utterance

TEXT = "One two. (Three!) Four"
FIRST = Utterance(0, "One two.", "x", 0, 8)
SECOND = Utterance(1, "(Three!)", "x", 9, 17)
WORDS = (SpokenWord(0, 3, 10, 40), SpokenWord(4, 7, 50, 90))


def chunk(utterance: Utterance, length: int, *words: SpokenWord) -> AudioChunk:
    return AudioChunk(utterance, 2, np.zeros(length, np.float32), 1000, words)


@pytest.fixture
def times() -> WordTimes:
    times = WordTimes()
    times.insert(0, chunk(FIRST, 100, *WORDS), 0)
    times.insert(1, chunk(SECOND, 60, SpokenWord(10, 15, 5, 50)), 100)
    return times


@pytest.mark.parametrize(
    ("sample", "word"), [(9, None), (10, "One"), (45, "One"), (50, "two"), (99, "two"), (104, None), (105, "Three")]
)
def test_a_word_is_heard_from_its_start_until_the_next_of_its_chunk(
    times: WordTimes, sample: int, word: str | None
) -> None:
    heard = times.at(sample)
    assert (TEXT[heard.start : heard.end] if heard is not None else None) == word


@pytest.mark.parametrize(
    ("character", "sample"), [(0, 10), (3, 50), (5, 50), (7, 105), (8, 105), (12, 105), (15, None), (18, None)]
)
def test_a_character_is_heard_with_its_word_or_the_next(times: WordTimes, character: int, sample: int | None) -> None:
    assert times.sample_of(character) == sample


def test_without_words_an_utterance_is_heard_from_its_start() -> None:
    times = WordTimes()
    times.insert(0, chunk(FIRST, 100), 0)
    times.insert(1, chunk(SECOND, 60), 100)
    assert times.at(30) is None
    assert times.around(30) == ()
    assert [times.sample_of(character) for character in (5, 9, 17)] == [0, 100, None]


def test_words_are_counted_from_the_start_of_the_speech(times: WordTimes) -> None:
    assert times.around(99) == times.of_chunk(0) == WORDS
    assert times.around(100) == times.of_chunk(1) == (SpokenWord(10, 15, 105, 150),)
    assert WordTimes().around(0) == ()


def test_words_of_chunks_that_were_cut_off_are_forgotten(times: WordTimes) -> None:
    times.cut(1)
    assert times.sample_of(12) is None
    times.insert(1, chunk(SECOND, 60, SpokenWord(10, 15, 5, 50)), 200)
    assert (times.sample_of(12), times.of_chunk(1)[0].start_sample) == (205, 205)
