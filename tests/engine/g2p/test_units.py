"""The names of units and currencies."""

import pytest

from engine.g2p.units import CURRENCIES, MAGNITUDES, UNITS, unit_name
from engine.languages import AMERICAN, BRITISH


@pytest.mark.parametrize("symbol", UNITS)
def test_names_are_words(symbol: str) -> None:
    for single in (True, False):
        for language in (AMERICAN, BRITISH):
            assert unit_name(symbol, single, language).replace(" ", "").isalpha()


def test_singular_plural_and_spelling() -> None:
    assert unit_name("km", True, AMERICAN) == "kilometer"
    assert unit_name("km", False, BRITISH) == "kilometres"
    assert unit_name("ft", True, AMERICAN) == "foot"
    assert unit_name("ft", False, AMERICAN) == "feet"


def test_prefixes_give_the_usual_symbols() -> None:
    assert {"mm", "cm", "kg", "mg", "ms", "µs", "GB", "MiB", "Mbps", "kHz"} <= UNITS.keys()


def test_currencies_have_names() -> None:
    assert CURRENCIES["£"].major.many == "pounds"
    assert CURRENCIES["¥"].minor is None
    assert MAGNITUDES["bn"] == "billion"
