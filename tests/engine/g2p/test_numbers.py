"""Numbers as words: known answers, and agreement with num2words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from engine.g2p.numbers import cardinal, decade, fraction, is_one, mixed, number, ordinal, pairs, spelled, year


@given(st.integers(0, 10**18))
def test_cardinals_agree_with_num2words(value: int) -> None:
    expected = num2words(value, lang="en").replace(",", "").replace("-", " ")
    assert cardinal(str(value), british=True) == expected
    assert cardinal(str(value), british=False) == expected.replace(" and ", " ")


@given(st.integers(0, 10**12))
def test_ordinals_agree_with_num2words(value: int) -> None:
    expected = num2words(value, lang="en", to="ordinal").replace(",", "").replace("-", " ")
    assert ordinal(str(value), british=True) == expected


@given(st.text("0123456789", min_size=1, max_size=400))
def test_any_digits_have_words(digits: str) -> None:
    for words in (
        cardinal(digits, british=False),
        ordinal(digits, british=True),
        pairs(digits),
        number(digits, british=True),
    ):
        assert words.replace(" ", "").isalpha()


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1905", "nineteen oh five"),
        ("1900", "nineteen hundred"), ("2000", "two thousand"), ("2024", "twenty twenty four"),
        ("2005", "two thousand five"), ("1066", "ten sixty six"),
    ],
)  # fmt: skip
def test_years(digits: str, words: str) -> None:
    assert year(digits, british=False) == words


def test_british_years_have_an_and() -> None:
    assert year("2005", british=True) == "two thousand and five"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("1,234.50", "one thousand two hundred thirty four point five zero"),
        ("-7", "minus seven"), (".5", "point five"),
        ("007", "zero zero seven"), ("12345678901", "one two three four five six seven eight nine zero one"),
        ("10,000,000,000", "ten billion"), ("0.5", "zero point five"),
    ],
)  # fmt: skip
def test_written_numbers(written: str, words: str) -> None:
    assert number(written, british=False) == words


def test_decades() -> None:
    assert [decade(digits) for digits in ("1990", "90", "1900", "2000", "2010")] == [
        "nineteen nineties", "nineties", "nineteen hundreds", "two thousands", "twenty tens",
    ]  # fmt: skip


def test_fractions() -> None:
    assert fraction("1", "2", british=False) == "one half"
    assert fraction("3", "4", british=False) == "three quarters"
    assert fraction("2", "3", british=False) == "two thirds"
    assert fraction("7", "42", british=False) == "seven over forty two"
    assert fraction("5", "0", british=False) == "five over zero"


def test_mixed_numbers_have_an_article_before_one_part() -> None:
    assert mixed("2", "1", "2", british=False) == "two and a half"
    assert mixed("5", "1", "8", british=False) == "five and an eighth"
    assert mixed("3", "2", "3", british=False) == "three and two thirds"


def test_digits_of_names_are_read_in_pairs() -> None:
    assert [pairs(digits) for digits in ("3", "86", "380", "747", "2030", "700", "007")] == [
        "three", "eighty six", "three eighty", "seven forty seven", "twenty thirty", "seven hundred", "zero zero seven",
    ]  # fmt: skip


def test_spelling_skips_what_is_no_digit() -> None:
    assert spelled("(55) 1") == "five five one"


def test_only_one_is_singular() -> None:
    assert [is_one(written) for written in ("1", "-1", "1.0", "11", "0")] == [True, True, False, False, False]
