"""Abbreviations and initials written out, so that their dots end no sentence."""

from __future__ import annotations

import re

from engine.g2p import dots
from engine.g2p.dots import stop_after
from engine.g2p.draft import any_of, rule
from engine.g2p.numbers import spelled
from engine.languages import Language

TITLES = {
    "Mr": "Mister", "Mrs": "Mrs", "Ms": "Ms", "Dr": "Doctor", "Prof": "Professor", "Rev": "Reverend",
    "Hon": "Honorable", "Gen": "General", "Col": "Colonel", "Maj": "Major", "Capt": "Captain", "Lt": "Lieutenant",
    "Sgt": "Sergeant", "Cpl": "Corporal", "Sen": "Senator", "Rep": "Representative", "Gov": "Governor",
    "Pres": "President", "Fr": "Father", "Mt": "Mount", "Ft": "Fort",
}  # fmt: skip
"""Abbreviations before a name."""
WORDS = {
    "vs": "versus", "etc": "etc", "cf": "compare", "approx": "approximately", "dept": "department",
    "Dept": "Department", "est": "established", "govt": "government", "Inc": "Incorporated", "Ltd": "Limited",
    "Corp": "Corporation", "Co": "Company", "Bros": "Brothers", "Jr": "Junior", "Sr": "Senior", "tel": "telephone",
    "Tel": "Telephone", "ext": "extension", "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Ln": "Lane",
    "Hwy": "Highway", "Univ": "University", "misc": "miscellaneous", "incl": "including", "excl": "excluding",
    "al": "al", "ca": "circa", "viz": "namely", "Esq": "Esquire", "Assn": "Association", "Intl": "International",
}  # fmt: skip
"""Abbreviations with a dot, which may also end a sentence."""
BEFORE_NUMBERS = {
    "no": "number", "No": "Number", "nos": "numbers", "Nos": "Numbers", "p": "page", "pp": "pages", "vol": "volume",
    "Vol": "Volume", "fig": "figure", "Fig": "Figure", "figs": "figures", "Figs": "Figures", "ch": "chapter",
    "Ch": "Chapter", "sec": "section", "Sec": "Section", "eq": "equation", "Eq": "Equation", "ed": "edition",
    "art": "article", "Art": "Article", "pt": "part", "Pt": "Part", "ver": "version", "Rm": "Room", "Apt": "Apartment",
    "Ste": "Suite", "Bldg": "Building",
}  # fmt: skip
LATIN = {
    "e.g": "for example", "i.e": "that is", "a.k.a": "also known as", "w/o": "without", "w/": "with", "b/c": "because",
    "c/o": "care of", "n/a": "not applicable", "N/A": "not applicable",
}  # fmt: skip
STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "D.C", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho",
    "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine",
    "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi", "MO": "Missouri",
    "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico",
    "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon",
    "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee",
    "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia",
    "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
"""American states, before a ZIP code."""


def _title(match: re.Match[str], language: Language) -> str:
    return TITLES[match["title"]]


def _word(match: re.Match[str], language: Language) -> str:
    return (spoken := WORDS[match["word"]]) + stop_after(spoken, match)


def _before_number(match: re.Match[str], language: Language) -> str:
    return f"{BEFORE_NUMBERS[match['word']]} "


def _latin(match: re.Match[str], language: Language) -> str:
    return LATIN[match["latin"]] if match["latin"] in LATIN else LATIN[match["latin"].lower()]


def _saint(match: re.Match[str], language: Language) -> str:
    return "Saint "


def _street(match: re.Match[str], language: Language) -> str:
    return f"{match['name']} Street{stop_after('Street', match) if match['dot'] else ''}"


def _zip_code(match: re.Match[str], language: Language) -> str:
    digits = ", ".join(spelled(group) for group in (match["zip"], match["more"]) if group)
    return f" {STATES[match['state']]}, {digits}"


STREET = (
    r"(?!(?:In|At|On|From|The|To|Near|Of|And|By)[ ])(?P<name>\b[A-Z][a-z]+|\b\d+(?:st|nd|rd|th))[ ]St\b"
    r"(?:(?P<dot>\.)|(?![\w']))"
)
RULES = (
    rule(r"(?<![\w.])(?i:(?P<latin>e\.g|i\.e|a\.k\.a))\.", _latin),
    rule(r"(?<![\w./])(?P<latin>w/o|w/|b/c|c/o|n/a|N/A)(?![\w/])", _latin),
    rule(rf"\b(?P<title>{any_of(TITLES)})\.(?=[ ]?[A-Z])", _title),
    rule(r"\b(?P<title>Mr|Mrs|Dr)(?=[ ][A-Z])", _title),
    rule(STREET, _street),
    rule(r"\bSt\.?[ ](?=[A-Z][a-z])", _saint),
    rule(rf"(?<![\w.])(?P<word>{any_of(WORDS)})\.(?!\w)", _word),
    rule(rf"\b(?P<word>{any_of(BEFORE_NUMBERS)})\.[ ]?(?=\d)", _before_number),
    rule(r"&c\b\.?", lambda match, language: f" et cetera{stop_after('etc', match)}"),
    rule(r"\bvs\b", lambda match, language: "versus"),
    rule(r"\bWW[ ]?(?=(?:II?|[12])\b)", lambda match, language: "World War "),
    rule(rf"(?<=,)[ ](?P<state>{any_of(STATES)})[ ](?P<zip>\d{{5}})(?:-(?P<more>\d{{4}}))?(?![\w-])", _zip_code),
    *dots.RULES,
)
