import pytest

from engine.text.g2p.quantities import RULES
from engine.text.g2p.units import CURRENCIES, MAGNITUDES, UNITS, unit_name
from engine.text.languages import AMERICAN, BRITISH
from tests.engine.text.g2p.plain_words import rewritten


def spoken(text: str, british: bool = False) -> str:
    return rewritten(text, *RULES, language=BRITISH if british else AMERICAN)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("$45.67", "forty five dollars and sixty seven cents"),
        ("$1.01", "one dollar and one cent"),
        ("$0.50", "fifty cents"),
        ("$0.00", "zero dollars"),
        ("$1.5", "one point five dollars"),
        ("-$3", "minus three dollars"),
        ("$-3", "minus three dollars"),
        ("£3.5bn", "three point five billion pounds"),
        ("£1.01", "one pound and one penny"),
        ("$5-10 million", "five to ten million dollars"),
        ("¥500", "five hundred yen"),
        ("30€", "thirty euros"),
        ("50¢", "fifty cents"),
        ("USD 50", "fifty U.S dollars"),
        ("a$b", "a$b"),
    ],
)
def test_money(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("5 km", "five kilometers"),
        ("1 km", "one kilometer"),
        ("3.5GB", "three point five gigabytes"),
        ("60 fps", "sixty frames per second"),
        ("20 °C", "twenty degrees Celsius"),
        ("-5°C", "minus five degrees Celsius"),
        ("100 km/h", "one hundred kilometers per hour"),
        ("30 m²", "thirty square meters"),
        ("9.8 m/s²", "nine point eight meters per second squared"),
        ("2 kg/m^3", "two kilograms per cubic meter"),
        ("5-10 kg", "five to ten kilograms"),
        ("a 5-km run, a 16-GB card", "a five kilometer run, a sixteen gigabyte card"),
        ("10 min. later", "ten minutes later"),
        ("10 min. We", "ten minutes. We"),
        ("20 °C–25 °C", "twenty degrees Celsius to twenty five degrees Celsius"),
        ("40° N, 1°S", "forty degrees north, one degree south"),
        ("1500 sq ft", "one thousand five hundred square feet"),
        ("50%", "fifty percent"),
        ("6'2\"", "six feet two inches"),
        ("5 in. long", "five inches long"),
        ("5 in the", "5 in the"),
        ("5 kmx", "5 kmx"),
        ("a5 km", "a5 km"),
        ("1.5M, 20k, 10K", "one point five million, twenty thousand, ten thousand"),
        ("4K, Kokoro-82M, 2B", "4K, Kokoro-82M, 2B"),
        ("3 × 10^8 m", "3 × 10^8 m"),
        ("99 mg/dL, 5 mmol/L", "ninety nine milligrams per deciliter, five millimoles per liter"),
        ("in km/h, m/s2", "in kilometers per hour, meters per second squared"),
        ("m/f, s/he, km/h/s, a/s", "m/f, s/he, km/h/s, a/s"),
    ],
)
def test_measures(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("1/2 tsp", "one half teaspoon"),
        ("¾ cup", " three quarters of a cup"),
        ("3/4 h", "three quarters of an hour"),
        ("1 1/2 lb", "one and a half pounds"),
        ("2½ kg", "two and a half kilograms"),
        ("1/4 oz. yeast", "one quarter ounce yeast"),
        ("5 3/8 in", "five and three eighths inches"),
        ("1/2 in the", "1/2 in the"),
    ],
)
def test_fractions_of_measures(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("two $100 bills", "two one hundred dollar bills"),
        ("a $20 million deal of $20 million", "a twenty million dollar deal of twenty million dollars"),
        ("an 80 kg man in a 5 km run", "an eighty kilogram man in a five kilometer run"),
        ("a 5 km or so", "a five kilometers or so"),
        ("another 5 km to go", "another five kilometers to go"),
        ('a 55" TV', "a fifty five inch TV"),
        ("She is 6'2\"", "She is six feet two inches"),
        ('a 55" she', 'a 55" she'),
    ],
)
def test_what_describes_a_noun_is_singular(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("10 cm x 15 cm x 2 cm", "ten centimeters by fifteen centimeters by two centimeters"),
        ("12' x 15'", "twelve by fifteen feet"),
        ("8″ × 10″ or 5″", "eight by ten inches or five inches"),
    ],
)
def test_sizes(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("$5/month", "five dollars per month"),
        ("£1,000/yr", "one thousand pounds per year"),
        ("$3/lb and $20/hr", "three dollars per pound and twenty dollars per hour"),
        ("€20/m²", "twenty euros per square meter"),
        ("10 mg/day", "ten milligrams per day"),
        ("5–10 mg/kg/day", "five to ten milligrams per kilogram per day"),
        ("100 words/minute", "100 words per minute"),
        ("3 day/night cycles", "3 day/night cycles"),
        ("60 km/h", "sixty kilometers per hour"),
        ("and/or", "and/or"),
    ],
)
def test_what_there_is_so_much_for(written: str, words: str) -> None:
    assert spoken(written) == words


def test_british_spelling() -> None:
    assert spoken("5 l, 2 km", british=True) == "five litres, two kilometres"


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
