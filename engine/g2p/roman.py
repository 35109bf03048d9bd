"""Roman numerals, where a word before them, their place in a line, or their own letters show that they are numerals."""

from __future__ import annotations

import re

from engine.g2p.draft import any_of, rule
from engine.g2p.numbers import YEARS, cardinal, ordinal, year
from engine.languages import Language
from engine.roman_numerals import value_of

_MONARCHS = (
    "Abdul Adolf Adolphus Adrian Afonso Albert Alexander Alexios Alexius Alfonso Alphonse Amadeus Amenhotep "
    "Anastasius Andrew Andronicus Anne Antiochus Artaxerxes Baldwin Basil Bela Benedict Boleslaus Boleslaw Boniface "
    "Boris Callixtus Cambyses Canute Carlos Casimir Catherine Celestine Charles Childeric Chlothar Christian Claudius "
    "Clement Clovis Cnut Conrad Constantine Constantius Cosimo Cyrus Darius Edward Elizabeth Emmanuel Eric Erik "
    "Eugene Felipe Ferdinand Fernando Francis Franz Frederick Frederik Friedrich George Gregory Gustav Gustavus "
    "Haakon Hadrian Harald Harold Henri Henry Honorius Humbert Innocent Isaac Isabella Ivan James Joan John Joseph "
    "Juan Julius Justin Justinian Kamehameha Karl Ladislaus Leo Leopold Lothair Louis Lucius Ludwig Magnus Manuel "
    "Margaret Margrethe Maria Martin Mary Matthias Maximilian Mehmed Menelik Michael Mithridates Mohammed Murad "
    "Napoleon Nicholas Olaf Olav Oscar Otto Paschal Paul Pedro Pepin Peter Philip Philippe Pius Pope Ptolemy Rameses "
    "Ramesses Ramses Richard Robert Rudolf Rudolph Sancho Sargon Selim Sergius Seti Sigismund Sixtus Stephen Suleiman "
    "Sylvester Theodosius Thutmose Umberto Urban Valdemar Valentinian Victor Victoria Vladimir Waldemar Wenceslas "
    "Wenceslaus Wilhelm William Xerxes"
)
RANKS = "King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Sultan|Prince|Shah|Pharaoh|Duke"
MONARCHS = f"(?:{RANKS})[ ][A-Z][a-z]+|{any_of(_MONARCHS.split())}"
_COUNTED = "Chapter Book Volume Canto Sonnet Psalm Hymn Ode Stave Idyll Eclogue Satire Epistle Adventure Fable"
_NUMBERED = (
    "Part Act Scene Section Article Phase Type Level Class Stage Grade War Bowl Appendix Figure Table Title Mark Step "
    "Rocky Rome Episode Schedule Tier Category Group Apollo Vatican Saturn chapter part book volume act scene section "
    "article phase type level class stage grade episode page canto sonnet psalm plate figure table number verse line "
    "edition Page Number Verse Plate Map Note Lecture Lesson Problem Exercise Theorem Proposition Amendment Division"
)
COUNTED = f"(?:{any_of(_COUNTED.split())})s?"
"""What books have a hundred of."""
NUMBERED = f"(?:{any_of((*_NUMBERED.split(), *_COUNTED.split(), 'Final Fantasy'))})s?".replace(r"\ ", "[ ]")
PAGED = "(?:[Pp]age|[Cc]hapter|[Vv]olume|[Bb]ook|[Cc]anto|[Vv]erse|[Ll]ine|[Pp]salm)s?"
"""What a single small letter may be the number of."""
NO_HEADING = (
    "Am|An|And|As|At|Because|But|By|Can|Could|Did|Do|Either|Even|Had|Have|Her|Here|His|How|If|In|Like|May|Might|Must|My"
    "|Neither|No|Nor|Not|Oh|On|Only|Or|Our|Perhaps|Said|Shall|Should|Since|So|Some|Than|That|The|Their|Then|There|This"
    "|Though|Was|Well|Were|What|When|While|Who|Why|Will|Would|Yes|Your"
)
"""Words at the beginning of a line that no number belongs to."""
NO_NUMERALS = frozenset(("MIX", "DIX", "CIV", "MIL"))


def is_numeral(letters: str) -> bool:
    """Whether capitals make a Roman numeral; many that do are also words or acronyms."""
    return NUMERAL.fullmatch(letters) is not None


def _pronoun(match: re.Match[str]) -> bool:
    """Whether a single “I” means the speaker: “in part I think”, “James I know”."""
    after = LITTLE_WORD.match(match.string, match.end())
    return match["romans"] in ("I", "i") and after is not None and after[1] not in AFTER_NUMERALS


def _counted(match: re.Match[str], language: Language) -> str:
    """One numeral or several, as in “IV and V” or “xii–xv”."""
    words = NUMERALS.sub(lambda numeral: cardinal(str(value_of(numeral[0])), language.british), match["romans"])
    return RANGE.sub(" to ", words)


def _monarch(match: re.Match[str], language: Language) -> str | None:
    if _pronoun(match):
        return None
    words = NUMERALS.sub(lambda numeral: f"the {ordinal(str(value_of(numeral[0])), language.british)}", match["romans"])
    return f"{match['name']} {RANGE.sub(' to ', words)}"


def _numbered(match: re.Match[str], language: Language) -> str | None:
    if match["name"][0].islower() and _pronoun(match):
        return None
    return f"{match['name']} {_counted(match, language)}"


def _alone(match: re.Match[str], language: Language) -> str | None:
    return None if match["romans"] in NO_NUMERALS else _counted(match, language)


def _large(match: re.Match[str], language: Language) -> str:
    value = value_of(match["romans"])
    return year(str(value), language.british) if value in YEARS else cardinal(str(value), language.british)


HUNDREDS = r"M{0,3}(?:CM|CD|DC{0,4}|C{0,3})"
TENS = r"(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
NUMERAL = re.compile(rf"(?=[IVXLCDM]){HUNDREDS}{TENS}")
NUMERALS = re.compile(r"\b[IVXLCDM]+\b|\b[ivxlc]+\b")
RANGE = re.compile(r"[ ]?[–—-][ ]?")
END = r"(?![\w])(?!['’](?:m|ll|ve|d)\b|\.\w)"
ROMAN = rf"(?:(?=[IVXL]){TENS}{END}|(?=[IVXLCDM]{{3}}){NUMERAL.pattern}{END})"
"""Single letters are I, V, X and L; of two letters, those up to a hundred: “CD” and “MD” are none."""
JOINT = r"(?:,[ ](?:(?:and|or)[ ])?|[ ](?:and|or|to|&)[ ]|[ ]?[–—-][ ]?)"
ROMANS = rf"(?P<romans>{ROMAN}(?:{JOINT}(?!I\b){ROMAN})*)"
SMALL = r"(?=[ivxlc]{2})c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})(?![\w'’]|\.\w)"
"""Of two letters and more: “i” is also a sloppy “I”, and “x” a variable."""
ONE_SMALL = r"[ivx](?![\w'’-]|\.\w)"
SMALLS = rf"(?P<romans>{SMALL}(?:{JOINT}{SMALL})*)"
FEW_SMALLS = rf"(?P<romans>(?:{SMALL}|{ONE_SMALL})(?:{JOINT}(?:{SMALL}|(?!i\b){ONE_SMALL}))*)"
LITTLE_WORD = re.compile(r"[ ]([a-z]+)")
AFTER_NUMERALS = frozenset(("of", "was", "is", "and", "or", "the", "who", "died", "in", "to", "by", "on", "as", "at"))
ALONE = rf"(?:III?|VIII?|IX|XIII?|XIV|XVI{{0,3}}|XIX|XX[IV]{{1,4}}|(?=[IVXL]{{4}}){TENS})"
"""Uppercase numerals that are hardly ever anything else; “IV” may be a drip, “XI” a name."""
LINE = r"(?<![^\n])"
IN_LINE = rf"(?:(?=[IVXL]{{2}}){TENS}|[IVX](?![.][ ]?[A-Z][.])|(?=[IVXLCDM]{{3}}){NUMERAL.pattern})"
"""The number of a heading; an I before another initial is an initial."""
HEADING_WORD = rf"(?!(?:{NO_HEADING})\b)(?P<name>[A-Z][A-Za-z'-]+)[ ]"
HEADING_MARK = r"[.:)]|[ ]?[—–]|[ ]-|\n|\Z"
HEADINGS = (
    rule(rf"{LINE}(?P<romans>{IN_LINE})(?=[.:)]?[ ]?(?:\n|\Z)|[.:)][ ]?[“\"'(]?[A-Z])", _alone),
    rule(rf"{LINE}(?P<romans>(?=[IVXL]{{2}}){TENS}{END})(?=[ ][“\"'(]?[A-Z]|[.]?[ ]?[—–]|[ ]-)", _alone),
    rule(rf"(?<=[.!?][ ])(?P<romans>(?=[IVXL]{{2}}){TENS})(?=[.][ ]?[“\"'(]?[A-Z])", _alone),
    rule(r"(?<=[.!?][ ])(?P<romans>[VX])(?=[.][ ](?:The|An?|How|What|Of|In|Which|Where|Who|Why)[ ])", _alone),
    rule(rf"(?<=[;:][ ])(?P<romans>{IN_LINE})(?=[.)],?[ ][a-z])", _alone),
)
"""Numerals that a line or an item of a list begins with; abbreviations would take them for initials."""
RULES = (
    rule(rf"\b(?=[A-Z][A-Za-z]*[ ](?:[A-Z][a-z]+[ ])?[IVXLCDM])(?P<name>{MONARCHS})[ ]{ROMANS}", _monarch),
    rule(rf"\b(?=[A-Z][a-z]+[ ][CDM])(?P<name>{COUNTED})[ ](?P<romans>{NUMERAL.pattern}{END})", _numbered),
    rule(rf"\b(?=[A-Za-z]+[ ](?:Fantasy[ ])?[IVXLCDM])(?P<name>{NUMBERED})[ ]{ROMANS}", _numbered),
    rule(rf"\b(?=[A-Za-z]+[ ][ivxlc])(?P<name>{PAGED})[ ]{FEW_SMALLS}", _numbered),
    rule(rf"\b(?=[A-Za-z]+[ ][ivxlc])(?P<name>{NUMBERED})[ ]{SMALLS}", _numbered),
    rule(rf"(?<=[a-z.,][ ])(?P<romans>{SMALL})(?=[.,:][ ]?\d)", _alone),
    rule(rf"(?<!\w\()(?<=\()(?P<romans>(?=[ivx]){SMALL})(?=\))", _alone),
    rule(
        rf"{LINE}{HEADING_WORD}"
        rf"(?P<romans>(?:(?=[IVX]{{2}}|[IVXLC]{{3}}){TENS}|I|V){END})(?={HEADING_MARK})",
        _numbered,
    ),
    rule(rf"(?<!\w){HEADING_WORD}(?P<romans>IV|VI|XI|XV|XX){END}(?!-)", _numbered),
    rule(rf"(?<![\w.'’/&-])(?P<romans>(?=[IVXLCDM]{{4}})(?=[IVXL]*[CDM]){NUMERAL.pattern})(?![\w'’/&-]|\.\w)", _large),
    rule(rf"(?<![\w.'’/&-])(?P<romans>{ALONE})(?![\w'’/&-]|\.\w)", _alone),
)
