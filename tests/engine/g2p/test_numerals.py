"""Every other use of digits."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.numerals import RULES
from engine.languages import AMERICAN


def spoken(text: str) -> str:
    draft = Draft(text, AMERICAN)
    draft.apply(*RULES)
    return " ".join(draft.text.split())


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("+1 (555) 123-4567", "plus one, five five five, one two three, four five six seven"),
        ("2x + 3 = 7", "two x + three = seven"),
        ("2x² and 3x^3 - 3x - 5", "two x squared and three x cubed minus three x minus five"),
        ("2x faster, a 3x–5x gain", "two times faster, a three times–five times gain"),
        ("rated 4.5/5 or 8.75/10", "rated four point five out of five or eight point seven five out of ten"),
        ("1.5/2.5", "one point five over two point five"),
        ("555-1234", "five five five, one two three four"),
        ("4111 1111 1111 1111", "four one one one, one one one one, one one one one, one one one one"),
        ("v1.2.3", "version one point two point three"),
        ("1.2.3", "one point two point three"),
        ("192.168.0.1", "one hundred ninety two dot one hundred sixty eight dot zero dot one"),
        ("123-45-6789", "one two three, four five, six seven eight nine"),
        ("978-3-16-148410-0", "nine seven eight, three, one six, one four eight four one zero, zero"),
        ("1 000 000, 20 000", "one million, twenty thousand"),
        ("50-30-20", "fifty-thirty-twenty"),
        ("07700 900123", "zero seven seven zero zero, nine zero zero one two three"),
        ("Call 911, or call 200 people", "Call nine one one, or call two hundred people"),
        ("3 1/2", "three and a half"),
        ("3/4", "three quarters"),
        ("24/7", "twenty four seven"),
        ("10–20", "ten to twenty"),
        ("1990-1995", "nineteen ninety to nineteen ninety five"),
        ("16:9", "sixteen to nine"),
        ("1st", "first"),
        ("1,000th", "one thousandth"),
        ("No. 5", "number five"),
        ("#1", "number one"),
        ("3x4", "three by four"),
        ("3 × 4", "three times four"),
        ("1920x1080", "nineteen twenty by ten eighty"),
        ("10x", "ten times"),
        ("6.02e23", "six point zero two times ten to the twenty three"),
        ("10^6", "ten to the sixth"),
        ("3•10⁻⁵", "three times ten to the minus five"),
        ("Ca²⁺, Cl⁻", "Ca two plus, Cl minus"),
        ("0⁴⁻", "zero four minus"),
        ("3x - 5, y - x, Box - 5", "three x minus five, y minus x, Box - five"),
        ("2^n, e^x, x^2", "two to the power of n, e to the power of x, x squared"),
        ("7-2=5, 6×7=42", "seven minus two=five, six times seven=forty two"),
        ("x²", "x squared"),
        ("10⁶, 10⁻⁹", "ten to the sixth, ten to the minus nine"),
        ("2¹⁰, 110⁶", "two to the power of ten, one hundred ten to the power of six"),
        ("in 1999", "in nineteen ninety nine"),
        ("in 1066, until 1099", "in ten sixty six, until ten ninety nine"),
        ("1066 people in 1005", "one thousand sixty six people in one thousand five"),
        ("CO2", "C.O two"),
        ("1500 people", "fifteen hundred people"),
        ("2048 bytes", "two thousand forty eight bytes"),
        ("3500", "three thousand five hundred"),
        ("-7", "minus seven"),
        ("MP3", "MP three"),
        ("X-15", "X fifteen"),
        ("A380", "A three eighty"),
        ("²", "two"),
        ("5/0", "five over zero"),
    ],
)
def test_numerals(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize("digits", ["1" * 5000, "1." * 500, "1/" * 500, "9" * 30 + "/3", "1e" * 300, "²" * 500])
def test_absurd_numbers_are_only_long(digits: str) -> None:
    assert not any(character.isdigit() for character in spoken(digits))
