"""Converts Roman numerals to numbers and back."""

from __future__ import annotations

import re
from itertools import pairwise

_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_PLACES = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MAX_VALUE = 3999
_NUMERAL = re.compile("(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")


def value_of(letters: str) -> int:
    """Return the value of a Roman numeral in either case; nonstandard ones such as XXXX are accepted."""
    values = [_VALUES[letter] for letter in letters.upper()]
    return sum(-now if now < after else now for now, after in pairwise([*values, 0]))


def parsed(letters: str) -> int | None:
    """Return the value of a standard numeral in capitals; None for other letters."""
    return value_of(letters) if _NUMERAL.fullmatch(letters) else None


def written(number: int) -> str:
    """Return a number as a Roman numeral in capitals; in digits if there is none."""
    if not 0 < number <= _MAX_VALUE:
        return str(number)
    made = ""
    for worth, sign in _PLACES:
        times, number = divmod(number, worth)
        made += times * sign
    return made
