"""Expands abbreviations and initials, so that their dots end no sentence.

It decides whether a dot after letters also ends a sentence: “plan B. John”, but “J. A. Smith”; “5 p.m. He”, “the U.S.
Army”.
"""

from __future__ import annotations

import re

from engine.text.abbreviated_words import (
    BEFORE_NUMBERS,
    FIRM,
    MONTH_NUMBERS,
    NAMES,
    PARTS,
    SENTENCE_STARTERS,
    TITLES,
    WEEKDAYS,
    WORDS,
)
from engine.text.g2p.draft import any_of, rule
from engine.text.g2p.numbers import spelled
from engine.text.g2p.overrides import CAPITAL, NAME_PLACEHOLDER
from engine.text.languages import Language

SENTENCE_AHEAD = rf"(?:[ ][\"'“‘(]*(?:{SENTENCE_STARTERS})\b(?!\.)|[ ]*(?:\n|$))"
ENDS_SENTENCE = re.compile(rf"[”\"'’)]*{SENTENCE_AHEAD}")
AFTER_TIMES = (
    rf"(?:(?:{any_of({*WEEKDAYS, *WEEKDAYS.values(), *MONTH_NUMBERS})})s?"
    r"|[A-Z]{1,3}T|UTC|Eastern|Central|Mountain|Pacific|Atlantic|Greenwich)\b"
)
ENDS_FIRMLY = re.compile(rf"[”\"'’)]*(?:[ ][\"'“‘(]*(?!{AFTER_TIMES}){CAPITAL}|[ ]*(?:\n|$))")
"""The end of a sentence after `FIRM` abbreviations, which precede no names, so that a capital suffices."""
LABELLED = re.compile(
    r"""\b(?:an?|answer|appendix|article|block|box|building|camp|case|category|chapter|choice|class|clause|column
    |company|deck|diagram|division|entrance|example|exhibit|factor|figure|flat|floor|gate|grade|group|hall|hepatitis
    |item|key|letters?|level|line|lot|major|minor|middle|model|note|option|page|part|phase|plan|platform|point|problem
    |product|question|route|row|schedule|seat|section|series|site|stage|step|table|team|terminal|theorem|type|unit
    |variable|version|vitamins?|wing|zone)[ ]\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words before a single letter that is not an initial."""
MAX_LABEL = 12


def stop_after(spoken: str, match: re.Match[str]) -> str:
    """Return a dot if the abbreviation with this spoken form also ends a sentence, else an empty string."""
    ends = ENDS_FIRMLY if spoken.lower() in FIRM else ENDS_SENTENCE
    return "." if ends.match(match.string, match.end()) else ""


def _letters(match: re.Match[str], language: Language) -> str:
    """Return letters with inner dots, which make misaki spell them; they are added to “Ph.D.”, but not to “U.S.”."""
    parts = match["letters"].split(".")
    letters = match["letters"] if all(len(part) == 1 for part in parts) else ".".join("".join(parts).upper())
    return letters + stop_after(letters, match)


def _initials(match: re.Match[str], language: Language) -> str | None:
    """Return the initials of a name; they keep inner dots, as in “U.S”, if one of them could be read as an article."""
    if LABELLED.search(match.string, max(0, match.start() - MAX_LABEL), match.start()):
        return None
    letters = re.findall("[A-Z]", match[0])
    if letters == ["A"]:
        return None  # without its dot it would be the article
    return ".".join(letters) if len(letters) > 1 and "A" in letters else " ".join(letters)


DOTTED_LETTERS = (
    rule(r"(?<![\w.])(?P<letters>(?:[A-Za-z]{1,2}\.){1,6}[A-Z]|(?:[a-z]\.){1,6}[a-z])\.(?![A-Za-z])", _letters),
    rule(
        rf"(?<![\w.'])(?<![AP][ ])[A-HJ-Z]\.(?:[ ][A-HJ-Z]\.)*(?=[ ](?!(?:{SENTENCE_STARTERS})\b){CAPITAL})",
        _initials,
    ),
)


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
STATES_IN_NEWSPAPERS = {
    "Ala": "AL", "Ariz": "AZ", "Ark": "AR", "Calif": "CA", "Cal": "CA", "Colo": "CO", "Conn": "CT", "Del": "DE",
    "Fla": "FL", "Ga": "GA", "Ill": "IL", "Ind": "IN", "Kan": "KS", "Kans": "KS", "Ky": "KY", "La": "LA", "Md": "MD",
    "Mass": "MA", "Mich": "MI", "Minn": "MN", "Miss": "MS", "Mo": "MO", "Mont": "MT", "Neb": "NE", "Nebr": "NE",
    "Nev": "NV", "Okla": "OK", "Ore": "OR", "Oreg": "OR", "Pa": "PA", "Penn": "PA", "Tenn": "TN", "Tex": "TX",
    "Vt": "VT", "Va": "VA", "Wash": "WA", "Wis": "WI", "Wyo": "WY",
}  # fmt: skip
"""Abbreviations of American states after the name of a town."""
NUMBER_AHEAD = (
    r"(?=\d|[A-Z]\d|[(\[]\d{1,3}[a-z]?[)\]]"
    r"|(?=[IVXL]{2}|[IVXLCDM]{3})M{0,3}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b"
    r"|(?=[ivxlc]{2})c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})\b)"
)
"""An Arabic or Roman numeral, also in brackets or after a letter, as in “Eq. (3)” and “Fig. S1”."""
LETTER_AHEAD = r"(?=[ivxIVX]\b(?!['’]|\.\w|(?<=[iI])[ ](?!(?:and|or|of|to)\b)[a-z]))"
"""A Roman numeral of one letter, but not the pronoun “I”."""
BEFORE_OF = {**TITLES, "Sec": "Secretary", "Rep": "Republic"}
"""Abbreviations before “of”: “Sec. of State”, “Gov. of Texas”."""
STREETS = {"St": "Street", "Dr": "Drive", "Pl": "Place", "Ct": "Court", "Sq": "Square", "Pkwy": "Parkway"}
ROADS = {**STREETS, **{short: WORDS[short] for short in ("Ave", "Blvd", "Rd", "Ln", "Hwy")}}
COMPASS_POINTS = {"N": "North", "S": "South", "E": "East", "W": "West"}
PREPOSITIONS = "on|along|down|off|across|up|near|onto|from"
"""Words before the name of a street."""


def _title(match: re.Match[str], language: Language) -> str:
    return TITLES[match["title"]]


def _before_number(match: re.Match[str], language: Language) -> str:
    return f"{BEFORE_NUMBERS[match['word']]} "


def _latin(match: re.Match[str], language: Language) -> str:
    return LATIN[match["latin"]] if match["latin"] in LATIN else LATIN[match["latin"].lower()]


def _street(match: re.Match[str], language: Language) -> str:
    street = STREETS[match["street"]]
    return f"{match['name']} {street}{stop_after(street, match) if match['dot'] else ''}"


def _compass_point(match: re.Match[str], language: Language) -> str:
    point = match["point"]
    return match["before"] + COMPASS_POINTS[point[0]] + "".join(COMPASS_POINTS[each].lower() for each in point[1:])


def _zip_code(match: re.Match[str], language: Language) -> str:
    digits = ", ".join(spelled(group) for group in (match["zip"], match["more"]) if group)
    return f" {STATES[match['state']]}, {digits}"


NAME = rf"(?:[A-Z][a-z]+(?:'s)?|\d+(?:st|nd|rd|th)|{NAME_PLACEHOLDER})"
STARTER = rf"(?:{SENTENCE_STARTERS})\b"
POINT_OF_STREET = (
    rf"(?<!\w)(?P<before>(?i:\d+[A-Z]?|{PREPOSITIONS}|at|of|to|and),?[ ])(?P<point>[NS][EW]?|[EW])\.?"
    rf"(?=(?:[ ]{NAME}){{1,3}}[ ](?:{any_of({*ROADS, *ROADS.values()})})\b)"
)
NUMBERED_STREET = (
    rf"(?P<name>\b\d+[A-Za-z]?,?(?:[ ]{NAME}\.?){{0,2}}[ ]{NAME})[ ](?P<street>{any_of(STREETS)})"
    r"(?:(?P<dot>\.)|(?![\w']))"
)
STREET_AFTER_PREPOSITION = (
    rf"(?<!\w)(?P<name>(?:{PREPOSITIONS})[ ]{NAME})[ ](?P<street>St)(?:(?P<dot>\.)|(?![\w']))(?![ ][A-Z][a-z]+[ ]St\b)"
)
STREET = (
    rf"(?!(?:In|At|On|From|The|To|Near|Of|And|By|When|But|For|With|Ask|Call|Dear)[ ])(?P<name>\b{NAME})[ ]"
    rf"(?P<street>St|Dr)(?:(?P<dot>\.)|(?![\w'.]))(?![ ](?!{STARTER}){CAPITAL})"
)
"""A street; before a name, the abbreviation means saint or doctor: “Port St. Lucie”, “when Tom Dr. Lee met”."""
RULES = (
    rule(r"(?<![\w.])(?i:(?P<latin>e\.g|i\.e|a\.k\.a))\.", _latin),
    rule(r"(?<![\w./])(?P<latin>w/o|w/|b/c|c/o|n/a|N/A)(?![\w/])", _latin),
    rule(POINT_OF_STREET, _compass_point),
    rule(NUMBERED_STREET, _street),
    rule(STREET_AFTER_PREPOSITION, _street),
    rule(STREET, _street),
    rule(rf"\b(?P<title>{any_of(TITLES)})\.(?=[ ]?{CAPITAL}|-{CAPITAL}|[ ]and[ ]{CAPITAL})", _title),
    rule(
        rf"\b(?P<title>{any_of(BEFORE_OF)})\.(?=[ ]of[ ])",
        lambda match, language: BEFORE_OF[match["title"]],
    ),
    rule(rf"\b(?P<title>Mr|Mrs|Dr|Mme|Mlle|Messrs|Rt)(?=[ ]{CAPITAL})", _title),
    rule(rf"\b(?P<name>{any_of(NAMES)})\.(?=[ ]{CAPITAL})", lambda match, language: NAMES[match["name"]]),
    rule(rf"\bSte?\.?[ ](?=[A-Z][a-z]|{NAME_PLACEHOLDER})", lambda match, language: "Saint "),
    rule(
        rf"(?P<before>\b(?:in|of|from|near|to)[ ]|,[ ])Co\.?[ ](?=[A-Z][a-z]|{NAME_PLACEHOLDER})",
        lambda match, language: f"{match['before']}County ",
    ),
    rule(
        rf"(?P<town>\b[A-Z][a-z]+,[ ])(?P<state>{any_of(STATES_IN_NEWSPAPERS)})\.(?=[,;)]|[ ][a-z(])",
        lambda match, language: match["town"] + STATES[STATES_IN_NEWSPAPERS[match["state"]]],
    ),
    rule(
        rf"(?<![\w.])(?P<word>{any_of(WORDS)})\.(?!\w)",
        lambda match, language: (spoken := WORDS[match["word"]]) + stop_after(spoken, match),
    ),
    rule(
        r"(?:(?<=\dst)|(?<=\dnd)|(?<=\drd)|(?<=\dth))[ ]c(?:ent)?\.",
        lambda match, language: " century" + stop_after("century", match),
    ),
    rule(r"(?<![\w.])(?<!\d[ ])c\.[ ]?(?=\d)", lambda match, language: "circa "),
    rule(
        r"(?<=\()(?P<word>b|d|fl|r)\.[ ]?(?=(?:circa[ ])?\d{3,4}\b)",
        lambda match, language: {"b": "born ", "d": "died ", "fl": "flourished ", "r": "reigned "}[match["word"]],
    ),
    rule(rf"\b(?P<word>{any_of(BEFORE_NUMBERS)})\.[ ]?{NUMBER_AHEAD}", _before_number),
    rule(rf"\b(?P<word>{any_of(PARTS)})\.[ ]?{LETTER_AHEAD}", _before_number),
    rule(r"&c\b\.?", lambda match, language: f" et cetera{stop_after('etc', match)}"),
    rule(r"\bvs\b", lambda match, language: "versus"),
    rule(rf"(?P<name>\b[A-Z][\w'’.]*[ ])v\.?(?=[ ]{CAPITAL})", lambda match, language: f"{match['name']}versus"),
    rule(r"\bWW[ ]?(?=(?:II?|[12])\b)", lambda match, language: "World War "),
    rule(rf"(?<=,)[ ](?P<state>{any_of(STATES)})[ ](?P<zip>\d{{5}})(?:-(?P<more>\d{{4}}))?(?![\w-])", _zip_code),
    *DOTTED_LETTERS,
)
