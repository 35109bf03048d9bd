import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from engine.text.g2p.numbers import (
    ROMAN_RULES,
    cardinal,
    decade,
    fraction,
    is_numeral,
    is_one,
    mixed,
    number,
    ordinal,
    pairs,
    spelled,
    year,
)
from engine.text.g2p.numerals import RULES
from engine.text.roman_numerals import written
from tests.engine.text.g2p.plain_words import rewritten, same_as


@given(st.integers(0, 10**18))
def test_cardinals_agree_with_num2words(value):
    expected = num2words(value, lang="en").replace(",", "").replace("-", " ")
    assert cardinal(str(value), british=True) == expected
    assert cardinal(str(value), british=False) == expected.replace(" and ", " ")


@given(st.integers(0, 10**12))
def test_ordinals_agree_with_num2words(value):
    expected = num2words(value, lang="en", to="ordinal").replace(",", "").replace("-", " ")
    assert ordinal(str(value), british=True) == expected


@given(st.text("0123456789", min_size=1, max_size=400))
def test_any_digits_have_words(digits):
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
def test_years(digits, words):
    assert year(digits, british=False) == words


def test_british_years_have_an_and():
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
def test_written_numbers(written, words):
    assert number(written, british=False) == words


def test_decades():
    assert [decade(digits) for digits in ("1990", "90", "1900", "2000", "2010")] == [
        "nineteen nineties", "nineties", "nineteen hundreds", "two thousands", "twenty tens",
    ]  # fmt: skip


def test_fractions():
    assert fraction("1", "2", british=False) == "one half"
    assert fraction("3", "4", british=False) == "three quarters"
    assert fraction("2", "3", british=False) == "two thirds"
    assert fraction("7", "42", british=False) == "seven over forty two"
    assert fraction("5", "0", british=False) == "five over zero"


def test_mixed_numbers_have_an_article_before_one_part():
    assert mixed("2", "1", "2", british=False) == "two and a half"
    assert mixed("5", "1", "8", british=False) == "five and an eighth"
    assert mixed("3", "2", "3", british=False) == "three and two thirds"


def test_digits_of_names_are_read_in_pairs():
    assert [pairs(digits) for digits in ("3", "86", "380", "747", "2030", "700", "007")] == [
        "three", "eighty six", "three eighty", "seven forty seven", "twenty thirty", "seven hundred", "zero zero seven",
    ]  # fmt: skip


def test_spelling_skips_non_digits():
    assert spelled("(55) 1") == "five five one"


def test_only_one_is_singular():
    assert [is_one(written) for written in ("1", "-1", "1.0", "11", "0")] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Henry VIII", "Henry the eighth"),
        ("Elizabeth II's", "Elizabeth the second's"),
        ("World War II", "World War two"),
        ("Chapter IV", "Chapter four"),
        ("Part I", "Part one"),
        ("James I of England", "James the first of England"),
        ("in part I think", "in part I think"),
        ("then James I know", "then James I know"),
        ("Chapter IIII", "Chapter IIII"),
        ("Louis C", "Louis C"),
        ("I am VI", "I am VI"),
        ("Henry I'm", "Henry I'm"),
        ("Star Trek III.", "Star Trek three."),
        ("an IV drip, MIX, XL", "an IV drip, MIX, XL"),
        ("Scene iii, page iv", "Scene three, page four"),
        ("the part i like, type x", "the part i like, type x"),
        ("(ii) of f(xi)", "(two) of f(xi)"),
    ],
)
def test_only_after_names_and_numbered_things(written, words):
    assert rewritten(written, *ROMAN_RULES) == words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("CHAPTER IV", "Chapter four"),
        ("CHAPTER V. THE SEA", "Chapter five. The sea"),
        ("CHAPTER I.", "Chapter one."),
        ("CHAPTER CXXXV. THE CHASE", "Chapter one hundred thirty five. The chase"),
        ("ADVENTURE VI. THE MAN WITH THE TWISTED LIP", "Adventure six. The man with the twisted lip"),
        ("ACT I", "Act one"),
        ("ACT V, SCENE II", "Act five, scene two"),
        ("LETTER I", "Letter one"),
        ("FYTTE III", "Fytte three"),
        ("Sonnet IV", "Sonnet four"),
        ("SONNET CXLIV", "Sonnet one hundred forty four"),
        ("STAVE I: MARLEY'S GHOST", "Stave one: Marley's ghost"),
        ("VOL. II", "Volume two"),
        ("IV", "Four"),
        ("XII.", "Twelve."),
        ("I. THE SEA", "One. The sea"),
        ("V. CONCLUSION", "Five. Conclusion"),
        ("He slept.\n\nII\n\nHe woke.", "He slept.\n\nTwo.\n\nHe woke."),
        ("HENRY VIII", "Henry the Eighth"),
        ("POPE JOHN PAUL II CAME.", "Pope John Paul the Second came."),
        ("King Zog II and Henry IV and V", "King Zog the Second and Henry the Fourth and the Fifth"),
        ("See vol. ii, pp. xii and ch. iv.", "See volume two, pages twelve and chapter four."),
        ("See p. v, pp. iv–ix and Vols. I and II.", "See page five, pages four to nine and volumes one and two."),
        ("Printed in MDCCCXII.", "Printed in eighteen twelve."),
        ("LONDON: MDCCCXCII", "London: eighteen ninety two"),
        ("Chapter 01", "Chapter one"),
        ("Part 02: The Fall", "Part two: The fall"),
        ("Plate IV shows it.", "Plate four shows it."),
        ("It is in Leviticus, xvii, 7.", "It is in Leviticus, seventeen, seven."),
        ("He told of the XXXIX Articles.", "He told of the thirty nine articles."),
        ("I. THE FOLIO; II. the octavo; V. the others", "One. The folio; two. The octavo; five. The others"),
        ("I. A Lamp. V. The Five Pips. VI. The Lip.", "One. A lamp. Five. The five pips. Six. The lip."),
    ],
)
def test_headings_monarchs_and_pages(american, written, plain):
    assert same_as(american, written, plain)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Malcolm X spoke.", "Malcolm ex spoke."),
        ("Vitamin C helps.", "Vitamin see helps."),
        ("We follow plan C now.", "We follow plan see now."),
        ("He and I, then we left.", "He and aye, then we left."),
        ("My CV is on a CD.", "My see vee is on a see dee."),
        ("Washington DC", "Washington dee see"),
        ("Not I, he said.", "Not aye, he said."),
        ("V. S. Naipaul", "vee ess Naipaul"),
        ("an IV drip", "an eye vee drip"),
        ("Agent 007 is here.", "Agent zero zero seven is here."),
        ("He said no. I left.", "He said no. Aye left."),
    ],
)
def test_letters_and_words_are_no_numerals(american, written, plain):
    assert same_as(american, written, plain)


@given(st.integers(1, 3999))
def test_every_number_has_a_numeral(number):
    assert is_numeral(written(number))


@pytest.mark.parametrize("word", ["DID", "LIVID", "CIVIC", "MILD", "IIII", "VX", ""])
def test_words_are_no_numerals(word):
    assert not is_numeral(word)


def spoken(text: str) -> str:
    return " ".join(rewritten(text, *RULES).split())


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
        ("pre-1914 days", "pre-nineteen fourteen days"),
        ("1914-18, 1066–87", "nineteen fourteen to eighteen, ten sixty six to eighty seven"),
        ("2003-04, 1999–01", "two thousand three to oh four, nineteen ninety nine to oh one"),
        ("2/3rds, 1/8th", "two thirds, one eighth"),
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
def test_numerals(written, words):
    assert spoken(written) == words


@pytest.mark.parametrize(
    "digits", ["1" * 5000, "1." * 500, "1/" * 500, "9" * 30 + "/3", "1" * 5000 + "/2", "1e" * 300, "²" * 500]
)
def test_absurd_numbers_are_only_long(digits):
    assert not any(character.isdigit() for character in spoken(digits))
