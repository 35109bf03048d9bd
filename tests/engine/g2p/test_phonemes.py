"""Words to phonemes by misaki: offsets, inline pronunciations, and its failures."""

import pytest
from misaki import en

from engine.g2p.analysis import import_spacy, load_offline_analyser
from engine.g2p.overrides import Override
from engine.g2p.phonemes import Pronouncer, homographs


@pytest.fixture(scope="module")
def pronouncer() -> Pronouncer:
    import_spacy()
    return Pronouncer(british=False, load_analyser=load_offline_analyser)


def test_words_carry_phonemes_and_places(pronouncer: Pronouncer) -> None:
    words = pronouncer.pronounce("The cat's mat.")
    assert [(word.text, word.phonemes, word.start, word.end, word.space) for word in words] == [
        ("The", "ðə", 0, 3, True),
        ("cat's", "kˈæts", 4, 9, True),
        ("mat", "mˈæt", 10, 13, False),
        (".", ".", 13, 14, False),
    ]


def test_an_override_may_cover_words_or_a_part_of_one(pronouncer: Pronouncer) -> None:
    words = pronouncer.pronounce("New York prefix", [Override(0, 8, phonemes="X"), Override(12, 15, phonemes="Y")])
    assert words[0].phonemes == "X"
    assert (words[0].start, words[0].end) == (0, 8)
    assert words[-1].phonemes.endswith("Y")


def test_stress_and_number_flags_reach_misaki(pronouncer: Pronouncer) -> None:
    plain, stressed = pronouncer.pronounce("Chinese"), pronouncer.pronounce("Chinese", [Override(0, 7, stress=-2)])
    assert "ˈ" in plain[0].phonemes
    assert "ˈ" not in stressed[0].phonemes
    assert "ænd" in pronouncer.pronounce("123", [Override(0, 3, number_flags="&")])[0].phonemes


def test_a_failure_of_misaki_costs_one_word_only(pronouncer: Pronouncer, monkeypatch: pytest.MonkeyPatch) -> None:
    get_word = en.Lexicon.get_word

    def failing(self: en.Lexicon, word: str, *rest: object) -> object:
        if word == "zap":
            raise TypeError("unexpected")
        return get_word(self, word, *rest)

    monkeypatch.setattr(en.Lexicon, "get_word", failing)
    words = pronouncer.pronounce("The zap mat", [Override(8, 11, phonemes="X")])
    assert [(word.text, word.start, word.end, word.space) for word in words] == [
        ("The", 0, 3, True),
        ("zap", 4, 7, True),
        ("mat", 8, 11, False),
    ]
    assert words[1].phonemes == "zˈæp"
    assert words[2].phonemes == "X"


TRAPS = ("9" * 5000, "1,2.3,4", "-", "'", "a'-b", "$", "$ 5", "1.2.3", "--5", "5'ed", "_", "x" * 300)


@pytest.mark.parametrize("text", TRAPS)
def test_what_misaki_trips_over_is_spoken_or_reported(pronouncer: Pronouncer, text: str) -> None:
    pronouncer.unknown_words.reports()
    words = pronouncer.pronounce(text)
    reported = pronouncer.unknown_words.reports()
    assert reported or any(word.phonemes for word in words) or not any(character.isalnum() for character in text)


def test_homographs_are_those_whose_class_matters() -> None:
    lexicon = {
        "cat": "x",
        "record": {"DEFAULT": "a", "VERB": "b"},
        "could": {"DEFAULT": "a", "None": "b"},
        "AD": {"DEFAULT": "a", "NOUN": None},
    }
    assert homographs(lexicon) == {"record": {"VERB"}}
