import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.roman_numerals import parsed, value_of, written


@given(st.integers(1, 3999))
def test_a_number_comes_back(number: int) -> None:
    assert parsed(written(number)) == value_of(written(number).lower()) == number


@pytest.mark.parametrize(("letters", "value"), [("XIV", 14), ("XXXX", None), ("xiv", None), ("IC", None), ("", None)])
def test_only_the_usual_form_is_parsed(letters: str, value: int | None) -> None:
    assert parsed(letters) == value


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_other_numbers_stay_in_digits(number: int) -> None:
    assert written(number) == str(number)
