"""Tests of words with their punctuation and times."""

import numpy as np
import pytest

from engine.audio.subtitles.timed_words import TimedPhoneme, WordEnd, timed_words, words_of
from engine.speech import AudioChunk, SpokenPhoneme, SpokenWord, Utterance
from tests.engine.audio.subtitles.words import RATE_HZ, timed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("“Hello,” she said… (twice).", ["“Hello,”", "she", "said…", "(twice)."]),
        ("Now — or—never", ["Now —", "or—", "never"]),
        ("**Bold** and `code`", ["Bold", "and", "code"]),
        ("¿Qué tal?", ["¿Qué", "tal?"]),
        ("One. [pause 1s] Two [voice:am_michael] three", ["One.", "Two", "three"]),
    ],
)
def test_words_are_shown_with_their_punctuation(text: str, shown: list[str]) -> None:
    assert [word.shown for word in timed(text)] == shown


def test_each_timed_word_reports_the_kind_of_unit_it_ends() -> None:
    ends = [word.ends for word in timed("One two, three. Four\n\nfive!")]
    assert ends == [WordEnd.WORD, WordEnd.CLAUSE, WordEnd.SENTENCE, WordEnd.PARAGRAPH, WordEnd.SENTENCE]


def test_only_the_word_is_shown_of_a_given_pronunciation_or_a_link() -> None:
    text = "[Kokoro](/kˈOkəɹO/) [speaks](http://x.y)."
    words = [SpokenWord(0, 19, 0, 100), SpokenWord(21, 27, 100, 200)]
    assert [word.shown for word in timed_words(text, words, RATE_HZ)] == ["Kokoro", "speaks."]


def test_words_of_scripts_without_spaces_have_none() -> None:
    words = [SpokenWord(0, 2, 0, 100), SpokenWord(2, 4, 100, 200)]
    first, second = timed_words("你好世界。", words, RATE_HZ)
    assert (first.space, second.shown, second.ends) == (False, "世界。", WordEnd.SENTENCE)


def test_times_are_seconds_from_the_beginning() -> None:
    word = SpokenWord(0, 2, 500, 1500, (SpokenPhoneme("h", 500, 700), SpokenPhoneme("I", 700, 1500)))
    (found,) = timed_words("Hi", [word], RATE_HZ, start_seconds=10.0)
    assert (found.start_seconds, found.end_seconds) == (10.5, 11.5)
    assert found.phonemes == (TimedPhoneme("h", 10.5, 10.7), TimedPhoneme("I", 10.7, 11.5))


def test_words_of_chunks_follow_each_other() -> None:
    word = SpokenWord(0, 2, 10, 20, (SpokenPhoneme("h", 10, 20),))
    chunk = AudioChunk(Utterance(0, "Hi", "h", 0, 2), 2, np.zeros(100, np.float32), RATE_HZ, (word,))
    first, second = words_of([chunk, chunk])
    assert first == word
    assert second == SpokenWord(0, 2, 110, 120, (SpokenPhoneme("h", 110, 120),))


@pytest.mark.parametrize("sign", ["(", "'", "-", "."])
def test_long_rows_of_signs_take_linear_time(sign: str) -> None:
    """In quadratic time, this would take an hour or more."""
    text = f"One {sign * 1_000_000} x (two"
    words = [SpokenWord(0, 3, 0, 100), SpokenWord(len(text) - 3, len(text), 100, 200)]
    assert timed_words(text, words, RATE_HZ)[1].shown == "(two"
