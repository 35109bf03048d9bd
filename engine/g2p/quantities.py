"""Amounts of money, measures, percentages and temperatures as they are spoken."""

from __future__ import annotations

import re

from engine.g2p.draft import any_of, rule
from engine.g2p.numbers import is_one, number
from engine.g2p.units import CURRENCIES, MAGNITUDES, UNITS, unit_name
from engine.languages import Language

AMOUNT = r"(?:(?>\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?|\.\d++)"
BEFORE_AMOUNT = r"(?<![\w.,])(?<![A-Za-z]-)"
"""Digits that continue a name (`Kokoro-82M`) are not an amount."""
SIGN = r"(?:(?<![\w)])[-−+])?"
MAGNITUDE = (
    rf"(?:[ ]?(?P<magnitude>{any_of(MAGNITUDES)})\b|[ ](?P<magnitude_word>thousand|million|billion|trillion)\b)?"
)
UNIT = any_of(UNITS)
POWERS = {"²": "square", "^2": "square", "³": "cubic", "^3": "cubic", "2": "square", "3": "cubic"}
POWERS_BEHIND = {"square": "squared", "cubic": "cubed"}
POWER = r"²|³|\^[23]|[23]"


def _money(match: re.Match[str], language: Language) -> str:
    """“$45.67”, “£3.5bn”, “$5–10 million”: the currency goes after the last number."""
    currency = CURRENCIES[match["currency"]]
    magnitude = match["magnitude_word"] or MAGNITUDES.get(match["magnitude"] or "", "")
    sign = "minus " if match["sign"] or match["inner_sign"] else ""
    low, high = match["amount"], match["high"]
    if magnitude or high:
        words = number(low, language.british) + (f" to {number(high, language.british)}" if high else "")
        name = currency.major.counted(single=False)
        return f"{sign}{words} {magnitude} {name}".replace("  ", " ")
    return sign + _price(low, match["currency"], language)


def _price(amount: str, symbol: str, language: Language) -> str:
    """Majors and minors if there are two decimals, else a decimal number of majors."""
    currency, british = CURRENCIES[symbol], language.british
    whole, _, decimals = amount.partition(".")
    minor = currency.minor
    if len(decimals) != 2 or minor is None:
        return f"{number(amount, british)} {currency.major.counted(is_one(amount))}"
    majors = f"{number(whole, british)} {currency.major.counted(is_one(whole))}" if whole.strip("0,") else ""
    cents = f"{number(decimals.lstrip('0'), british)} {minor.counted(decimals == '01')}" if decimals != "00" else ""
    return " and ".join(part for part in (majors, cents) if part) or f"zero {currency.major.many}"


def _money_behind(match: re.Match[str], language: Language) -> str:
    return _price(match["amount"], match["currency"], language)


def _measure(match: re.Match[str], language: Language) -> str:
    """“5 km”, “3.5GB”, “20 °C”, “12 m/s”, “30 m²”, “5–10 kg”."""
    low, high = match["amount"], match["high"]
    single = is_one(low) and not high
    words = number(low, language.british) + (f" to {number(high, language.british)}" if high else "")
    power = POWERS.get(match["power"] or "", "")
    name = unit_name(match["unit"], single, language)
    per = f" per {_divisor(match, language)}" if match["per"] else ""
    return " ".join(f"{words} {power} {name}{per}".split())


def _divisor(match: re.Match[str], language: Language) -> str:
    """“m/s²” is per second squared, “kg/m³” per cubic meter."""
    name, power = unit_name(match["per"], True, language), POWERS.get(match["per_power"] or "", "")
    if name.endswith(("second", "minute", "hour")) and power:
        return f"{name} {POWERS_BEHIND[power]}"
    return f"{power} {name}".strip()


def _large(match: re.Match[str], language: Language) -> str | None:
    """“1.5M”, “20k”; but “4K” is a name."""
    amount, letter = match["amount"], match["letter"]
    if (letter == "K" and len(amount) == 1) or (letter == "B" and "." not in amount):
        return None
    return f"{number(amount, language.british)} {MAGNITUDES[letter]}"


def _feet_and_inches(match: re.Match[str], language: Language) -> str:
    feet, inches = match["feet"], match["inches"]
    words = f"{number(feet, language.british)} {'foot' if is_one(feet) else 'feet'}"
    if inches:
        words += f" {number(inches, language.british)} inch{'' if is_one(inches) else 'es'}"
    return words


def _inches(match: re.Match[str], language: Language) -> str:
    return f"{number(match['amount'], language.british)} inch{'' if is_one(match['amount']) else 'es'}"


RULES = (
    rule(
        rf"(?<![\w.])(?P<sign>[-−])?(?P<currency>{any_of(symbol for symbol in CURRENCIES if symbol != '¢')})[ ]?"
        rf"(?P<inner_sign>[-−])?(?P<amount>{AMOUNT})(?:[ ]?[-–—][ ]?(?:\$|£|€)?(?P<high>{AMOUNT}))?{MAGNITUDE}(?![\d])",
        _money,
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})[ ]?(?P<currency>{any_of(CURRENCIES)})(?![\w$])",
        _money_behind,
    ),
    rule(r"(?<![\w.])(?P<feet>\d{1,2})[′'](?:[ ]?(?P<inches>\d{1,2})[″\"”])(?!\w)", _feet_and_inches),
    rule(rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})(?P<letter>k|K|M|B|bn|mn)(?![\w/])", _large),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{AMOUNT})[ -]?in(?:\.(?=[ ]?[a-z,;:)]|[ ]*$)|(?=[,;:)]|[ ]*$))",
        _inches,
    ),
    rule(
        rf"{BEFORE_AMOUNT}(?P<amount>{SIGN}(?:{AMOUNT}))(?:[ ]?[-–—][ ]?(?P<high>{AMOUNT}))?[ -]?"
        rf"(?P<unit>{UNIT})(?P<power>{POWER})?(?:/(?P<per>{UNIT})(?P<per_power>{POWER})?)?(?![\w°²³^])",
        _measure,
    ),
)
