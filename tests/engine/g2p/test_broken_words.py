"""Interjections without a vowel, stutters and contractions that no lexicon has are neither letters nor names."""

import pytest

from engine.g2p import Phonemizer
from tests.engine.g2p.plain_words import same_as, sounds


@pytest.mark.parametrize(
    ("written", "phonemes"),
    [
        ("Shh!", "ʃ!"),
        ("Ssshhh!", "ʃ!"),
        ("SHH!", "ʃ!"),
        ("Brr.", "bɹ."),
        ("Grrr.", "ɡɹ."),
        ("Zzz.", "z."),
        ("Zzzzzz.", "z."),
        ("Pssst!", "pst!"),
        ("Hmmmmmmm.", "hm."),
        ("Hmph!", "hmf!"),
        ("Tsk.", "tsk."),
        ("Pffft!", "pft!"),
    ],
)
def test_an_interjection_without_a_vowel_is_its_consonants(american: Phonemizer, written: str, phonemes: str) -> None:
    assert sounds(american, written) == phonemes


@pytest.mark.parametrize("text", ["RSS", "CSS", "SSL", "BBC", "HTTP", "KKK", "the css", "a pp"])
def test_abbreviations_without_a_vowel_are_spelled(american: Phonemizer, text: str) -> None:
    *words, last = text.split()
    assert same_as(american, text, " ".join([*words, ".".join(last.upper())]))


@pytest.mark.parametrize(
    ("stuttered", "first", "word"),
    [
        ("W-what", "w", "what"),
        ("B-but", "b", "but"),
        ("N-n-no", "nn", "no"),
        ("Th-that", "ð", "that"),
        ("Wh-where", "w", "where"),
        ("St-stop", "st", "stop"),
        ("Z-Zorgle", "z", "Zorgle"),
        ("K-know", "n", "know"),
        ("A-apples", "æ", "apples"),
        ("W—what", "w", "what"),
        ("W...what", "w", "what"),
        ("B-b-b-b-b-b-but", "bb", "but"),
    ],
)
def test_a_stutter_repeats_the_first_sound(american: Phonemizer, stuttered: str, first: str, word: str) -> None:
    assert sounds(american, f"{stuttered}?") == first + sounds(american, f"{word}?")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("I-I know.", "I I know."),
        ("A T-shirt.", "A tee shirt."),
        ("A t-test.", "A tee test."),
        ("An X-ray.", "An ex ray."),
        ("Try plan B—but now.", "Try plan bee—but now."),
    ],
)
def test_other_letters_before_a_hyphen_are_names(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


def test_contractions_end_like_those_that_the_lexicon_has(american: Phonemizer, british: Phonemizer) -> None:
    assert sounds(american, "who're") == "huəɹ"
    assert sounds(british, "who're") == "huːə"
    assert sounds(american, "Zorg'll").endswith("zɔɹɡəl")
    assert sounds(american, "that'd").endswith("əd")
    assert sounds(american, "We'd've gone.") == sounds(american, "We'd") + "əv" + sounds(american, "gone.")
    assert sounds(american, "Darcy'd").endswith("id")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("'Tis the season.", "'tis the season."),
        ("’Twas a dark night.", "'twas a dark night."),
        ("“'Twould do.”", "'twould do."),
        ("`Tis done.", "'tis done."),
        ("I won`t go and he can`t.", "I won't go and he can't."),
        ("The end o' th' year.", "The end o' the year."),
        ("He went thro' it.", "He went through it."),
        ("'Round the corner.", "Round the corner."),
        ("He said 'no' then.", "He said no then."),
        ("The dogs' tails.", "The dogs' tails."),
    ],
)
def test_apostrophes_keep_their_words(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)
