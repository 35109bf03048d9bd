"""Words of a teacher must come out in misaki's spelling, filling the same time."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.starter.pronunciation import (
    SYMBOL_OF_PHONE,
    align,
    all_substitutions,
    misaki_pronunciations,
    normalised,
    word_symbols,
)
from engine.starter.teachers.speech import Phone

phone_names = st.sampled_from([*SYMBOL_OF_PHONE, "er"])


def spoken(*names: str, stressed: bool = True) -> list[Phone]:
    return [Phone(name, index / 10, (index + 1) / 10, stressed, 0, "word", "") for index, name in enumerate(names)]


def text(symbols: object) -> str:
    return "".join(item.symbol for item in symbols)


def test_nearest_pronunciation_is_taken() -> None:
    assert text(word_symbols(spoken("r", "eh", "d"), ["ɹˈid", "ɹˈɛd"])) == "ɹˈɛd"


def test_far_pronunciations_are_refused() -> None:
    assert text(word_symbols(spoken("k", "ae", "t"), ["sˈO"])) == "kˈæt"


def test_er_is_a_vowel_and_a_consonant() -> None:
    assert text(word_symbols(spoken("b", "er", "d"), [])) == "bˈɜɹd"
    assert text(word_symbols(spoken("b", "er", stressed=False), [])) == "bəɹ"


@given(st.lists(phone_names, min_size=1, max_size=8), st.lists(st.text("ɹˈɛdəkTi", min_size=1, max_size=8), max_size=3))
def test_time_is_filled_without_gaps(names: list[str], entries: list[str]) -> None:
    symbols = [item for item in word_symbols(spoken(*names), entries) if item.symbol not in "ˈˌ"]
    assert symbols[0].start_seconds == 0
    assert symbols[-1].end_seconds == pytest.approx(len(names) / 10)
    for before, after in itertools.pairwise(symbols):
        assert before.end_seconds == pytest.approx(after.start_seconds)
        assert before.end_seconds >= before.start_seconds


@given(st.text("abɹəz", max_size=8), st.text("abɹəz", max_size=8))
def test_alignment_uses_every_symbol_once_and_in_order(wanted: str, heard: str) -> None:
    cost, pairs = align(wanted, heard)
    assert [symbol for symbol, _ in pairs if symbol is not None] == list(wanted)
    assert [index for _, index in pairs if index is not None] == list(range(len(heard)))
    assert (cost == 0) == (wanted == heard)


def test_similar_symbols_cost_less_than_two_gaps() -> None:
    assert all(align(left, right)[0] < 1.8 for left, right in all_substitutions())


def test_misaki_knows_inflected_words() -> None:
    look_up = misaki_pronunciations()
    assert "wˈɔkt" in look_up("walked")
    assert "tˈɛstᵻd" in look_up("tested")
    assert {"ðə", "ði"} <= set(look_up("the"))
    assert look_up("qqxz") == () or "ˈ" in look_up("qqxz")[0]


def test_flap_and_glottal_stop_are_written_as_misaki_hands_them_out() -> None:
    assert normalised("wˈɔɾəʔ") == "wˈɔTət"
