"""Each word is heard from its first phoneme to its last."""

import numpy as np

from engine.audio.word_times import earlier, spoken_words
from engine.speech import Speech, SpokenPhoneme, SpokenWord, Utterance, WrittenWord


def test_a_word_lasts_from_the_space_before_it_to_its_last_phoneme() -> None:
    words = (WrittenWord(7, 8, 0, 2), WrittenWord(9, 11, 3, 4))
    utterance = Utterance(0, "I am.", "ˈI m.", 7, 12, words=words)
    speech = Speech(np.zeros(100, np.float32), np.array([10, 20, 30, 40, 60, 70]))
    first, second = spoken_words(utterance, speech)
    assert first == SpokenWord(7, 8, 10, 30, (SpokenPhoneme("ˈ", 10, 20), SpokenPhoneme("I", 20, 30)))
    assert second == SpokenWord(9, 11, 30, 60, (SpokenPhoneme("m", 30, 60),))


def test_phonemes_are_heard_earlier_but_not_before_the_speech_begins() -> None:
    speech = Speech(np.zeros(100, np.float32), np.array([10, 20, 70]))
    assert earlier(speech, 15).edges.tolist() == [0, 5, 55]


def test_an_utterance_whose_words_are_not_known_has_none() -> None:
    assert spoken_words(Utterance(0, "", "a", 0, 0), Speech(np.zeros(9, np.float32), np.array([0, 9]))) == ()
