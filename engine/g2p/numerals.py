"""Every other use of digits: telephones, versions, fractions, ranges, ordinals, formulas and plain numbers.

Dates, money and measures have been written out before.
"""

from __future__ import annotations

import re

from engine.g2p.draft import rule
from engine.g2p.numbers import (
    YEARS,
    cardinal,
    fraction,
    number,
    ordinal,
    pairs,
    spelled,
    year,
)
from engine.languages import Language

VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
SUPERSCRIPTS = {character: str(digit) for digit, character in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")} | {"⁻": "-", "⁺": ""}
LONGEST_FRACTION_DIGITS = 4
POWER_NAMES = {"2": "squared", "3": "cubed"}
YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|by|of|from|until|till|before|after|circa|year|early|late|mid|during|around|between|summer|winter"
    r"|spring|autumn|fall|class)|[(])[ ]?$",
    re.IGNORECASE,
)
PLURAL_AFTER = re.compile(r"[ ](?!was|is|has|does|this|as|his|its|us)[a-z]+s\b")


def _telephone(match: re.Match[str], language: Language) -> str:
    groups = re.findall(r"\d+", match[0])
    plus = "plus " if match[0].lstrip().startswith("+") else ""
    return plus + ", ".join(spelled(group) for group in groups)


def _version(match: re.Match[str], language: Language) -> str:
    word = "version " if match["v"] else ""
    return word + " point ".join(cardinal(part, language.british) for part in match["parts"].split("."))


def _internet_address(match: re.Match[str], language: Language) -> str:
    return " dot ".join(cardinal(part, language.british) for part in match[0].split("."))


def _fraction(match: re.Match[str], language: Language) -> str | None:
    whole, above, below = match["whole"], match["above"], match["below"]
    if not whole and (above, below) in (("24", "7"), ("9", "11"), ("50", "50")):
        return f"{pairs(above)} {pairs(below)}"
    if max(len(above), len(below)) > LONGEST_FRACTION_DIGITS:
        return None
    words = fraction(above, below, language.british)
    if not whole:
        return words
    article = f"a{'n' if words.startswith('one eigh') else ''} {words[4:]}" if words.startswith("one ") else words
    return f"{number(whole, language.british)} and {article}"


def _range(match: re.Match[str], language: Language) -> str:
    return f"{_plain(match['low'], language)} to {_plain(match['high'], language)}"


def _plain(written: str, language: Language) -> str:
    return year(written, language.british) if _may_be_year(written) else number(written, language.british)


def _may_be_year(written: str) -> bool:
    return len(written) == 4 and written.isascii() and written.isdigit() and int(written) in YEARS


def _ordinal(match: re.Match[str], language: Language) -> str:
    return ordinal(match["digits"].replace(",", ""), language.british)


def _by(match: re.Match[str], language: Language) -> str:
    """“3 × 4” is a product, “1920x1080” a size."""
    sizes = re.split(r"[ ]?[x×*][ ]?", match[0])
    if " " in match[0] or "*" in match[0]:
        return " times ".join(number(size, language.british) for size in sizes)
    if all(size.isdigit() and 3 <= len(size) <= 4 for size in sizes):
        return " by ".join(pairs(size) for size in sizes)
    return " by ".join(number(size, language.british) for size in sizes)


def _ratio(match: re.Match[str], language: Language) -> str:
    return f"{number(match['low'], language.british)} to {number(match['high'], language.british)}"


def _times(match: re.Match[str], language: Language) -> str:
    return f"{number(match['count'], language.british)} time{'' if match['count'] == '1' else 's'}"


def _scientific(match: re.Match[str], language: Language) -> str:
    exponent = number(_ordinary(match["exponent"]), language.british)
    base = number(match["base"], language.british)
    return f"{base} times ten to the {exponent}" if match["e"] else f"{base} to the power of {exponent}"


def _ordinary(exponent: str) -> str:
    return "".join(SUPERSCRIPTS.get(character, character) for character in exponent)


def _power(match: re.Match[str], language: Language) -> str:
    digits = _ordinary(match["exponent"])
    name = POWER_NAMES.get(digits) or f"to the power of {number(digits, language.british)}"
    return f"{match['base']} {name}"


def _number_sign(match: re.Match[str], language: Language) -> str:
    return f"number {number(match['digits'], language.british)}"


def _bare(match: re.Match[str], language: Language) -> str:
    """A number on its own; four digits are a year unless they count something."""
    written = match[0]
    before = match.string[max(0, match.start() - 12) : match.start()]
    counts = PLURAL_AFTER.match(match.string, match.end()) and not YEAR_BEFORE.search(before)
    return number(written, language.british) if counts else _plain(written, language)


def _in_name(match: re.Match[str], language: Language) -> str:
    """Digits next to letters, as in `MP3`, `A380`, `x86`."""
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    return f"{' ' * before.isalpha()}{pairs(match[0])}{' ' * after.isalpha()}"


def _any_digits(match: re.Match[str], language: Language) -> str:
    return f" {spelled(match[0])} "


def _vulgar(match: re.Match[str], language: Language) -> str:
    return f" {VULGAR[match[0]]} "


POWERS = "⁰¹²³⁴-⁹⁻⁺"
WHOLE = r"(?>\d{1,3}(?:,\d{3})++(?![\d])|\d++)"
DECIMAL = rf"(?:{WHOLE}(?:\.\d++)?|\.\d++)"
APART = r"(?<![\w.,/:-])"
RULES = (
    rule("[" + "".join(VULGAR) + "]", _vulgar),
    rule(r"(?<![\w.-])\d{4}(?:[ -]\d{4}){2,3}(?![\w-])", _telephone),
    rule(
        r"(?<![\w.+])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\)[ .-]?|\d{2,4}[ .-])\d{3,4}[ .-]\d{3,4}(?!-|[ ]?\w)", _telephone
    ),
    rule(r"(?<![\w.])\+\d(?:[ ().-]{0,2}\d){6,14}(?!\w)", _telephone),
    rule(r"(?<![\w.-])\d{3}-\d{4}(?![\w-])", _telephone),
    rule(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)", _internet_address),
    rule(r"(?<![\w.])(?P<v>[vV])(?P<parts>\d{1,6}(?:\.\d{1,6})*)(?![\w])", _version),
    rule(r"(?<![\w.,])(?P<v>)(?P<parts>\d{1,6}(?:\.\d{1,6}){2,})(?![\w])", _version),
    rule(rf"{APART}(?:(?P<whole>\d+)[ ]{{1,2}})?(?P<above>\d+)[/⁄](?P<below>\d+)(?![\w/])", _fraction),
    rule(
        rf"(?<![\w.,])(?P<base>{DECIMAL})(?P<e>[eE]|[ ]?[×x*][ ]?10(?:\^|(?=[{POWERS}])))"
        rf"(?P<exponent>[+-]?\d{{1,3}}|[{POWERS}]+)(?![\w.])",
        _scientific,
    ),
    rule(rf"(?<![\w.,])(?P<base>{DECIMAL})(?P<e>)\^(?P<exponent>-?\d{{1,3}})(?![\w.])", _scientific),
    rule(rf"(?P<base>[A-Za-z0-9)])(?P<exponent>[{POWERS}]+)", _power),
    rule(rf"[{POWERS}]+", lambda match, language: f" {_ordinary(match[0])} "),
    rule(rf"(?<![\w.,]){DECIMAL}(?:[ ]?[x×*][ ]?{DECIMAL})+(?!\w)", _by),
    rule(rf"(?<![\w.,])(?P<count>{DECIMAL})[x×](?!\w)", _times),
    rule(rf"(?<![\w.,-])(?P<low>{DECIMAL})[ ]?[–—-][ ]?(?P<high>{DECIMAL})(?![\w-])(?!,\d)", _range),
    rule(r"(?<![\w.:])(?P<low>\d{1,4}):(?P<high>\d{1,4})(?![\w:])", _ratio),
    rule(rf"(?<![\w.,])(?P<digits>{WHOLE})(?:st|nd|rd|th|ST|ND|RD|TH)\b", _ordinal),
    rule(rf"(?:\#|\b[Nn]o\.[ ]?|№[ ]?)(?P<digits>{DECIMAL})(?!\w)", _number_sign),
    rule(r"(?<=[A-Z])-(?=\d+\b)", lambda match, language: " "),
    rule(rf"(?<![\w.,])(?:(?<![)])[-−])?{DECIMAL}(?![\w])", _bare),
    rule(r"(?<=[^\W\d])\d{1,9}|\d{1,9}(?=[^\W\d])", _in_name),
    rule(r"\d+", _any_digits),
)
