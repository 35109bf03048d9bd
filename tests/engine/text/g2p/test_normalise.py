import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.g2p.directions import PLACEHOLDER, Override
from engine.text.g2p.draft import Draft
from engine.text.g2p.normalise import LONGEST_LETTERS, cut_long_words, normalise
from engine.text.languages import AMERICAN, BRITISH


def spoken(text: str, british: bool = False) -> str:
    return normalise(text, BRITISH if british else AMERICAN).sourced.text.strip()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("At 10:30 p.m. on Jan 5, 2024", "At ten thirty P.M on January fifth, twenty twenty four"),
        ("We met at 5 p.m. Bob left.", "We met at five P.M. Bob left."),
        ("At 5 p.m. in her café-style room", "At five P.M in her café-style room"),
        ("We met at 5 p.m. She left.", "We met at five P.M. She left."),
        ("$1,234.56", "one thousand two hundred thirty four dollars and fifty six cents"),
        ("the '90s vs. 2010s", "the nineties versus twenty tens"),
        (
            "Mr. Smith paid No. 5, e.g. on St. James St.",
            "Mister Smith paid Number five, for example on Saint James Street.",
        ),
        ("Mail a.b@x.com, see http://x.org/a_b.", "Mail a dot b at x dot com, see x dot org slash a underscore b."),
        ("It's 20°C – warm…", "It's twenty degrees Celsius — warm…"),
        ("Henry VIII and I", "Henry the eighth and I"),
        ("a -> b, x < y & z", "a to b, x less than y and z"),
        ("H2O, MP3 and x²", "H two O, MP three and x squared"),
        ("½ of it, 2½ times, ¾ cup", "one half of it, two and a half times, three quarters of a cup"),
        ("3·10⁻⁵", "three times ten to the minus five"),
        ("Ｆｕｌｌ ｗｉｄｔｈ ①", "Full width one"),
        ("non\u00adsense and zero\u200bwidth", "nonsense and zerowidth"),
    ],
)
def test_written_to_spoken(written: str, words: str) -> None:
    assert spoken(written) == words


def test_the_languages_differ_in_dates_numbers_and_spelling() -> None:
    assert spoken("3/4/2025") == "March fourth, twenty twenty five"
    assert spoken("3/4/2025", british=True) == "the third of April twenty twenty five"
    assert spoken("105 km", british=True) == "one hundred and five kilometres"
    assert spoken("105 km") == "one hundred five kilometers"


def test_inline_pronunciations_survive_with_their_places() -> None:
    normalised = normalise("$5 for [tea](/tˈi/) and [cake](+1)", AMERICAN)
    assert normalised.sourced.text == "five dollars for tea and cake"
    assert normalised.overrides == (Override(17, 20, phonemes="tˈi"), Override(25, 29, stress=1.0))
    assert normalised.overrides_in(17, 29) == [Override(0, 3, phonemes="tˈi"), Override(8, 12, stress=1.0)]
    assert normalised.overrides_in(18, 25) == []


@settings(max_examples=200)
@given(st.text(st.characters(), max_size=80))
def test_nothing_but_letters_and_melody_is_left(text: str) -> None:
    normalised = normalise(text, AMERICAN)
    if not normalised.overrides:
        assert re.fullmatch(r"[A-Za-zÀ-ÖØ-öø-ÿ \n'.,!?;:—…“”()-]*", normalised.sourced.text)


def cut(text: str) -> str:
    draft = Draft(text, AMERICAN)
    cut_long_words(draft)
    return draft.text


USUAL = ("pneumonoultramicroscopicsilicovolcanoconiosis", "state-of-the-art", "McDonaldLand", "U.S.A", "")


@pytest.mark.parametrize("text", USUAL)
def test_usual_words_stay(text: str) -> None:
    assert cut(text) == text


def test_letters_are_parted() -> None:
    assert max(map(len, cut("a" * 200).split())) == LONGEST_LETTERS
    assert cut("a" * 200).replace(" ", "") == "a" * 200


def test_compounds_are_parted_at_their_joints() -> None:
    assert cut("a-b-c-d-e-f") == "a b c d e f"
    assert cut("a.b.c.d.e.f.") == "a. b. c. d. e. f."
    assert cut("OneTwoThreeFourFiveSix") == "One Two Three Four Five Six"


def test_words_with_given_pronunciations_are_parted() -> None:
    assert cut(PLACEHOLDER * 7) == f"{PLACEHOLDER * 5} {PLACEHOLDER * 2}"
    assert cut(f"{PLACEHOLDER}-" * 6 + "1") == f"{PLACEHOLDER}-" * 4 + f"{PLACEHOLDER} {PLACEHOLDER}-1"
    assert cut(PLACEHOLDER * 5 + " a") == PLACEHOLDER * 5 + " a"
