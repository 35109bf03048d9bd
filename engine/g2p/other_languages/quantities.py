"""Numbers with units, currencies and minus signs as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial

from engine.g2p.draft import Draft, any_of
from engine.g2p.other_languages.number_words import cardinal, counted
from engine.g2p.other_languages.units import Unit
from engine.g2p.other_languages.writing import Writing
from engine.languages import ITALIAN, Language

AMOUNT = r"\d{1,3}(?:[ ]\d{3}){1,4}(?![\d.])|\d[\d.,]{0,30}(?<![.,])"
WHOLE = re.compile(r"\d{1,3}(?:\.\d{3}){0,4}|\d{1,15}")
CURRENCIES = frozenset(("$", "€", "£", "¥", "₹", "R$"))
WITHOUT_NUMBER = frozenset(
    ("km", "Km", "KM", "kg", "Kg", "KG", "cm", "km²", "km2", "m²", "m2", "cm²", "cm2", "m³", "m3", "cm³", "cm3", "kWh")
)
"""Units that are words without a number, too, because they are nothing else."""
SINGULAR = re.compile(
    r"(?:\b(?:el|al|del|un|por|cada|le|au|du|par|chaque|il|dal|nel|ogni|per|o|ao|do|no|um)|1)[ ]\Z", re.I
)
SEEN_BEFORE = 8


def say_quantities(draft: Draft, writing: Writing) -> None:
    """Put minus signs, and signs and abbreviations next to numbers, into words."""
    gap = " " if writing.spaced else ""
    draft.rewrite(re.compile(r"(?<![\w.,)-])-(?=\d)"), lambda match: f"{writing.minus}{gap}")
    names = tuple(writing.units)
    speak = partial(_quantity, writing, draft.language)
    draft.rewrite(_sign_first(names, writing.spaced), speak, "quantities")
    draft.rewrite(_number_first(names), speak, "quantities")
    draft.rewrite(_alone(names), partial(_unit_alone, writing.units), "quantities")
    draft.rewrite(_per(names), lambda match: f" {writing.units[match['unit']].per}", "quantities")


@cache
def _sign_first(names: tuple[str, ...], spaced: bool) -> re.Pattern[str]:
    before = r"(?<!\w)" if spaced else ""
    return re.compile(rf"{before}(?P<unit>{any_of(CURRENCIES.intersection(names))})[ ]?(?P<amount>{AMOUNT})(?P<per>)")


@cache
def _number_first(names: tuple[str, ...]) -> re.Pattern[str]:
    unit = any_of(names)
    end = r"(?!\d|(?<=\w)['\w])"
    return re.compile(rf"(?<![\d.,])(?P<amount>{AMOUNT})[ ]?(?P<unit>{unit})(?:[ ]?/[ ]?(?P<per>{unit}))?{end}")


@cache
def _alone(names: tuple[str, ...]) -> re.Pattern[str]:
    found = WITHOUT_NUMBER.intersection(names)
    unit = any_of(found) if found else "(?!)"
    return re.compile(rf"(?<![\w/.'])(?P<unit>{unit})(?:/(?P<per>{any_of(names)}))?(?![\w/'])(?P<number>[ ]\d)?")


@cache
def _per(names: tuple[str, ...]) -> re.Pattern[str]:
    found = (WITHOUT_NUMBER | {"h", "min"}).intersection(names)
    unit = any_of(found) if "h" in found else "(?!)"
    return re.compile(rf"(?<=[^\W\d_]{{2}})/(?P<unit>{unit})(?![\w/'])")


def _quantity(writing: Writing, language: Language, match: re.Match[str]) -> str:
    unit = writing.units[match["unit"]]
    digits = match["amount"].replace(" ", "")
    name = unit.one if re.fullmatch(writing.single, digits) else unit.many
    amount = _agreeing(digits, unit, language)
    per = f" {writing.units[match['per']].per}" if match["per"] else ""
    if language == ITALIAN and amount == "una" and name[0] in "aeiou":
        return f"un'{name}{per}"
    return f"{amount}{' ' if writing.spaced else ''}{name}{per}"


def _agreeing(amount: str, unit: Unit, language: Language) -> str:
    """The number in words if it takes the gender of the unit, else in digits."""
    if not unit.is_noun or WHOLE.fullmatch(amount) is None:
        return amount
    number = int(amount.replace(".", ""))
    words = counted(number, language, unit.feminine)
    return amount if words == cardinal(number, language) else words


def _unit_alone(units: Mapping[str, Unit], match: re.Match[str]) -> str:
    unit = units[match["unit"]]
    before = match.string[max(match.start() - SEEN_BEFORE, 0) : match.start()]
    name = unit.one if match["number"] or SINGULAR.search(before) else unit.many
    per = f" {units[match['per']].per}" if match["per"] else ""
    return f"{name}{per}{match['number'] or ''}"
