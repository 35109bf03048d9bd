"""Converts amounts of money, measures, percentages and temperatures to their spoken form."""

from __future__ import annotations

import re
import unicodedata

from engine.text.g2p.abbreviations import ENDS_FIRMLY
from engine.text.g2p.draft import any_of, rule
from engine.text.g2p.numbers import RAISED_DIGITS, cardinal, fraction, is_one, mixed, number, plural, with_article
from engine.text.g2p.units import CURRENCIES, FOOT, INCH, MAGNITUDES, PENNY, UNITS, Unit, unit_name
from engine.text.languages import Language

AMOUNT = r"(?:(?>\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?|\.\d++)"
BEFORE_AMOUNT = r"(?<![\w.,^])(?<![A-Za-z]-)"
"""The place before an amount; digits that continue a name (`Kokoro-82M`) are not an amount."""
SIGN = r"(?:(?<![\w)])[-−+])?"
SCALE = rf"(?:[ ]?(?:{any_of(MAGNITUDES)})\b|[ -](?:thousand|million|billion|trillion)\b)"
UNIT = any_of(UNITS)
POWERS = {"²": "square", "^2": "square", "³": "cubic", "^3": "cubic", "2": "square", "3": "cubic"}
POWERS_BEHIND = {"square": "squared", "cubic": "cubed"}
POWER = r"²|³|\^[23]|[23]"
VULGAR = "¼-¾⅐-⅞"
"""The characters that are fractions, for a set of characters in a pattern."""
MEASURES = any_of({*(unit.one for unit in (*UNITS.values(), INCH)), "acre", "cup", "pint", "quart"})
"""Names of measures that can have a fraction."""
PER_BEFORE = re.compile(r"\bper[ ][a-z]+\Z")
PERIODS = "second|minute|hour|day|night|week|fortnight|month|quarter|season|semester|term|year|decade|century"
SHORT_PERIODS = {"mo": "month", "wk": "week", "yr": "year"}
_COUNTED = (
    "person head capita child adult player user customer guest student employee household item piece unit page line "
    "word serving session game mile acre inch foot pound ounce gallon barrel ton share ticket room seat plate bottle"
)
COUNTED = frozenset((*PERIODS.split("|"), *SHORT_PERIODS, *_COUNTED.split()))
"""Nouns after “per” in amounts: “3 cups/person”."""
BANKNOTE = re.compile(r"[ ](?:bank)?(?:bill|note|coin)s?\b")
NOUN_BEHIND = re.compile(r"[ -](?!(?:to|or|and|of|in|per|for|at|on|by|from|with)\b)[A-Za-z]{2}")
ARTICLE = re.compile(r"\b[Aa]n?[ ]\Z")
DIRECTIONS = {"N": "north", "S": "south", "E": "east", "W": "west"}
SCREEN = r"(?:TV|screen|display|monitor|television|laptop|tablet|wheel|rim|pipe|nail)"
DOT_OF_UNIT = rf"(?:(?<=[a-z]{{2}})\.(?=[ ]?[a-z,;:)-]|[ ]\d+[ ]?(?:{UNIT})\b))?"
"""The dot of an abbreviated unit, where no sentence can end."""


def _describes(match: re.Match[str]) -> bool:
    """Return whether an amount describes the noun after it: “a $5 million deal”, “two $100 bills”."""
    before, after = match.string[max(0, match.start() - 4) : match.start()], match.string[match.end() :][:12]
    return bool(BANKNOTE.match(after) or (NOUN_BEHIND.match(after) and ARTICLE.search(before)))


def _money(match: re.Match[str], language: Language) -> str:
    """Read “$45.67”, “£3.5bn”, “$5–10 million”, “£1m–£2m”: the currency follows the last number."""
    sign = "minus " if match["sign"] or match["inner_sign"] else ""
    low, high = match["amount"], match["high"]
    low_scale, scale = _scale(match["low_scale"]), _scale(match["scale"])
    if not (scale or high):
        return sign + _price(low, match["currency"], language, _describes(match))
    if not scale and CENTS.search(f"{low} {high}"):
        return f"{sign}{_price(low, match['currency'], language)} to {_price(high, match['currency'], language)}"
    first = f"{number(low, language.british)} {low_scale if low_scale != scale else ''} to " if high else ""
    name = CURRENCIES[match["currency"]].major.counted(_describes(match))
    return " ".join(f"{sign}{first}{number(high or low, language.british)} {scale} {name}".split())


def _scale(written: str | None) -> str:
    """Return “million” for “m”."""
    written = (written or "").strip(" -")
    return MAGNITUDES.get(written, written)


def _price(amount: str, symbol: str, language: Language, describes: bool = False) -> str:
    """Return major and minor units if there are two decimals, else a decimal number of major units."""
    currency, british = CURRENCIES[symbol], language.british
    whole, _, decimals = amount.partition(".")
    minor = currency.minor
    if len(decimals) != 2 or minor is None:
        return f"{number(amount, british)} {currency.major.counted(describes or is_one(amount))}"
    majors = f"{number(whole, british)} {currency.major.counted(is_one(whole))}" if whole.strip("0,") else ""
    cents = f"{number(decimals.lstrip('0'), british)} {minor.counted(decimals == '01')}" if decimals != "00" else ""
    return " and ".join(part for part in (majors, cents) if part) or f"zero {currency.major.many}"


def _old_money(match: re.Match[str], language: Language) -> str:
    """Read “£3 10s. 6d.”, “5s. 6d.”, “6½d.”, British money until 1971: pounds, shillings and pence."""
    sums = match.groupdict()
    parts = [
        f"{cardinal(sums[name].replace(',', ''), language.british)} {unit.counted(is_one(sums[name]))}"
        for name, unit in OLD_MONEY.items()
        if sums.get(name)
    ]
    if sums.get("half"):
        parts[-1] += " halfpenny"
    words = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    ends = match[0].endswith(".") and ENDS_FIRMLY.match(match.string, match.end())
    return f"{words}{'.' if ends else ''}"


def _plural(match: re.Match[str], language: Language) -> str | None:
    """Read “737s” and “1s and 0s” as plurals, but “in 5s” and “a 5s delay” as seconds."""
    text, start = match.string, match.start()
    if SECONDS_BEFORE.search(text, max(0, start - MAX_AMOUNT), start) or SECONDS_BEHIND.match(text, match.end()):
        return None
    return plural(match["digits"], language.british)


def _millions(match: re.Match[str], language: Language) -> str:
    """Read “2.5m jobs” and “1.5m–2m people”."""
    return f"{_amounts(match, language)} million"


def _amounts(match: re.Match[str], language: Language) -> str:
    """Return “five” or “five to ten”."""
    high = f" to {number(match['high'], language.british)}" if match["high"] else ""
    return f"{number(match['amount'], language.british)}{high}"


def _duration(match: re.Match[str], language: Language) -> str | None:
    """Read “2h 5m 30s” and “1m 30s”."""
    parts = [
        f"{number(match[unit], language.british)} {unit_name(unit, is_one(match[unit]), language)}"
        for unit in ("h", "min", "s")
        if match[unit]
    ]
    return " ".join(parts) if len(parts) > 1 else None


def _measure(match: re.Match[str], language: Language) -> str:
    """Read “5 km”, “3.5GB”, “20 °C”, “12 m/s”, “30 m²”, “5–10 kg”.

    The unit is singular in “a 5-km run” and “a 5 km run”.
    """
    low, high = match["amount"], match["high"]
    single = match["gap"] == "-" or (is_one(low) and not high) or _describes(match)
    words = _amounts(match, language)
    power = POWERS.get(match["power"] or "", "")
    name = unit_name(match["unit"], single, language)
    per = f" per {_divisor(match, language)}" if match["per"] else ""
    return " ".join(f"{words} {power} {name}{per}".split())


def _divisor(match: re.Match[str], language: Language) -> str:
    """Read “m/s²” as per second squared, “kg/m³” as per cubic meter."""
    name, power = unit_name(match["per"], True, language), POWERS.get(match["per_power"] or "", "")
    if name.endswith(("second", "minute", "hour")) and power:
        return f"{name} {POWERS_BEHIND[power]}"
    return f"{power} {name}".strip()


def _per(match: re.Match[str], language: Language) -> str | None:
    """Read “per” in “$5/month”, “10 mg/day”, “100 words/minute”, “€20/m²”; later rules write out the rest."""
    text, start = match.string, match.start()
    before = AMOUNT_BEFORE.search(text, max(0, start - MAX_AMOUNT), start)
    per = match["per"]
    if before is None or (before["measured"] and per in UNITS) or (before["counted"] and per not in COUNTED):
        return None
    return f" per {_divisor(match, language) if per in UNITS else SHORT_PERIODS.get(per, per)}"


def _second_per(match: re.Match[str], language: Language) -> str | None:
    """Read the second division of “5 mg/kg/day”, whose first is already written out."""
    text, start = match.string, match.start()
    return f" per {match['per']}" if PER_BEFORE.search(text, max(0, start - MAX_AMOUNT), start) else None


def _rate(match: re.Match[str], language: Language) -> str:
    """Read “km/h” without a number before it."""
    return f"{unit_name(match['unit'], False, language)} per {_divisor(match, language)}"


def _large(match: re.Match[str], language: Language) -> str | None:
    """Read “1.5M”, “20k”; but “4K” is a name."""
    amount, letter = match["amount"], match["letter"]
    if (letter == "K" and len(amount) == 1) or (letter == "B" and "." not in amount):
        return None
    return f"{number(amount, language.british)} {MAGNITUDES[letter]}"


def _divided(match: re.Match[str], language: Language) -> str:
    """Write “½” and “¹/₂” as “1/2”, apart from its neighbors."""
    plain = unicodedata.normalize("NFKC", match[0]).replace("⁄", "/")
    return f" {plain}{' ' * match.string[match.end() : match.end() + 1].isalnum()}"


def _feet_and_inches(match: re.Match[str], language: Language) -> str:
    feet, inches = match["feet"], match["inches"]
    words = f"{number(feet, language.british)} {FOOT.counted(is_one(feet))}"
    if inches:
        words += f" {number(inches, language.british)} {INCH.counted(is_one(inches))}"
    return words


def _room(match: re.Match[str], language: Language) -> str:
    """Read “12' x 15'”, “8″ x 10″”."""
    width, length = match["width"], match["length"]
    name = (FOOT if match["sign"] in "'′’" else INCH).counted(_describes(match))
    return f"{number(width, language.british)} by {number(length, language.british)} {name}"


def _by(match: re.Match[str], language: Language) -> str:
    """Read the first half of “10 cm x 15 cm”."""
    unit = unit_name(match["unit"], is_one(match["amount"]), language)
    return f"{number(match['amount'], language.british)} {unit} by "


def _inches(match: re.Match[str], language: Language) -> str:
    single = is_one(match["amount"]) or _describes(match)
    return f"{number(match['amount'], language.british)} {INCH.counted(single)}"


def _fraction_of_measure(match: re.Match[str], language: Language) -> str:
    """Read “1/2 tsp”, “3/4 cup”, “2 1/2 lb”."""
    whole, above, below = match["whole"], match["above"], match["below"]
    if whole:
        return f"{mixed(whole, above, below, language.british)} {_divided_measure(match, False, language)}"
    words, name = fraction(above, below, language.british), _divided_measure(match, True, language)
    return f"{words} {name}" if above == "1" else f"{words} of {with_article(name)}"


def _divided_measure(match: re.Match[str], single: bool, language: Language) -> str:
    if match["unit"]:
        return unit_name(match["unit"], single, language)
    return match["name"] or INCH.counted(single)


def _degrees_of(match: re.Match[str], language: Language) -> str:
    degrees = unit_name("°", is_one(match["amount"]), language)
    return f"{number(match['amount'], language.british)} {degrees} {DIRECTIONS[match['direction']]}"


def _first_of_range(match: re.Match[str], language: Language) -> str:
    """Read the lower end of “20 °C–25 °C”."""
    name = unit_name(match["unit"], is_one(match["amount"]), language)
    return f"{number(match['amount'], language.british)} {name} to "


CURRENCY = any_of(symbol for symbol in CURRENCIES if symbol != "¢")
AMOUNT_BEFORE = re.compile(
    rf"(?:(?:{CURRENCY})[ ]?{AMOUNT}(?:[ ]?(?:{any_of(MAGNITUDES)}))?|{AMOUNT}[ ]?(?:{CURRENCY}|¢)"
    rf"|(?P<measured>{BEFORE_AMOUNT}{AMOUNT}[ ]?(?:{UNIT}))|(?P<counted>{BEFORE_AMOUNT}{AMOUNT}[ ][a-z]+s))\Z"
)
MAX_AMOUNT = 40
CENTS = re.compile(r"\.\d\d\b")
OLD_MONEY = {"pounds": CURRENCIES["£"].major, "shillings": Unit("shilling", "shillings"), "pence": PENNY}
SHILLINGS = r"(?P<shillings>\d{1,2})s\b\.?"
PENCE = r"(?P<pence>\d{1,2})(?P<half>½|[ ]?1/2)?d\b"
PRICE_WORDS = (r"\bat", r"\bpaid", r"\bcost", r"\bcosts", r"\bworth", r"\bprice")
WHERE_PRICES_ARE = "(?:" + "|".join(rf"(?<={before}[ ])" for before in (",", *PRICE_WORDS)) + ")"
BEFORE_OLD_MONEY = r"(?<![\w.,$£€/-])"
SECONDS_BEFORE = re.compile(
    r"(?:\b(?:in|for|after|within|every|about|under|than|is|was|takes?|took|lasts?|lasted|waits?|waited|waiting)"
    r"|\d[ ]?(?:h|hr|hrs|m|min|mins))[ ]\Z",
    re.IGNORECASE,
)
"""Words before a number of seconds; otherwise, an integer with an “s” is a plural, as in “737s”."""
SECONDS_BEHIND = re.compile(
    r"[ -](?:timeouts?|delays?|clips?|intervals?|windows?|videos?|pauses?|breaks?|rests?|laps?|exposures?|countdown"
    r"|later|ago|left|each|long|earlier|elapsed|remaining)\b|[/·]"
)
COUNTED_BY_MILLIONS = (
    "people men women children adults jobs homes houses families households users viewers voters workers customers "
    "subscribers passengers players readers followers listeners consumers taxpayers drivers owners members visitors "
    "tourists patients students pupils migrants refugees residents citizens employees immigrants tonnes tons barrels "
    "copies doses shares units votes views downloads visits trips deaths births cases dollars pounds euros years acres "
    "hectares litres liters records accounts vehicles cars phones animals birds trees"
)
"""Nouns after “2.5m”, which is a length before any other."""
RULES_BEFORE_DATES = (
    rule(rf"(?<![\w.,])£(?P<pounds>\d{{1,3}}(?:,\d{{3}})*|\d+)[ ]?{SHILLINGS}(?:[ ]?{PENCE}\.?)?", _old_money),
    rule(rf"{BEFORE_OLD_MONEY}{SHILLINGS}[ ]?{PENCE}\.?", _old_money),
    rule(rf"(?:{WHERE_PRICES_ARE}|{BEFORE_OLD_MONEY}(?=\d+s\.[ ]?[a-z,;:)]))(?P<shillings>\d{{1,2}})s\.", _old_money),
    rule(rf"{BEFORE_OLD_MONEY}{PENCE}\.(?=[ ,;:)’”\"']|$)", _old_money),
    rule(
        r"(?<![\w.,])(?:(?P<h>\d{1,3})h[ ]?)?(?:(?P<min>\d{1,3})m(?:in)?\b[ ]?)?(?:(?P<s>\d{1,2})s)?\b(?<=\d[hms])",
        _duration,
    ),
)
"""Rules for a number before an “s”, which may otherwise be the name of a decade."""
RULES = (
    rule(rf"[{VULGAR}]|[{RAISED_DIGITS}]+[/⁄](?:[₀-₉]+|\d+)", _divided),
    rule(
        r"(?<![\w.,/-])(?P<whole>\d{1,3})-(?=[1-9]/(?:2|3|4|8)(?![\w/]))", lambda match, language: f"{match['whole']} "
    ),
    rule(
        r"(?<![\w.,/-])(?P<low>\d{1,3})(?:[-–—]|[ ][–—][ ])(?=\d{1,3}[ ]{1,2}\d{1,2}[/⁄]\d{1,2}(?![\w/]))",
        lambda match, language: f"{match['low']} to ",
    ),
    rule(r"(?:(?<=\d[/⁄]\d)|(?<=\d[/⁄]\d\d))(?:[-–—][ ]?|[ ][–—][ ])(?=\d)", lambda match, language: " to "),
    rule(rf"/(?P<per>{UNIT}|mo|[a-z]{{2,}})(?P<per_power>{POWER})?(?![\w/])", _per),
    rule(
        rf"(?<![\w.])(?P<sign>[-−])?(?P<currency>{CURRENCY})[ ]?"
        rf"(?P<inner_sign>[-−])?(?P<amount>{AMOUNT})"
        rf"(?:(?:(?P<low_scale>{SCALE})[ ]?[-–—][ ]?(?=(?:{CURRENCY})|{AMOUNT}{SCALE})|[ ]?[-–—][ ]?)"
        rf"(?:(?:{CURRENCY})[ ]?)?(?P<high>{AMOUNT}))?(?P<scale>{SCALE})?(?![\d])",
        _money,
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})[ ]?(?P<currency>{any_of(CURRENCIES)})(?![\w$])",
        lambda match, language: _price(match["amount"], match["currency"], language),
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})(?:[ ]?[-–—][ ]?(?P<high>{AMOUNT}))?pc\b{DOT_OF_UNIT}",
        lambda match, language: f"{_amounts(match, language)} percent",
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>\d{{1,2}})(?:[ ]?st(?=[ ]?\d{{1,2}}[ ]?lbs?\b)|(?:(?<!1)|(?<=11))st\b)",
        lambda match, language: f"{number(match['amount'], language.british)} stone",
    ),
    rule(r"(?<![\w.])(?P<feet>\d{1,2})[′'](?:[ ]?(?P<inches>\d{1,2})[″\"”])(?!\w)", _feet_and_inches),
    rule(r"(?<![\w.])(?P<feet>[2-8])[′'’](?P<inches>\d|1[01])(?![\w'’′])", _feet_and_inches),
    rule(
        r"(?<![\w.])(?P<width>\d{1,3})(?P<sign>['′’\"″”])[ ]?[x×][ ]?(?P<length>\d{1,3})(?P=sign)(?!\w)",
        _room,
    ),
    rule(rf"{BEFORE_AMOUNT}(?P<amount>\d{{1,3}})(?:″|[\"”](?=[ ]{SCREEN}))(?!\w)", _inches),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})[ ]?(?P<unit>{UNIT})[ ]?[x×][ ]?(?={AMOUNT}[ ]?(?P=unit)(?![\w°²³^/]))",
        _by,
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<count>\d{{1,3}})(?P<gap>[ ]?)[x×](?P=gap)(?={AMOUNT}[ ]?(?:{UNIT})(?![\w°²³^/]))",
        lambda match, language: f"{number(match['count'], language.british)} {'times' if match['gap'] else 'by'} ",
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?<!/)(?:(?P<whole>\d+)[ ]{{1,2}})?(?P<above>\d{{1,2}})[/⁄](?P<below>\d{{1,2}})[ -]{{0,2}}(?:"
        rf"(?P<unit>{UNIT}){DOT_OF_UNIT}(?![\w°²³^/])|in(?:\.(?=[ ]?[a-z,;:)])|(?=[,;:)]|[ ]*$))"
        rf"|(?P<name>{MEASURES})\b)",
        _fraction_of_measure,
    ),
    rule(rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})(?P<letter>k|K|M|B|bn|mn|tn)(?![\w/])", _large),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})m(?:[ ]?[-–—][ ]?(?P<high>{AMOUNT})m)?"
        rf"(?=[ ](?:[a-z]+[ ])?(?:{any_of(COUNTED_BY_MILLIONS.split())}|[A-Z][a-z]+(?:ans|ons))\b)",
        _millions,
    ),
    rule(rf"{BEFORE_AMOUNT}(?<!\d[-–—])(?P<digits>\d{{1,4}})s(?![\w'’]|[-–—]\d)", _plural),
    rule(
        rf"{BEFORE_AMOUNT}(?=\S{{0,12}}[.–—-]\d{{1,4}}[CF]\b)(?P<amount>{SIGN}{AMOUNT})(?:[-–—](?P<high>{AMOUNT}))?(?P<unit>[CF])\b",
        lambda match, language: f"{_amounts(match, language)} {unit_name('°' + match['unit'], False, language)}",
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})[ -]?in(?:\.(?=[ ]?[a-z,;:)-]|[ ]*$)|(?=[,;:)]|[ ]*$))",
        _inches,
    ),
    rule(rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})[ ]?°[ ]?(?P<direction>[NSEW])\b", _degrees_of),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{SIGN}(?:{AMOUNT}))[ ]?(?P<unit>{UNIT})[ ]?[-–—][ ]?"
        rf"(?={AMOUNT}[ ]?(?P=unit)(?![\w°²³^/]))",
        _first_of_range,
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{SIGN}(?:{AMOUNT}))(?:[ ]?[-–—][ ]?(?P<high>{AMOUNT}))?(?P<gap>[ -]?)"
        rf"(?P<unit>{UNIT})(?P<power>{POWER})?(?:/(?P<per>{UNIT})(?P<per_power>{POWER})?)?{DOT_OF_UNIT}(?![\w°²³^])",
        _measure,
    ),
    rule(
        rf"(?<![\w./-])(?P<unit>{UNIT})/(?P<per>s|sec|h|hr|min|d?L|kg|c?m(?=[²³23]))(?P<per_power>{POWER})?(?![\w/])",
        _rate,
    ),
    rule(rf"/(?P<per>{PERIODS})(?![\w/])", _second_per),
)
