"""Converts dates, times of day and Bible references to their spoken form.

“John 3:16” is no time of day, and “1 Cor. 13:4–7” is in the first letter to the Corinthians.
"""

from __future__ import annotations

import re

from engine.text.abbreviated_words import MONTH_NUMBERS, MONTHS, WEEKDAYS
from engine.text.g2p.draft import Rule, any_of, rule
from engine.text.g2p.numbers import below_hundred, cardinal, decade, ordinal, year
from engine.text.languages import Language

MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b"
ANY_MONTH = MONTH.replace("?P<month>", "?:")
ANY_DAY = DAY.replace("?P<day>", "?:")
FIRST_DAY = rf"{DAY.replace('?P<day>', '?P<first>')}(?:[-–—]|[ ][–—][ ])"
"""The first day of several in one month."""
YEAR = r"(?P<year>1[1-9]\d\d|20\d\d)\b"
HALF_DAYS = {"a": "A.M", "p": "P.M"}
"""Spoken half days; the dot makes misaki spell them as one word, while a lone “A” would be the article."""


def _date(language: Language, month: int, day: str, year_digits: str | None) -> str:
    of_year = year(year_digits, language.british) if year_digits else ""
    nth = ordinal(day, language.british)
    if language.day_first:
        return f"the {nth} of {MONTHS[month]} {of_year}".strip()
    return f"{MONTHS[month]} {nth}" + (f", {of_year}" if of_year else "")


def _iso_date(match: re.Match[str], language: Language) -> str | None:
    month, day = int(match["month"]), int(match["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return _date(language, month - 1, match["day"], match["year"]) + " " * (match["time"] is not None)


def _numeric_date(match: re.Match[str], language: Language) -> str | None:
    """Return 3/4/2025 in the order of the language, unless it is a date only in the other order."""
    first, second = int(match["first"]), int(match["second"])
    return _ordered_date(first, second, language.day_first or match["separator"] == ".", match["year"], language)


def _day_and_month(match: re.Match[str], language: Language) -> str | None:
    """Read “on 12/5”, but not “on 9/11”, which has become a name."""
    first, second = int(match["first"]), int(match["second"])
    date = None if (first, second) == (9, 11) else _ordered_date(first, second, language.day_first, None, language)
    return date and match["before"] + date


def _ordered_date(first: int, second: int, day_first: bool, year_digits: str | None, language: Language) -> str | None:
    day, month = (first, second) if day_first else (second, first)
    if month > 12:
        day, month = month, day
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return _date(language, month - 1, str(day), year_digits)


def _named_date(match: re.Match[str], language: Language) -> str:
    return _date(language, MONTH_NUMBERS[match["month"]], match["day"], match["year"])


def _days(match: re.Match[str], language: Language) -> str | None:
    """Read “May 3–5, 2024” and “3–5 May”."""
    if int(match["first"]) >= int(match["day"]):
        return None
    first, whole = ordinal(match["first"], language.british), _named_date(match, language)
    if language.day_first:
        return f"the {first} to {whole}"
    month = MONTHS[MONTH_NUMBERS[match["month"]]]
    return f"{month} {first} to {whole.removeprefix(f'{month} ')}"


def _clock(match: re.Match[str], language: Language) -> str:
    hour, minute, second = int(match["hour"]), int(match["minute"]), match["second"]
    half = f" {HALF_DAYS[match['half'].lower()]}" if match["half"] else ""
    words = f"{below_hundred(hour)}{_minutes(minute, hour, bool(half) or second is not None)}"
    if second is not None:
        count = int(second)
        words += f" and {below_hundred(count)} second{'' if count == 1 else 's'}"
    return words + half + " Z" * (match["zone"] is not None)


def _minutes(minute: int, hour: int, plain: bool) -> str:
    if minute:
        return f" {_two_digits(minute)}"
    if plain:
        return ""
    return " o'clock" if 0 < hour <= 12 else " hundred hours"


def _military(match: re.Match[str], language: Language) -> str | None:
    """Read “at 0830”, “0600 hours” and “by 1730 hrs”, but neither “code 0830” nor “1200 hours”: two signs of three."""
    before, marked = match["before"] or "", match["unit"] or match["zone"]
    if sum(map(bool, (before, marked, match["first"].startswith("0")))) < 2:
        return None
    words = before + _four_digits(match["first"])
    if match["second"] is not None:
        words += f" {match['link'] or 'to'} {_four_digits(match['second'])}"
    return words + " hours" * (match["unit"] is not None) + " Z" * (match["zone"] is not None)


def _four_digits(time: str) -> str:
    hour, minute = int(time[:2]), int(time[2:])
    return f"{_two_digits(hour) if hour else 'zero'} {_two_digits(minute) if minute else 'hundred'}"


def _two_digits(number: int) -> str:
    return f"{'oh ' if number < 10 else ''}{below_hundred(number)}"


def _first_of_range(match: re.Match[str], language: Language) -> str:
    """Return the beginning of “9am–5pm”, “8:00-9:30”, “Mon-Fri” or “Jan–Mar”."""
    return f"{match['first']} to "


def _range_of(names: dict[str, str]) -> Rule:
    """Return a rule for ranges of weekdays or months, which expands both names."""
    name = any_of({*names, *names.values()})

    def speak(match: re.Match[str], language: Language) -> str:
        first, second = (names.get(match[group], match[group]) for group in ("first", "second"))
        return f"{first} to {second}"

    return rule(
        rf"(?<![\w-])(?P<first>{name})\.?[ ]?[-–—][ ]?(?P<second>{name})(?![\w-])(?:\.(?=[ ]?[\da-z,;:)]))?", speak
    )


HALF = r"[ ]?(?P<half>[AaPp])(?:\.[ ]?[Mm](?=\.)|[Mm]\b)"
"""A half day; other rules decide whether the dot after “p.m.” ends a sentence."""
HALF_SIGN = r"(?:[AaPp]\.[ ]?[Mm]\.|[AaPp][Mm]\b)"
BEHIND_DATE = (
    r"(?=[.,;:!?)”\"](?!\d)|[ ]*(?:\n|$)"
    r"|[ ](?:and|or|but|at|in|for|from|to|with|by|the|a|an|he|she|it|we|they|I|you)\b)"
)
"""Text after “on 3/4” that counts nothing, as “cup” would."""
HOUR = r"(?:2[0-3]|[01]?\d)"
MILITARY = r"(?:[01]\d|2[0-3])[0-5]\d"
RULES = (
    rule(
        rf"(?<![\w.,:/-])(?P<before>(?i:at|by|from|until|till|before|after|since|to|between|and)[ ])?"
        rf"(?P<first>{MILITARY})(?:(?:[ ]?[-–—][ ]?|[ ](?P<link>and|to|until|or)[ ])(?P<second>{MILITARY}))?"
        rf"(?!\w*[.,]?\d|[:/-])(?P<unit>[ ]?(?:hours|hrs?|h)\b(?![ ]of\b))?(?P<zone>Z\b)?",
        _military,
    ),
    _range_of(WEEKDAYS),
    _range_of({month: MONTHS[number] for month, number in MONTH_NUMBERS.items()}),
    rule(
        r"(?<![\d/.-])(?P<year>\d{4})(?P<separator>[/-])(?P<month>\d\d)(?P=separator)(?P<day>\d\d)(?![\d/-])(?P<time>T(?=\d\d:))?",
        _iso_date,
    ),
    rule(
        r"(?<![\d/.-])(?P<first>\d{1,2})(?P<separator>[/.-])(?P<second>\d{1,2})(?P=separator)(?P<year>(?:19|20)\d\d)(?![\d/-])",
        _numeric_date,
    ),
    rule(rf"(?P<before>\b[Oo]n[ ])(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}}){BEHIND_DATE}", _day_and_month),
    rule(
        rf"(?<![\w:.,-])(?P<first>{HOUR}(?::[0-5]\d)?(?:[ ]?{HALF_SIGN})?)[ ]?[-–—][ ]?"
        rf"(?={HOUR}(?::[0-5]\d(?![\d:])|(?::[0-5]\d)?[ ]?{HALF_SIGN}))",
        _first_of_range,
    ),
    rule(
        rf"\b(?P<weekday>{any_of(WEEKDAYS)})\b\.?(?=,?[ ](?:(?:{any_of(MONTH_NUMBERS)})|\d))",
        lambda match, language: WEEKDAYS[match["weekday"]],
    ),
    rule(
        rf"\b(?P<name>{any_of({*WEEKDAYS, *MONTH_NUMBERS} - {*MONTHS})})\.(?=[,;)]|[ ][a-z(])",
        lambda match, language: WEEKDAYS.get(match["name"]) or MONTHS[MONTH_NUMBERS[match["name"]]],
    ),
    rule(
        rf"(?<![\w.,-])(?P<first>{ANY_MONTH}[ ](?:{ANY_DAY}(?:,[ ]\d{{4}})?|\d{{4}})"
        rf"|{ANY_DAY}[ ]{ANY_MONTH}(?:[ ]\d{{4}})?)[ ]?[-–—][ ]?(?=(?:{ANY_DAY}[ ])?{ANY_MONTH}(?:[ ]\d|\b))",
        _first_of_range,
    ),
    rule(rf"(?<![\w.,-]){MONTH}[ ]{FIRST_DAY}{DAY}(?![:.]\d|[-/]\d)(?:,?[ ]{YEAR}(?![:.]\d))?", _days),
    rule(rf"(?<![\w.,-]){FIRST_DAY}{DAY}(?:[ ]of)?[ ]{MONTH}(?:,?[ ]{YEAR}(?![:.]\d))?", _days),
    rule(rf"(?<![\w.,-]){MONTH}[ ]{DAY}(?![:.]\d)(?:,?[ ]{YEAR}(?![:.]\d))?", _named_date),
    rule(rf"(?<![\w.,-])(?:[Tt]he[ ])?{DAY}(?:[ ]of)?[ ]{MONTH}(?:,?[ ]{YEAR}(?![:.]\d))?", _named_date),
    rule(
        rf"(?<![\w.,-]){MONTH}[ ]{YEAR}",
        lambda match, language: f"{MONTHS[MONTH_NUMBERS[match['month']]]} {year(match['year'], language.british)}",
    ),
    rule(
        rf"(?<![\d:.])(?P<hour>[01]?\d|2[0-3])(?::|\.(?=[0-5]\d[ ]?[AaPp]\.?[ ]?[Mm]\b))(?P<minute>[0-5]\d)"
        rf"(?::(?P<second>[0-5]\d))?(?![\d:])(?:{HALF}|(?P<zone>Z)\b)?",
        _clock,
    ),
    rule(
        r"(?:(?<=\d0s)|(?<=\dst)|(?<=\dnd)|(?<=\drd)|(?<=\dth))[ ]?[-–—][ ]?(?=['’‘]?\d{1,4}(?:st|nd|rd|th|s)\b)",
        lambda match, language: " to ",
    ),
    rule(
        r"(?<![\w.,#])(?<!\b[Nn]o[ ])(?<!\b[Nn]o\.[ ])(?<!\ds[-–—])['’‘]?(?P<digits>(?:1[1-9]|20)?\d0)['’]?s\b",
        lambda match, language: decade(match["digits"]),
    ),
    rule(
        rf"(?<![\w.:,-])(?P<hour>1[0-2]|[1-9]){HALF}",
        lambda match, language: f"{cardinal(match['hour'], language.british)} {HALF_DAYS[match['half'].lower()]}",
    ),
    rule(
        r"(?<!\w)['’‘]0(?P<year>[1-9])(?![\w'’])",
        lambda match, language: f"oh {cardinal(match['year'], language.british)}",
    ),
)


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
    """Return verses in words: “4–7” becomes “four to seven”."""

    def spoken(match: re.Match[str]) -> str:
        digits = match["digits"]
        return cardinal(digits, language.british) if digits else BETWEEN.get(match[0].strip(), " to ")

    return PARTS.sub(spoken, written)


BOOK = r"(?P<book>[A-Z][a-z]+)\.?"
SCRIPTURE_RULES = (
    rule(rf"(?P<volume>[123]|I{{1,3}})[ ](?={BOOK}[ ]\d{{1,3}}:\d)", _volume),
    rule(
        rf"{BOOK}[ ](?P<chapter>\d{{1,3}}):(?P<verses>{VERSES}(?:[,;][ ]?(?:\d{{1,3}}:)?{VERSES}(?![\w:]))*)(?![\w:])",
        _place,
    ),
)
