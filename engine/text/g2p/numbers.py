"""Converts digits to English number words."""

from __future__ import annotations

import re

from engine.text.g2p.draft import any_of, rule
from engine.text.g2p.overrides import CAPITAL
from engine.text.languages import Language
from engine.text.roman_numerals import value_of

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = "thousand million billion trillion quadrillion quintillion sextillion septillion"
ONES = _ONES.split()
TENS = ["", "", *_TENS.split()]
SCALES = ["", *_SCALES.split()]
MAX_CARDINAL_DIGITS = 3 * len(SCALES)
"""The most digits of a number; longer ones are read digit by digit."""
MAX_UNGROUPED_DIGITS = 9
"""The most digits without separators; longer numbers (accounts, cards, telephones) are read digit by digit."""
IRREGULAR_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
RAISED_DIGITS = "⁰¹²³⁴-⁹"
"""The superscripts, for a set of characters in a pattern."""
YEARS = range(1100, 2100)
"""Four-digit numbers that may be read as a year."""


def spelled(digits: str) -> str:
    """Read digit by digit; other characters are skipped."""
    return " ".join(ONES[int(digit)] for digit in digits if digit in "0123456789")


def cardinal(digits: str, british: bool) -> str:
    """Return `1234` as words, with a British “and” before the last two digits; leading zeros are spoken."""
    if len(digits) > MAX_CARDINAL_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return spelled(digits)
    padded = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [int(padded[at : at + 3]) for at in range(0, len(padded), 3)]
    words = [
        f"{_below_thousand(group, british)} {SCALES[scale]}".strip()
        for scale, group in zip(range(len(groups) - 1, -1, -1), groups, strict=True)
        if group
    ]
    if british and len(words) > 1 and 0 < groups[-1] < 100:
        words.insert(-1, "and")
    return " ".join(words) or ONES[0]


def _below_thousand(number: int, british: bool) -> str:
    hundreds, rest = divmod(number, 100)
    words = [f"{ONES[hundreds]} hundred"] if hundreds else []
    if rest:
        words += ["and"] if hundreds and british else []
        words.append(below_hundred(rest))
    return " ".join(words)


def below_hundred(number: int) -> str:
    """Return a number from 0 to 99 as words."""
    if number < len(ONES):
        return ONES[number]
    tens, ones = divmod(number, 10)
    return f"{TENS[tens]} {ONES[ones]}" if ones else TENS[tens]


def ordinal(digits: str, british: bool) -> str:
    """Return `21` as “twenty first”."""
    words = cardinal(digits.lstrip("0") or "0", british)
    head, space, last = words.rpartition(" ")
    if last in IRREGULAR_ORDINALS:
        last = IRREGULAR_ORDINALS[last]
    else:
        last = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{head}{space}{last}"


def year(digits: str, british: bool) -> str:
    """Return four digits as a year: “nineteen oh five”, “two thousand five”, “twenty twenty four”."""
    century, rest = int(digits[:2]), int(digits[2:])
    if century % 10 == 0 and rest < 10:
        return cardinal(digits, british)
    if rest == 0:
        return f"{below_hundred(century)} hundred"
    return f"{below_hundred(century)} {'oh ' if rest < 10 else ''}{below_hundred(rest)}"


def decade(digits: str) -> str:
    """Return `1990` as “nineteen nineties”, `90` as “nineties”."""
    century, rest = digits[:-2], int(digits[-2:])
    tens = f"{below_hundred(rest)[:-1]}ies" if rest >= 20 else f"{below_hundred(rest)}s"
    if not century:
        return tens
    if rest == 0:
        return "two thousands" if century == "20" else f"{below_hundred(int(century))} hundreds"
    return f"{below_hundred(int(century))} {tens}"


def plural(digits: str, british: bool) -> str:
    """Return several of a number: `737` as “seven thirty sevens”, `6` as “sixes”, `100` as “hundreds”."""
    words = pairs(digits) if len(digits) == 3 or digits[-2:] != "00" else cardinal(digits, british)
    words = words.removeprefix("one ") if digits.rstrip("0") == "1" else words
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}{'es' if words.endswith('x') else 's'}"


def pairs(digits: str) -> str:
    """Return the digits of a name like `A380`, `747` or `2030`, in pairs: “three eighty”, “twenty thirty”."""
    if len(digits) <= 2 and digits[0] != "0":
        return below_hundred(int(digits))
    if len(digits) not in (3, 4) or digits[0] == "0":
        return spelled(digits)
    head, tail = digits[:-2], int(digits[-2:])
    if tail == 0:
        return f"{below_hundred(int(head))} hundred" if head != "20" else "two thousand"
    return f"{below_hundred(int(head))} {'oh ' if tail < 10 else ''}{below_hundred(tail)}"


def number(written: str, british: bool) -> str:
    """Return a number with thousands separators, a decimal point and a sign, such as `-1,234.50` or `.5`, as words."""
    sign = "minus " if written[:1] in ("-", "−") else ""
    whole, point, fraction = written.lstrip("+-−").partition(".")
    grouped = "," in whole
    whole = whole.replace(",", "")
    long = len(whole) > MAX_UNGROUPED_DIGITS and not grouped
    words = [] if not whole else [spelled(whole) if long else cardinal(whole, british)]
    if point and fraction:
        words += ["point", spelled(fraction)]
    return sign + " ".join(words)


def is_one(written: str) -> bool:
    """Return whether a noun after the number is singular."""
    return written.lstrip("+-−") == "1"


def fraction(numerator: str, denominator: str, british: bool) -> str:
    """Return “one half”, “three quarters”, “two thirds”; “seven over forty-two” for an unusual fraction."""
    above, below = int(numerator), int(denominator)
    if not 0 < above < below <= 20 and below != 100:
        return f"{cardinal(numerator, british)} over {cardinal(denominator, british)}"
    special = {2: ("half", "halves"), 4: ("quarter", "quarters")}
    part = ordinal(denominator, british)
    one, many = special.get(below, (part, f"{part}s"))
    return f"{cardinal(numerator, british)} {one if above == 1 else many}"


def mixed(whole: str, numerator: str, denominator: str, british: bool) -> str:
    """Return “two and a half”, “five and an eighth”, “three and two thirds”."""
    part = fraction(numerator, denominator, british)
    if part.startswith("one "):
        part = with_article(part[4:])
    return f"{number(whole, british)} and {part}"


def with_article(noun: str) -> str:
    """Return a noun with its article: “a half”, “an eighth”, “an hour”."""
    return f"a{'n' if noun.startswith((*'aeiou', 'hour')) else ''} {noun}"


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
"""Nouns that are numbered up to a hundred or more in books."""
NUMBERED = f"(?:{any_of((*_NUMBERED.split(), *_COUNTED.split(), 'Final Fantasy'))})s?".replace(r"\ ", "[ ]")
PAGED = "(?:[Pp]age|[Cc]hapter|[Vv]olume|[Bb]ook|[Cc]anto|[Vv]erse|[Ll]ine|[Pp]salm)s?"
"""Nouns that a single lowercase letter may number."""
NO_HEADING = (
    "Am|An|And|As|At|Because|But|By|Can|Could|Did|Do|Either|Even|Had|Have|Her|Here|His|How|If|In|Like|May|Might|Must|My"
    "|Neither|No|Nor|Not|Oh|On|Only|Or|Our|Perhaps|Said|Shall|Should|Since|So|Some|Than|That|The|Their|Then|There|This"
    "|Though|Was|Well|Were|What|When|While|Who|Why|Will|Would|Yes|Your"
)
"""Words at the beginning of a line that take no number."""
NO_NUMERALS = frozenset(("MIX", "DIX", "CIV", "MIL"))


def is_numeral(letters: str) -> bool:
    """Return whether capitals are a Roman numeral; many are also words or acronyms."""
    return NUMERAL.fullmatch(letters) is not None


def _pronoun(match: re.Match[str]) -> bool:
    """Return whether a single “I” is the pronoun: “in part I think”, “James I know”."""
    after = LITTLE_WORD.match(match.string, match.end())
    return match["romans"] in ("I", "i") and after is not None and after[1] not in AFTER_NUMERALS


def _counted(match: re.Match[str], language: Language) -> str:
    """Return one or more numerals as words, as in “IV and V” or “xii–xv”."""
    words = NUMERALS.sub(lambda numeral: cardinal(str(value_of(numeral[0])), language.british), match["romans"])
    return RANGE.sub(" to ", words)


def _monarch(match: re.Match[str], language: Language) -> str | None:
    if _pronoun(match) or _is_initial(match):
        return None
    words = NUMERALS.sub(lambda numeral: f"the {ordinal(str(value_of(numeral[0])), language.british)}", match["romans"])
    return f"{match['name']} {RANGE.sub(' to ', words)}"


def _is_initial(match: re.Match[str]) -> bool:
    """Return whether a numeral is an initial, as in “John L Sullivan” and “George V Higgins” without its dot."""
    last_name = " " not in match["name"] and LAST_NAME.match(match.string, match.end())
    return match["romans"] == "L" or (match["romans"] in ("V", "X") and bool(last_name))


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
ROMAN_TENS = r"(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
NUMERAL = re.compile(rf"(?=[IVXLCDM]){HUNDREDS}{ROMAN_TENS}")
NUMERALS = re.compile(r"\b[IVXLCDM]+\b|\b[ivxlc]+\b")
RANGE = re.compile(r"[ ]?[–—-][ ]?")
END = r"(?![\w])(?!['’](?:m|ll|ve|d)\b|\.\w)"
ROMAN = rf"(?:(?=[IVXL]){ROMAN_TENS}{END}|(?=[IVXLCDM]{{3}}){NUMERAL.pattern}{END})"
"""Single letters I, V, X and L, two letters up to a hundred, which exclude “CD” and “MD”, and longer numerals."""
JOINT = r"(?:,[ ](?:(?:and|or)[ ])?|[ ](?:and|or|to|&)[ ]|[ ]?[–—-][ ]?)"
ROMANS = rf"(?P<romans>{ROMAN}(?:{JOINT}(?!I\b){ROMAN})*)"
SMALL = r"(?=[ivxlc]{2})c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})(?![\w'’]|\.\w)"
"""Two or more lowercase letters: “i” is also a sloppy “I”, and “x” a variable."""
ONE_SMALL = r"[ivx](?![\w'’-]|\.\w)"
SMALLS = rf"(?P<romans>{SMALL}(?:{JOINT}{SMALL})*)"
FEW_SMALLS = rf"(?P<romans>(?:{SMALL}|{ONE_SMALL})(?:{JOINT}(?:{SMALL}|(?!i\b){ONE_SMALL}))*)"
LITTLE_WORD = re.compile(r"[ ]([a-z]+)")
AFTER_NUMERALS = frozenset(("of", "was", "is", "and", "or", "the", "who", "died", "in", "to", "by", "on", "as", "at"))
ALONE = rf"(?:III?|VIII?|IX|XIII?|XIV|XVI{{0,3}}|XIX|XX[IV]{{1,4}}|(?=[IVXL]{{4}}){ROMAN_TENS})"
"""Uppercase numerals that are rarely anything else; “IV” may be a drip, “XI” a name."""
LAST_NAME = re.compile(r"[ ][A-Z][a-z]")
LINE = r"(?<![^\n])"
IN_LINE = rf"(?:(?=[IVXL]{{2}}){ROMAN_TENS}|[IVX](?![.][ ]?[A-Z][.])|(?=[IVXLCDM]{{3}}){NUMERAL.pattern})"
"""The number of a heading; an I before a further initial is an initial."""
HEADING_WORD = rf"(?!(?:{NO_HEADING})\b)(?P<name>[A-Z][A-Za-z'-]+)[ ]"
HEADING_MARK = r"[.:)]|[ ]?[—–]|[ ]-|\n|\Z"
ROMAN_HEADINGS = (
    rule(rf"{LINE}(?P<romans>{IN_LINE})(?=[.:)]?[ ]?(?:\n|\Z)|[.:)][ ]?[“\"'(]?{CAPITAL})", _alone),
    rule(rf"{LINE}(?P<romans>(?=[IVXL]{{2}}){ROMAN_TENS}{END})(?=[ ][“\"'(]?{CAPITAL}|[.]?[ ]?[—–]|[ ]-)", _alone),
    rule(rf"(?<=[.!?][ ])(?P<romans>(?=[IVXL]{{2}}){ROMAN_TENS})(?=[.][ ]?[“\"'(]?{CAPITAL})", _alone),
    rule(r"(?<=[.!?][ ])(?P<romans>[VX])(?=[.][ ](?:The|An?|How|What|Of|In|Which|Where|Who|Why)[ ])", _alone),
    rule(rf"(?<=[;:][ ])(?P<romans>{IN_LINE})(?=[.)],?[ ][a-z])", _alone),
)
"""Numerals at the beginning of a line or an item of a list, which abbreviations would take for initials."""
ROMAN_RULES = (
    rule(rf"\b(?=[A-Z][A-Za-z]*[ ](?:[A-Z][a-z]+[ ])?[IVXLCDM])(?P<name>{MONARCHS})[ ]{ROMANS}", _monarch),
    rule(rf"\b(?=[A-Z][a-z]+[ ][CDM])(?P<name>{COUNTED})[ ](?P<romans>{NUMERAL.pattern}{END})", _numbered),
    rule(rf"\b(?=[A-Za-z]+[ ](?:Fantasy[ ])?[IVXLCDM])(?P<name>{NUMBERED})[ ]{ROMANS}", _numbered),
    rule(rf"\b(?=[A-Za-z]+[ ][ivxlc])(?P<name>{PAGED})[ ]{FEW_SMALLS}", _numbered),
    rule(rf"\b(?=[A-Za-z]+[ ][ivxlc])(?P<name>{NUMBERED})[ ]{SMALLS}", _numbered),
    rule(rf"(?<=[a-z.,][ ])(?P<romans>{SMALL})(?=[.,:][ ]?\d)", _alone),
    rule(rf"(?<!\w\()(?<=\()(?P<romans>(?=[ivx]){SMALL})(?=\))", _alone),
    rule(
        rf"{LINE}{HEADING_WORD}"
        rf"(?P<romans>(?:(?=[IVX]{{2}}|[IVXLC]{{3}}){ROMAN_TENS}|I|V){END})(?={HEADING_MARK})",
        _numbered,
    ),
    rule(rf"(?<!\w){HEADING_WORD}(?P<romans>IV|VI|XI|XV|XX){END}(?!-)", _numbered),
    rule(rf"(?<![\w.'’/&-])(?P<romans>(?=[IVXLCDM]{{4}})(?=[IVXL]*[CDM]){NUMERAL.pattern})(?![\w'’/&-]|\.\w)", _large),
    rule(rf"(?<![\w.'’/&-])(?P<romans>{ALONE})(?![\w'’/&-]|\.\w)", _alone),
)
