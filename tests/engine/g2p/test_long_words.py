"""Endless words are split, ordinary ones are not."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.long_words import LONGEST_LETTERS, cut_long_words
from engine.g2p.overrides import PLACEHOLDER
from engine.languages import AMERICAN


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
