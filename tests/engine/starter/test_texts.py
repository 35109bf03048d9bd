"""Prompts must be ours, different, repeatable, and cover every symbol of US English."""

from __future__ import annotations

import pytest
from misaki.en import US_VOCAB

from engine.starter.heldout import HELD_OUT_SENTENCES
from engine.starter.pronunciation import misaki_pronunciations
from engine.starter.texts import LONGEST_CHARACTERS, US_SYMBOLS, Lexicon, load_lexicon, missing_symbols, prompts


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


def test_symbols_are_misakis() -> None:
    """Flap and glottal stop are written T and t; ɐ comes from the article."""
    assert set(US_VOCAB) - set("ɾʔ") | set("Tɐ") == US_SYMBOLS


def test_prompts_are_different_repeatable_and_not_held_out(lexicon: Lexicon) -> None:
    sentences = prompts(500, 3, lexicon)
    assert sentences == prompts(500, 3, lexicon)
    assert sentences != prompts(500, 4, lexicon)
    assert len(set(sentences)) == 500
    assert not set(sentences) & set(HELD_OUT_SENTENCES)
    assert max(map(len, sentences)) <= LONGEST_CHARACTERS


def test_prompts_hold_questions_exclamations_and_numbers(lexicon: Lexicon) -> None:
    text = " ".join(prompts(300, 5, lexicon))
    assert all(text.count(mark) >= 10 for mark in "?!,.")
    assert sum(character.isdigit() for character in text) >= 50


def test_prompts_cover_every_symbol(lexicon: Lexicon) -> None:
    look_up = misaki_pronunciations()
    words = " ".join(prompts(1000, 0, lexicon)).replace(",", " ").replace(".", " ").split()
    spoken = [entry for word in words for entry in look_up(word)]
    assert not missing_symbols(spoken)
    assert sum("ʒ" in entry for entry in spoken) >= 20


def test_missing_symbols_are_named() -> None:
    assert missing_symbols(["".join(US_SYMBOLS - {"ʒ"})]) == {"ʒ"}


def test_forty_different_sentences_are_held_out() -> None:
    assert len(set(HELD_OUT_SENTENCES)) == len(HELD_OUT_SENTENCES) == 40
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in HELD_OUT_SENTENCES)
