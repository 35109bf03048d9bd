"""Recognizes lines with the shape of a chapter heading, and parses their number and title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from engine.text.documents.document import Matter
from engine.text.documents.matter import matter_of_title
from engine.text.roman_numerals import parsed

HEADING_CHARACTERS = 80
_MAX_WORDS_OF_MATTER = 8
_SMALL_WORD = 4
"""The longest words that may begin in lowercase in a title, such as “with”, in letters."""
_LINE_CHARACTERS = 160
"""The longest heading in a list of contents, including dots and a page number."""
_PARTS = (
    r"part|book|volume|vol\.|act|section|partie|livre|tome|acte|parte|libro|acto|atto|livro|teil|buch|band|deel|del"
    r"|część|tom|часть|книга|том"
)
_CHAPTERS = (
    r"chapter|chap\.|canto|letter|stave|adventure|scene|story|tale|episode|lecture|essay|lesson|day|night|sonnet|fable|fit|ch\.?|chapitre|cap[íi]tulo"
    r"|capitolo|kapitel|hoofdstuk|kapitola|rozdział|глава|розділ|κεφάλαιο|bölüm|fejezet|capitolul"
)
_NAMES = (
    r"prologue|epilogue|preface|foreword|introduction|afterword|appendix|interlude|conclusion|prólogo|epílogo"
    r"|prefazione|prologo|epilogo|épilogue|préface|avant-propos|introducción|introdução|vorwort|nachwort|prolog|epilog"
    r"|пролог|эпилог|序章?|序言|前言|楔子|尾声|后记|後記|プロローグ|エピローグ|あとがき"
)
_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth",
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième",
    "première seconde",
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo",
    "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
    "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo",
    "prima seconda terza quarta quinta sesta settima ottava nona decima",
    "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "um dois três quatro cinco seis sete oito nove dez onze doze",
    "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo",
    "primeira segunda terceira quarta quinta sexta sétima oitava nona décima",
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte",
    "erster zweiter dritter vierter fünfter sechster siebter achter neunter zehnter elfter zwölfter",
    "erstes zweites drittes viertes fünftes sechstes siebtes achtes neuntes zehntes elftes zwölftes",
    "первая вторая третья четвёртая пятая шестая седьмая восьмая девятая десятая",
)
ENGLISH_NUMBERS = {word: number for number, word in enumerate(_ONES[0].split(), 1)}
_LAST = "last final dernier dernière último última ultimo ultima letztes letzter последняя"
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_WORDS = {word: number for words in _ONES for number, word in enumerate(words.split(), 1)} | TENS
_COMPOUND = rf"(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(' '.join(_ONES[:2]).split())}))?"
_WORD = rf"{_COMPOUND}|{'|'.join(sorted({*_WORDS, *_LAST.split()}, key=len, reverse=True))}"
_NUMERAL = (
    rf"(?P<number>\d{{1,4}}|[ivxlcdm]+(?=\W|$|i?[eè]re?\b|e\b|er\b)|{_WORD})(?:\.?[ºª°]|[eè]re|er|re|e)?(?![^\W_])"
)
_CJK_DIGITS = {digit: number for number, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000}
_CJK_NUMBER = r"[\d〇零一二两兩三四五六七八九十百千]+"
_DECORATION = "#*~=_-–—•·|[](){}<>§ \t"
_KEYWORD = re.compile(
    rf"(?:(?P<part>{_PARTS})|{_CHAPTERS})\s*(?:(?<=\W)(?:the|no\.?|nr\.?|n[º°]|№)\s*)?(?<=\W){_NUMERAL}(?P<rest>.*)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?:the\s+)?(?P<number>{_WORD}|(?:\d{{1,3}}|[ivxlc]+)(?=\.))\.?\s+(?:(?P<part>{_PARTS})|{_CHAPTERS})\b(?P<rest>.*)",
    re.IGNORECASE,
)
_EASTERN = re.compile(rf"第\s*(?P<number>{_CJK_NUMBER})\s*(?:(?P<part>[部卷篇编編])|[章回节節話话幕集夜])(?P<rest>.*)")
_EASTERN_BEFORE = re.compile(
    rf"(?:(?P<part>[卷篇部])之?\s*|제\s*)(?P<number>{_CJK_NUMBER})(?:\s*[장화편부회])?(?P<rest>(?:[\s、:：].*)?)"
)
_NAMED = re.compile(rf"(?:{_NAMES})(?P<rest>(?:[.:—–-].*)?)", re.IGNORECASE)
_NUMBERED = re.compile(
    rf"(?P<number>\d{{1,3}}|[IVXLC]+|[ivxlc]+(?=\.?$)|(?i:{_WORD})|[一二三四五六七八九十百]+(?=[、.]|$))"
    r"(?P<rest>(?:[.:、]|\s*[-—–]|\s|$).*)"
)
_BEGINNING = re.compile(
    rf"[\d第卷篇部제一二三四五六七八九十百]|(?:the|{_NAMES}|{_PARTS}|{_CHAPTERS}|{_WORD}|[ivxlcdm]+)(?!\w)",
    re.IGNORECASE,
)
"""The beginnings of all headings, for a quick test."""
_SEPARATOR = re.compile(r"\s*(?:[.:：、—–-]+|,(?=\s*[A-ZÀ-Þ]))\s*|\s+|$")
_PAGE = re.compile(r"(?:\s*[.…·]{2,}|\s{2,}|\t)[\s.…·]*(?:\d{1,4}|[ivxlc]+)\s*$")
_NUMBER_ENDS = frozenset("0123456789ivxlc")
_SENTENCE_END = re.compile(r"[.,;:]['\"”’»)]*$")
_SIGNS = re.compile(r"[\W_]+")


class HeadingKind(Enum):
    """The kind of heading that a line names."""

    PART = "a part that may have chapters"
    CHAPTER = "a chapter"
    NUMBER = "only a number, maybe with a title"


@dataclass(frozen=True)
class HeadingLine:
    """A line that may be a heading; `number` is None and `title` empty if it has none."""

    kind: HeadingKind
    number: int | None
    title: str = ""

    @property
    def key(self) -> str:
        """The key shared by lines with the same title, or with the same number if they have no title."""
        return key_of(self.title) or f"{'part ' if self.kind is HeadingKind.PART else ''}{self.number}"


@lru_cache(10_000)
def heading_line(line: str) -> HeadingLine | None:
    """Parse a line as a heading; None if it does not have the shape of one."""
    if len(line.strip()) > _LINE_CHARACTERS:
        return None
    text = without_page(line.strip()).strip(_DECORATION)
    if not text or len(text) > HEADING_CHARACTERS:
        return None
    if text.count(" ") < _MAX_WORDS_OF_MATTER and is_title(text) and matter_of_title(text) is not Matter.TEXT:
        return HeadingLine(HeadingKind.CHAPTER, None, text)
    if _BEGINNING.match(text) is None:
        return None
    if _NAMED.fullmatch(text):
        return HeadingLine(HeadingKind.CHAPTER, None, text)
    found = _KEYWORD.fullmatch(text) or _ORDINAL.fullmatch(text)
    found = found or _EASTERN.fullmatch(text) or _EASTERN_BEFORE.fullmatch(text)
    if found:
        return _heading_line(found, HeadingKind.PART if found["part"] else HeadingKind.CHAPTER)
    found = _NUMBERED.fullmatch(text)
    return _heading_line(found, HeadingKind.NUMBER) if found else None


def is_title(text: str, *, sentences: bool = False) -> bool:
    """Return whether a short text may be a title: in capitals, or not ending like a sentence."""
    if not 0 < len(text) <= HEADING_CHARACTERS or text[0].islower():
        return False
    return text.isupper() or sentences or _SENTENCE_END.search(text) is None or _is_title_case(text)


def stands_out(text: str) -> bool:
    """Return whether a short line is clearly a title: long words capitalized, and no punctuation at its end."""
    if not is_title(text) or not text[0].isalnum():
        return False
    return text.isupper() or (_SENTENCE_END.search(text) is None and _is_title_case(text))


def without_page(line: str) -> str:
    """Return a line without the page number at its end, as in lists of contents."""
    return _PAGE.sub("", line) if has_page(line) else line


def has_page(line: str) -> bool:
    """Return whether a line ends with a page number."""
    ends_in_number = line.rstrip()[-1:] in _NUMBER_ENDS
    return ends_in_number and len(line) <= _LINE_CHARACTERS and _PAGE.search(line) is not None


def key_of(title: str) -> str:
    """Return the casefolded letters and digits of a title."""
    return _SIGNS.sub(" ", title.casefold()).strip()


def _heading_line(found: re.Match[str], kind: HeadingKind) -> HeadingLine | None:
    separator = _SEPARATOR.match(found["rest"])
    if separator is None and found.re not in (_EASTERN, _EASTERN_BEFORE):
        return None
    title = found["rest"][separator.end() if separator else 0 :].strip()
    told = separator is not None and bool(separator[0].strip())
    number = _number(found["number"])
    if number is None or (title and not is_title(title, sentences=told and kind is not HeadingKind.NUMBER)):
        return None
    if kind is HeadingKind.NUMBER and title and not (told or title.isupper()):
        return None
    return HeadingLine(kind, number, title)


def _number(written: str) -> int | None:
    """Return the value of a number in digits, Roman or Chinese numerals, or words; None if invalid."""
    text = written.casefold()
    if text.isdecimal():
        return int(text)
    if text in _WORDS or text in _LAST.split():
        return _WORDS.get(text, 0)
    if text[0] in _CJK_DIGITS or text[0] in _CJK_UNITS:
        return _chinese(text)
    if (value := parsed(text.upper())) is not None:
        return value
    parts = re.split("[- ]", text)
    return sum(_WORDS[part] for part in parts) if all(part in _WORDS for part in parts) else None


def _chinese(text: str) -> int:
    total, digit = 0, 0
    for sign in text:
        if sign in _CJK_UNITS:
            total += (digit or 1) * _CJK_UNITS[sign]
            digit = 0
        else:
            digit = 10 * digit + _CJK_DIGITS.get(sign, 0) if not total else _CJK_DIGITS.get(sign, 0)
    return total + digit


def _is_title_case(text: str) -> bool:
    """Return whether the first, the last and all long words are capitalized."""
    words: list[str] = re.findall(r"[^\W\d_][\w’']*", text)
    telling = [word for number, word in enumerate(words) if number in (0, len(words) - 1) or len(word) > _SMALL_WORD]
    return bool(words) and all(word[0].isupper() for word in telling)
