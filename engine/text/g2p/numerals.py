"""Converts all other digits to words: telephone numbers, versions, fractions, ranges, ordinals, formulas, numbers.

Dates, money and measures have already been written out.
"""

from __future__ import annotations

import re

from engine.text.g2p.draft import rule
from engine.text.g2p.numbers import (
    NUMBERED,
    RAISED_DIGITS,
    YEARS,
    below_hundred,
    cardinal,
    fraction,
    mixed,
    number,
    ordinal,
    pairs,
    plural,
    spelled,
    year,
)
from engine.text.languages import Language

SUPERSCRIPTS = {character: str(digit) for digit, character in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")} | {"⁻": "-", "⁺": ""}
MAX_FRACTION_DIGITS = 4
POWER_NAMES = {"2": "squared", "3": "cubed"}
YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|by|of|from|until|till|before|after|circa|year|early|late|mid|during|around|between|summer|winter"
    r"|spring|autumn|fall|class)|[(]|\b(?:pre|post)-)[ ]?$",
    re.IGNORECASE,
)
EARLY_YEARS = frozenset(str(year) for year in range(1010, 1100))
EARLY_YEAR_BEFORE = re.compile(r"\b(?:in|since|until|till|circa|year|AD|A\.D)[ ]$", re.IGNORECASE)
"""Words before a number that make it a year, although counts of this size are more frequent."""
NUMBERED_THING = re.compile(NUMBERED, re.VERBOSE)
WORD_BEFORE = re.compile(r"(?P<first>(?<![^\n])(?=[A-Z]))?(?<![A-Za-z])(?P<word>[A-Za-z]+)\Z")
MAX_NUMBERED = 20
PLURAL_AFTER = re.compile(r"[ ](?!was|is|has|does|this|as|his|its|us)[a-z]+s\b")


def _code(match: re.Match[str], language: Language) -> str | None:
    """Read “978-3-16-148410-0” digit by digit; groups that are all short are numbers."""
    return _telephone(match, language) if any(len(group) > 3 for group in match[0].split("-")) else None


def _spaced(match: re.Match[str], language: Language) -> str:
    """Read “1 000 000” as one number; other groups of three, as in a telephone number, may be anything."""
    return number(match[0].replace(" ", ","), language.british)


def _telephone(match: re.Match[str], language: Language) -> str:
    groups = re.findall(r"\d+", match[0])
    plus = "plus " if match[0].lstrip().startswith("+") else ""
    return plus + ", ".join(spelled(group) for group in groups)


def _version(match: re.Match[str], language: Language) -> str:
    word = "version " if match["v"] else ""
    return word + " point ".join(cardinal(part, language.british) for part in match["parts"].split("."))


def _fraction(match: re.Match[str], language: Language) -> str | None:
    whole, above, below = match["whole"], match["above"], match["below"]
    if not whole and (above, below) in (("24", "7"), ("9", "11"), ("50", "50"), ("20", "20"), ("4", "4")):
        return f"{pairs(above)} {pairs(below)}"
    if max(len(above), len(below)) > MAX_FRACTION_DIGITS:
        return None
    if not whole and (years := _two_years(above, below, language)):
        return years
    if not whole and above == below:
        return f"{number(above, language.british)} out of {number(below, language.british)}"
    return mixed(whole, above, below, language.british) if whole else fraction(above, below, language.british)


def _two_years(first: str, second: str, language: Language) -> str | None:
    """Read “2019/20” and “2019/2020”, a season."""
    after = str(int(first) + 1)
    if len(first) != 4 or int(first) not in YEARS or len(second) not in (2, 4) or not after.endswith(second):
        return None
    short = len(second) == 2 and second != "00"
    rest = (
        f"{'oh ' if second[0] == '0' else ''}{below_hundred(int(second))}" if short else year(after, language.british)
    )
    return f"{year(first, language.british)} {rest}"


def _difference(match: re.Match[str], language: Language) -> str:
    return f"{number(match['low'], language.british)} minus {number(match['high'], language.british)}"


def _range(match: re.Match[str], language: Language) -> str:
    """Read “3–5” and, as years, “1939–45”, “1066–87”, “2003–04” and “1999–01”."""
    low, high = match["low"], match["high"]
    of_years = len(low) == 4 and len(high) == 2 and (low in EARLY_YEARS or int(low) in YEARS)
    into_next_century = low[2:3] == "9" and high[0] == "0"
    if of_years and (high > low[2:] or into_next_century):
        first = pairs(low) if low in EARLY_YEARS else year(low, language.british)
        return f"{first} to {'oh ' if high[0] == '0' else ''}{below_hundred(int(high))}"
    return f"{_plain(low, language)} to {_plain(high, language)}"


def _plain(written: str, language: Language) -> str:
    may_be_year = len(written) == 4 and written.isascii() and written.isdigit() and int(written) in YEARS
    return year(written, language.british) if may_be_year else number(written, language.british)


def _by(match: re.Match[str], language: Language) -> str:
    """Read “3 × 4” and “3×4=12” as a product, and “1920x1080” as a size."""
    sizes = re.split(r"[ ]?[x×*][ ]?", match[0])
    if " " in match[0] or "*" in match[0] or match.string[match.end() :].lstrip().startswith("="):
        return " times ".join(number(size, language.british) for size in sizes)
    if all(size.isdigit() and 3 <= len(size) <= 4 for size in sizes):
        return " by ".join(pairs(size) for size in sizes)
    return " by ".join(number(size, language.british) for size in sizes)


def _share(match: re.Match[str], language: Language) -> str:
    """Read “4.5/5” as a rating, “1.5/7” as a quotient."""
    between = "out of" if match["whole"] in BEST_RATINGS else "over"
    return f"{number(match['share'], language.british)} {between} {number(match['whole'], language.british)}"


def _scientific(match: re.Match[str], language: Language) -> str:
    exponent = _ordinary(match["exponent"])
    base = number(match["base"], language.british)
    if match["e"]:
        return f"{base} times ten to the {number(exponent, language.british)}"
    return f"{base} {_to_the(match['base'], exponent, language)}"


def _ordinary(exponent: str) -> str:
    return "".join(SUPERSCRIPTS.get(character, character) for character in exponent)


def _power(match: re.Match[str], language: Language) -> str:
    exponent = _ordinary(match["exponent"])
    return f"{match['base']} {POWER_NAMES.get(exponent) or _to_the(match['base'], exponent, language)}"


def _to_the(base: str, exponent: str, language: Language) -> str:
    """Return “to the power of six”; of ten, the usual base, “to the sixth” and “to the minus six”."""
    if exponent.isalpha():
        return f"to the power of {exponent}"
    if base != "10":
        return f"to the power of {number(exponent, language.british)}"
    return f"to the {ordinal(exponent, language.british) if exponent.isdigit() else number(exponent, language.british)}"


def _charge(match: re.Match[str], language: Language) -> str:
    """Return the charge of an ion, as in `Ca²⁺`."""
    digits = _ordinary(match["digits"])
    return f" {number(digits, language.british) if digits else ''} {'plus' if match['sign'] == '⁺' else 'minus'}"


def _bare(match: re.Match[str], language: Language) -> str:
    """Read a standalone number; four digits are a year unless they count something."""
    written = match[0]
    before = match.string[max(0, match.start() - 12) : match.start()]
    if written in EARLY_YEARS and EARLY_YEAR_BEFORE.search(before):
        return pairs(written)
    counts = PLURAL_AFTER.match(match.string, match.end()) and not YEAR_BEFORE.search(before)
    return number(written, language.british) if counts else _plain(written, language)


def _in_name(match: re.Match[str], language: Language) -> str:
    """Read digits next to letters, as in `MP3`, `A380`, `x86`."""
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    return f"{' ' * before.isalpha()}{pairs(match[0])}{' ' * after.isalpha()}"


def _of_heading(match: re.Match[str], language: Language) -> str | None:
    """Read “Chapter 01”, whose zero only keeps files in order."""
    before = WORD_BEFORE.search(match.string, max(0, match.start() - MAX_NUMBERED), match.start())
    if before is None:
        return None
    first = before["first"] is not None and match["zeros"] == "0"
    if not (first or NUMBERED_THING.fullmatch(before["word"])):
        return None
    return f" {cardinal(match['digits'], language.british)}"


BEST_RATINGS = frozenset({"5", "10", "20", "100"})
RAISED_NUMBER = f"[⁺⁻]?[{RAISED_DIGITS}]+"
WHOLE = r"(?>\d{1,3}(?:,\d{3})++(?![\d])|\d++)"
DECIMAL = rf"(?:{WHOLE}(?:\.\d++)?|\.\d++)"
FORMULA = r"[ ](?:squared|cubed|to[ ]the[ ]power)\b|[ ]minus\b|[ ]?[+=]|[ ]?[-−][ ]?\d+\b"
"""Text after an x that makes it a variable."""
TERM = r"(?:(?<=\b[xyzn])|(?<=\d[xyzn])|(?<=[xyzn][²³])|(?<=[xyzn]\^\d))"
"""The place after a variable, as in “3x - 5”."""
APART = r"(?<![\w.,/:-])"
RULES = (
    rule(r"\.(?<=\d\.)(?=[A-Za-z]{2,}\b)(?<![\d.]\.\d\.)", lambda match, language: ". "),
    rule(r"(?<![\w.-])\d{4}(?:[ -]\d{4}){2,3}(?![\w-])", _telephone),
    rule(
        r"(?<![\w.+])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\)[ .-]?|\d{2,4}[ .-])\d{3,4}[ .-]\d{3,4}(?!-|\w|[ ]\d)",
        _telephone,
    ),
    rule(r"(?<![\w.])\+\d(?:[ ().-]{0,2}\d){6,14}(?!\w)", _telephone),
    rule(r"(?<=[a-z])[ ](?P<zeros>0{1,2})(?P<digits>[1-9]\d?)(?![\w/-]|[.,:]\d)", _of_heading),
    rule(r"(?<![\w.-])\d{3}-\d{4}(?![\w-])", _telephone),
    rule(r"(?<![\w.,])\d{1,3}(?:[ ]\d{3})*[ ]000(?![\w.,]\d|\w)", _spaced),
    rule(r"(?<![\w.+])0\d{4}[ ]\d{6}(?![\w-])", _telephone),
    rule(r"(?:(?<=[Cc]all[ ])|(?<=[Dd]ial[ ]))(?:911|999|988|112|411|311)(?![\w:-]|[.,]\d)", _telephone),
    rule(r"(?<![\w.,/-])\d{1,7}(?:-\d{1,7}){2,5}(?![\w/-])", _code),
    rule(
        r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)",
        lambda match, language: " dot ".join(cardinal(part, language.british) for part in match[0].split(".")),
    ),
    rule(r"(?<![\w.])(?P<v>[vV])(?P<parts>\d{1,6}(?:\.\d{1,6})*)(?![\w])", _version),
    rule(r"(?<![\w.,])(?P<v>)(?P<parts>\d{1,6}(?:\.\d{1,6}){2,})(?![\w])", _version),
    rule(rf"{APART}(?P<share>\d+\.\d+)/(?P<whole>\d+(?:\.\d+)?)(?![\w/])", _share),
    rule(
        rf"{APART}(?:(?P<whole>\d+)[ ]{{1,2}})?(?P<above>\d+)[/⁄](?P<below>\d+)(?:(?:nd|rd|th)s?)?(?![\w/])", _fraction
    ),
    rule(
        rf"(?<![\w.,])(?P<base>{DECIMAL})(?P<e>[eE]|[ ]?[×x*•][ ]?10(?:\^|(?=[⁺⁻{RAISED_DIGITS}])))"
        rf"(?P<exponent>[+-]?\d{{1,3}}|{RAISED_NUMBER})(?![\w.])",
        _scientific,
    ),
    rule(rf"(?<![\w.,])(?P<base>{DECIMAL})(?P<e>)\^(?P<exponent>-?\d{{1,3}})(?![\w.])", _scientific),
    rule(rf"{TERM}[ ][–−-][ ](?=\d|[xyzn]\b)", lambda match, language: " minus "),
    rule(rf"(?<=[A-Za-z0-9)])(?P<digits>[{RAISED_DIGITS}]*)(?P<sign>[⁺⁻])(?![⁺⁻{RAISED_DIGITS}])", _charge),
    rule(rf"(?P<base>(?<![\w.,]){DECIMAL}|[A-Za-z0-9)])(?P<exponent>{RAISED_NUMBER})", _power),
    rule(r"(?P<base>[A-Za-z0-9)])\^(?P<exponent>-?\d{1,3}|[A-Za-z])(?![\w.])", _power),
    rule(rf"[⁺⁻{RAISED_DIGITS}]+", lambda match, language: f" {_ordinary(match[0])} "),
    rule(rf"(?<![\w.,]){DECIMAL}(?:[ ]?[x×*][ ]?{DECIMAL})+(?!\w)", _by),
    rule(
        rf"(?<![\w.,])(?P<count>{DECIMAL})[x×](?!\w|{FORMULA})",
        lambda match, language: (
            f"{number(match['count'], language.british)} time{'' if match['count'] == '1' else 's'}"
        ),
    ),
    rule(rf"(?<![\w.,-])(?P<low>{DECIMAL})[ ]?[–−-][ ]?(?P<high>{DECIMAL})(?=[ ]?=)", _difference),
    rule(
        rf"(?<![\w.,-])(?P<low>{DECIMAL})[ ]?[–—-][ ]?(?P<high>{DECIMAL})(?![\w-])(?!,\d)",
        _range,
    ),
    rule(
        r"(?<![\w.:])(?P<low>\d{1,4}):(?P<high>\d{1,4})(?![\w:])",
        lambda match, language: (
            f"{number(match['low'], language.british)} to {number(match['high'], language.british)}"
        ),
    ),
    rule(
        rf"(?<![\w.,])(?P<digits>{WHOLE})(?:st|nd|rd|th|ST|ND|RD|TH)\b",
        lambda match, language: ordinal(match["digits"].replace(",", ""), language.british),
    ),
    rule(
        rf"(?:\#|\b[Nn]o\.[ ]?|№[ ]?)(?P<digits>{DECIMAL})(?!\w)",
        lambda match, language: f"number {number(match['digits'], language.british)}",
    ),
    rule(r"\bCO(?=2\b)", lambda match, language: "C.O "),
    rule(r"(?:(?<=UTC)|(?<=GMT))[-−](?=\d)", lambda match, language: " minus "),
    rule(r"(?<=[A-Z])-(?=\d+\b)", lambda match, language: " "),
    rule(
        r"(?<![\w.,])(?P<decimal>(?:(?<![)])[-−])?\d++\.\d++)(?=[A-Za-z])",
        lambda match, language: f"{number(match['decimal'], language.british)} ",
    ),
    rule(rf"(?<![\w.,])(?:(?<![)])[-−])?{DECIMAL}(?![\w])", _bare),
    rule(
        r"(?:(?<=[A-Za-z])|(?<=[A-Za-z]-))(?P<digits>\d{1,4})s\b",
        lambda match, language: (
            f"{' ' * match.string[match.start() - 1].isalpha()}{plural(match['digits'], language.british)}"
        ),
    ),
    rule(r"(?<=[^\W\d])\d{1,9}|\d{1,9}(?=[^\W\d])", _in_name),
    rule(r"\d+", lambda match, language: f" {spelled(match[0])} "),
)
