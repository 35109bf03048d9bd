"""Every symbol of Kokoro's vocabulary must find a trained stand-in."""

from __future__ import annotations

import json

import pytest

from engine.system.paths import resources_folder
from engine.training.starter.package import NEAREST_SYMBOL, nearest_trained, stand_in_tokens
from engine.training.starter.texts import US_SYMBOLS

TRAINED = US_SYMBOLS | set(" .,!?;:")


@pytest.fixture(scope="module")
def vocabulary() -> dict[str, int]:
    text = (resources_folder() / "kokoro-82m" / "config.json").read_text(encoding="utf-8")
    return dict(json.loads(text)["vocab"])


def test_table_speaks_of_the_vocabulary_only(vocabulary: dict[str, int]) -> None:
    assert set(NEAREST_SYMBOL) <= set(vocabulary)
    assert set(NEAREST_SYMBOL.values()) <= set(vocabulary)


def test_every_untrained_symbol_has_its_own_stand_in(vocabulary: dict[str, int]) -> None:
    for symbol in set(vocabulary) - TRAINED:
        assert symbol in NEAREST_SYMBOL, symbol
        assert nearest_trained(symbol, TRAINED) in TRAINED


def test_british_vowels_have_american_neighbours() -> None:
    assert nearest_trained("ɒ", TRAINED) == "ɑ"
    assert nearest_trained("Q", TRAINED) == "O"
    assert nearest_trained("a", TRAINED) == "æ"


def test_chains_are_followed() -> None:
    assert nearest_trained("ɾ", TRAINED) == "T"
    assert nearest_trained("ɾ", TRAINED - {"T"}) == "t"
    assert nearest_trained("unknown", TRAINED) == " "


def test_stand_ins_are_tokens(vocabulary: dict[str, int]) -> None:
    stand_ins = stand_in_tokens(vocabulary, TRAINED)
    assert stand_ins[vocabulary["ɒ"]] == vocabulary["ɑ"]
    assert not set(stand_ins) & {vocabulary[symbol] for symbol in TRAINED}
