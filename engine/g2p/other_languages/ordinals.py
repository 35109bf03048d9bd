"""Ordinals that are written with a suffix, behind digits or a Roman numeral: “1er”, “XXe”, “3.ª”, “II°”."""

from __future__ import annotations

import re
from functools import cache, partial

from engine.g2p.draft import Draft
from engine.g2p.other_languages.capitals import in_case_of
from engine.g2p.other_languages.number_words import ordinal
from engine.g2p.other_languages.numbering import LAST_WORD, Numbering, Suffix
from engine.languages import Language
from engine.roman_numerals import parsed

SEEN_BEFORE = 20
NEXT_WORD = re.compile(r"[ ](?P<word>[^\W\d_]+)")


def say_ordinals(draft: Draft, numbering: Numbering) -> None:
    """Put the ordinals into words."""
    draft.rewrite(_pattern(numbering.suffixes), partial(_ordinal, numbering, draft.language), "numerals")


@cache
def _pattern(suffixes: tuple[Suffix, ...]) -> re.Pattern[str]:
    endings = "|".join(f"(?P<s{index}>{each.pattern}(?!\\w){each.needs})" for index, each in enumerate(suffixes))
    return re.compile(rf"(?<![\w.,])(?P<number>\d{{1,4}}|[IVXLCDM]+|[ivxlcdm]{{2,}})(?:{endings})")


def _ordinal(numbering: Numbering, language: Language, match: re.Match[str]) -> str | None:
    written = match["number"]
    index, suffix = next((index, each) for index, each in enumerate(numbering.suffixes) if match[f"s{index}"])
    number = int(written) if written.isdecimal() else _roman_number(written, suffix, numbering, match)
    if not number or (suffix.only and number not in suffix.only):
        return None
    if match[f"s{index}"] == "°" and not _is_place(number, written, numbering, match):
        return None
    if suffix.word:
        return suffix.word + ("e" if suffix.feminine else "") + ("s" if suffix.plural else "")
    words = ordinal(number, language, suffix.feminine, suffix.plural)
    return in_case_of(_neighbour(match), numbering.short.get(words, words) if suffix.short else words)


def _neighbour(match: re.Match[str]) -> str:
    """The word behind the ordinal, else the one before it; none if a stop is between."""
    after = NEXT_WORD.match(match.string, match.end())
    before = LAST_WORD.search(match.string[max(match.start() - SEEN_BEFORE, 0) : match.start()])
    return after["word"] if after else before["word"] if before else ""


def _roman_number(written: str, suffix: Suffix, numbering: Numbering, match: re.Match[str]) -> int | None:
    """The value of Roman letters with this suffix, unless they are a word: “Ce”, “De”, “vie”."""
    if not suffix.roman or written in ("L", "C", "D", "M"):
        return None
    if written.islower() and re.compile(rf"[ \n]{numbering.century}\b").match(match.string, match.end()) is None:
        return None
    return parsed(written.upper())


def _is_place(number: int, written: str, numbering: Numbering, match: re.Match[str]) -> bool:
    """Whether the sign of degrees makes an ordinal here: of a Roman numeral, of one, or behind an article."""
    before = match.string[max(match.start() - SEEN_BEFORE, 0) : match.start()]
    return number == 1 or not written.isdecimal() or numbering.determiner(before) is not None
