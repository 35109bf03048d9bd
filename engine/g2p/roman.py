"""Roman numerals, where a name or a word before them, or their own letters, show that they are numerals."""

from __future__ import annotations

import re
from itertools import pairwise

from engine.g2p.draft import rule
from engine.g2p.numbers import cardinal, ordinal
from engine.languages import Language

ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
"""Larger numbers are rare, and `D` and `M` are more often letters."""
MONARCHS = (
    "Henry|Louis|George|Edward|Charles|James|William|Richard|Elizabeth|Mary|Philip|Peter|Catherine|Nicholas|Alexander"
    "|Frederick|Napoleon|Pope|Paul|Pius|Benedict|Gregory|Leo|Urban|Innocent|Clement|Francis|Ivan|Ferdinand|Ramesses"
    "|Ptolemy|Victoria|Constantine|Darius|Xerxes|Margrethe|Haakon|Gustav|Christian|Leopold|Albert|Baldwin|Robert"
)
NUMBERED = (
    "Chapter|chapter|Part|part|Book|book|Volume|volume|Act|act|Scene|scene|Section|section|Article|article|Phase|phase"
    "|Type|type|Level|level|Class|class|Stage|stage|Grade|grade|War|Bowl|Appendix|Figure|Table|Title|Mark|Step|Rocky"
    "|Rome|Episode|episode|Final[ ]Fantasy|Schedule|Tier|Category|Group|Apollo|Vatican|Saturn"
)


def roman(letters: str) -> int:
    """The value of a Roman numeral."""
    values = [ROMAN_VALUES[letter] for letter in letters.upper()]
    return sum(-now if now < after else now for now, after in pairwise([*values, 0]))


def _pronoun(match: re.Match[str]) -> bool:
    """Whether a single “I” means the speaker: “in part I think”, “James I know”."""
    after = LITTLE_WORD.match(match.string, match.end())
    return match["roman"] == "I" and after is not None and after[1] not in AFTER_NUMERALS


def _monarch(match: re.Match[str], language: Language) -> str | None:
    if _pronoun(match):
        return None
    return f"{match['name']} the {ordinal(str(roman(match['roman'])), language.british)}"


def _numbered(match: re.Match[str], language: Language) -> str | None:
    if match["name"][0].islower() and _pronoun(match):
        return None
    return f"{match['name']} {cardinal(str(roman(match['roman'])), language.british)}"


def _alone(match: re.Match[str], language: Language) -> str:
    return cardinal(str(roman(match["roman"])), language.british)


ROMAN = r"(?P<roman>(?=[IVXL])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?![\w])(?!['’](?:m|ll|ve|d)\b|\.\w)"
LITTLE_WORD = re.compile(r"[ ]([a-z]+)")
AFTER_NUMERALS = frozenset(("of", "was", "is", "and", "or", "the", "who", "died", "in", "to", "by", "on", "as", "at"))
ALONE = r"(?:III?|VIII?|IX|XIII?|XIV|XVI{1,3}|XIX|XX[IV]{1,4})"
"""Uppercase numerals that are hardly ever anything else; “IV” may be a drip, “XI” a name."""
SMALL = r"(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})"
"""Of two letters and more: “i” is also a sloppy “I”, and “x” a variable."""
RULES = (
    rule(rf"\b(?P<name>{MONARCHS})[ ]{ROMAN}", _monarch),
    rule(rf"\b(?P<name>{NUMBERED})[ ]{ROMAN}", _numbered),
    rule(rf"\b(?P<name>{NUMBERED}|[Pp]age)[ ](?P<roman>{SMALL})(?![\w.'’-])", _numbered),
    rule(rf"(?<!\w\()(?<=\()(?P<roman>{SMALL})(?=\))", _alone),
    rule(rf"(?<![\w.'’/&-])(?P<roman>{ALONE})(?![\w'’/&-]|\.\w)", _alone),
)
