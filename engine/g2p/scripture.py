"""Places in the Bible: “John 3:16” is no time of day, and “1 Cor. 13:4–7” is in the first letter to the Corinthians."""

from __future__ import annotations

import re

from engine.g2p.draft import rule
from engine.g2p.numbers import cardinal, ordinal
from engine.languages import Language

_BOOKS = (
    "Genesis Exodus Leviticus Numbers Deuteronomy Joshua Judges Ruth Samuel Kings Chronicles Ezra Nehemiah Esther "
    "Job Psalm Psalms Proverbs Ecclesiastes Isaiah Jeremiah Lamentations Ezekiel Daniel Hosea Joel Amos Obadiah Jonah "
    "Micah Nahum Habakkuk Zephaniah Haggai Zechariah Malachi Matthew Mark Luke John Acts Romans Corinthians Galatians "
    "Ephesians Philippians Colossians Thessalonians Timothy Titus Philemon Hebrews James Peter Jude Revelation "
    "Revelations Songs Solomon Maccabees Sirach Wisdom Tobit Judith Baruch"
)
BOOKS = {name: name for name in _BOOKS.split()} | {
    "Gen": "Genesis", "Ex": "Exodus", "Exod": "Exodus", "Lev": "Leviticus", "Num": "Numbers", "Deut": "Deuteronomy",
    "Josh": "Joshua", "Judg": "Judges", "Sam": "Samuel", "Kgs": "Kings", "Chron": "Chronicles", "Chr": "Chronicles",
    "Neh": "Nehemiah", "Ps": "Psalm", "Pss": "Psalms", "Prov": "Proverbs", "Eccl": "Ecclesiastes",
    "Eccles": "Ecclesiastes", "Isa": "Isaiah", "Is": "Isaiah", "Jer": "Jeremiah", "Lam": "Lamentations",
    "Ezek": "Ezekiel", "Dan": "Daniel", "Hos": "Hosea", "Mic": "Micah", "Hab": "Habakkuk", "Zeph": "Zephaniah",
    "Hag": "Haggai", "Zech": "Zechariah", "Mal": "Malachi", "Matt": "Matthew", "Mt": "Matthew", "Mk": "Mark",
    "Lk": "Luke", "Jn": "John", "Rom": "Romans", "Cor": "Corinthians", "Gal": "Galatians", "Eph": "Ephesians",
    "Phil": "Philippians", "Col": "Colossians", "Thess": "Thessalonians", "Tim": "Timothy", "Tit": "Titus",
    "Philem": "Philemon", "Heb": "Hebrews", "Jas": "James", "Pet": "Peter", "Rev": "Revelation", "Macc": "Maccabees",
}  # fmt: skip
VOLUMES = {"1": 1, "2": 2, "3": 3, "I": 1, "II": 2, "III": 3}
VERSE = r"\d{1,3}"
VERSES = rf"{VERSE}(?:[-–—]{VERSE})?"
PARTS = re.compile(r"(?P<digits>\d+)|[-–—:]|[,;][ ]?")
BETWEEN = {":": " ", ",": ", ", ";": "; "}


def _place(match: re.Match[str], language: Language) -> str | None:
    if match["book"] not in BOOKS:
        return None
    return f"{BOOKS[match['book']]} {cardinal(match['chapter'], language.british)} {_verses(match['verses'], language)}"


def _volume(match: re.Match[str], language: Language) -> str | None:
    if match["book"] not in BOOKS or match.string[match.start() - 1 : match.start()] not in ("", " ", "(", "\n"):
        return None
    return f"{ordinal(str(VOLUMES[match['volume']]), language.british).capitalize()} "


def _verses(written: str, language: Language) -> str:
    """“4–7” is four to seven."""

    def spoken(match: re.Match[str]) -> str:
        digits = match["digits"]
        return cardinal(digits, language.british) if digits else BETWEEN.get(match[0].strip(), " to ")

    return PARTS.sub(spoken, written)


BOOK = r"(?P<book>[A-Z][a-z]+)\.?"
RULES = (
    rule(rf"(?P<volume>[123]|I{{1,3}})[ ](?={BOOK}[ ]\d{{1,3}}:\d)", _volume),
    rule(
        rf"{BOOK}[ ](?P<chapter>\d{{1,3}}):(?P<verses>{VERSES}(?:[,;][ ]?(?:\d{{1,3}}:)?{VERSES}(?![\w:]))*)(?![\w:])",
        _place,
    ),
)
