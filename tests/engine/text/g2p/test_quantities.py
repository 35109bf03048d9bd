import pytest

from engine.text.g2p.dates import RULES as DATE_RULES
from engine.text.g2p.normalize import normalize
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
        ("a $3.5-million deal, $2–3 million", "a three point five million dollar deal, two to three million dollars"),
    ],
)
def test_money(written, words):
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
        ("12st 4lb, 11st, 21 st 2 lbs", "twelve stone four pounds, eleven stone, twenty one stone two pounds"),
        ("the 11th, 1st, 21st and 112st", "the 11th, 1st, 21st and 112st"),
        ("up 0.5pc. Then 3–4pc a year", "up zero point five percent. Then three to four percent a year"),
        ("2 pc of cake", "2 pc of cake"),
        ("a 6-ft.-tall man, a 3-in.-thick book", "a six foot-tall man, a three inch-thick book"),
        ("1 lb. 2 oz. beef. 5 lb. 2 men", "one pound two ounces beef. five pounds. 2 men"),
        ("highs of 75–80F, a 6'2 man", "highs of seventy five to eighty degrees Fahrenheit, a six feet two inches man"),
        ("25 mpg, 7 days/wk", "twenty five miles per gallon, 7 days per week"),
        ("4x100m, 3 x 500 ml", "four by one hundred meters, three times five hundred milliliters"),
    ],
)
def test_measures(written, words):
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
def test_fractions_of_measures(written, words):
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
def test_a_quantity_that_describes_a_noun_is_singular(written, words):
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("10 cm x 15 cm x 2 cm", "ten centimeters by fifteen centimeters by two centimeters"),
        ("12' x 15'", "twelve by fifteen feet"),
        ("8″ × 10″ or 5″", "eight by ten inches or five inches"),
    ],
)
def test_sizes(written, words):
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
def test_a_slash_in_a_rate_is_read_as_per(written, words):
    assert spoken(written) == words


def test_british_spelling():
    assert spoken("5 l, 2 km", british=True) == "five litres, two kilometres"


@pytest.mark.parametrize("symbol", UNITS)
def test_names_are_words(symbol):
    for single in (True, False):
        for language in (AMERICAN, BRITISH):
            assert unit_name(symbol, single, language).replace(" ", "").isalpha()


def test_singular_plural_and_spelling():
    assert unit_name("km", True, AMERICAN) == "kilometer"
    assert unit_name("km", False, BRITISH) == "kilometres"
    assert unit_name("ft", True, AMERICAN) == "foot"
    assert unit_name("ft", False, AMERICAN) == "feet"


def test_prefixes_give_the_usual_symbols():
    assert {"mm", "cm", "kg", "mg", "ms", "µs", "GB", "MiB", "Mbps", "kHz"} <= UNITS.keys()


def test_currencies_have_names():
    assert CURRENCIES["£"].major.many == "pounds"
    assert CURRENCIES["¥"].minor is None
    assert MAGNITUDES["bn"] == "billion"


def spoken_dates(text: str, british: bool = False) -> str:
    return rewritten(text, *DATE_RULES, language=BRITISH if british else AMERICAN)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2024-01-31", "January thirty first, twenty twenty four"),
        ("2024-01-31T10:30", "January thirty first, twenty twenty four ten thirty"),
        ("2024-01-31T10:30:00Z", "January thirty first, twenty twenty four ten thirty and zero seconds Z"),
        ("2024/01/31", "January thirty first, twenty twenty four"),
        ("1-2-2024", "January second, twenty twenty four"),
        ("12/31/2024", "December thirty first, twenty twenty four"),
        ("31/12/2024", "December thirty first, twenty twenty four"),
        ("Jan. 5th", "January fifth"),
        ("5 March 1905", "March fifth, nineteen oh five"),
        ("the 3rd of May", "May third"),
        ("Mon, Jan 5", "Monday, January fifth"),
        ("Sun Microsystems", "Sun Microsystems"),
        ("March 2024", "March twenty twenty four"),
        ("in May we", "in May we"),
        ("2024-13-31", "2024-13-31"),
        ("99/99/2024", "99/99/2024"),
        ("1990s", "nineteen nineties"),
        ("Class of '05", "Class of oh five"),
        ("Mon-Fri", "Monday to Friday"),
        ("Mon.–Fri. at noon", "Monday to Friday at noon"),
        ("Open Mon.-Fri. Call us.", "Open Monday to Friday. Call us."),
        ("June–August 2024", "June to August twenty twenty four"),
        ("Mar-a-Lago", "Mar-a-Lago"),
        ("on 12/5, on 1/2 and on 31/12", "on December fifth, on January second and on December thirty first"),
        ("on 9/11, on 3/4 cup, on 1/3 of it", "on 9/11, on 3/4 cup, on 1/3 of it"),
        ("Tues. and Thurs., or in Dec.", "Tuesday and Thursday, or in Dec."),
        ("with Jan. She left", "with Jan. She left"),
    ],
)
def test_dates(written, words):
    assert spoken_dates(written) == words


def test_british_dates_put_the_day_first():
    assert spoken_dates("3/4/2025", british=True) == "the third of April twenty twenty five"
    assert spoken_dates("Jan 5", british=True) == "the fifth of January"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("10:30", "ten thirty"),
        ("10:05 pm", "ten oh five P.M"),
        ("10:00", "ten o'clock"),
        ("We attack at 0830.", "We attack at oh eight thirty."),
        ("1730 hrs", "1730 hrs"),
        ("by 1730 hrs", "by seventeen thirty hours"),
        ("0600 hours", "oh six hundred hours"),
        ("At 0000h", "At zero hundred hours"),
        ("from 0900-1030", "from oh nine hundred to ten thirty"),
        ("between 0900 and 1030", "between oh nine hundred and ten thirty"),
        ("It took 1200 hours.", "It took 1200 hours."),
        ("Room 0830", "Room 0830"),
        ("at 0830.5", "at 0830.5"),
        ("14:00", "fourteen hundred hours"),
        ("9 a.m.", "nine A.M."),
        ("9 a.m. train", "nine A.M. train"),
        ("5pm", "five P.M"),
        ("9am-5pm", "nine A.M to five P.M"),
        ("8:00 - 9:30", "eight o'clock to nine thirty"),
        ("5–10 a.m. trains", "5 to ten A.M. trains"),
        ("John 3:16-18", "John three sixteen-18"),
        ("1:02:03", "one oh two and three seconds"),
        ("25:00", "25:00"),
        ("16:9", "16:9"),
    ],
)
def test_times(written, words):
    assert spoken_dates(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Read John 3:16 aloud.", "Read John three sixteen aloud."),
        ("Genesis 1:1", "Genesis one one"),
        ("Ps. 119:105", "Psalm one hundred nineteen one hundred five"),
        ("1 Cor. 13:4–7, 13", "First Corinthians thirteen four to seven, thirteen"),
        ("II Kings 2:11", "Second Kings two eleven"),
        ("Song of Songs 2:4", "Song of Songs two four"),
        ("Matt. 5:3, 6:1", "Matthew five three, six one"),
        ("John left at 3:16.", "John left at three sixteen."),
        ("Mark won 3:1", "Mark won three to one"),
    ],
)
def test_places_in_the_bible(written, words):
    assert normalize(written, AMERICAN).sourced.text == words
