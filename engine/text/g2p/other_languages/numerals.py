"""Converts written numbers to words of each language: Roman numerals, ordinals, and quantities with units.

Roman numerals are recognized and inflected in French, Italian, Spanish and Portuguese. Words in capitals are lowercased
in titles and headings, and so are stressed function words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial

from engine.text.g2p.draft import Draft, any_of
from engine.text.g2p.other_languages.numbering import LAST_WORD, Numbering, Suffix, cardinal, counted, ordinal
from engine.text.g2p.other_languages.units import InflectedUnit
from engine.text.g2p.other_languages.writing import Writing
from engine.text.languages import ITALIAN, Language
from engine.text.roman_numerals import parsed

CAPITALS = "[A-ZÀ-ÖØ-ÞŒŸ]+"
RUN = re.compile(rf"(?<!\w){CAPITALS}(?:[ '-]+{CAPITALS})*(?!\w)")
"""A run of words in capitals; espeak-ng spells a short word in capitals among others that are not."""
WORD = re.compile(CAPITALS)
MIN_RUN_LENGTH = 3
LONG_WORD_LETTERS = 4
"""Two words are a title if one of them has at least this many letters."""
SEEN_BEFORE = 60
SEEN_AFTER = 80
"""The numbers of characters around letters that decide whether they are a numeral."""
NUMERAL = re.compile(r"(?<![\w./])(?:[IVXLCDM]+|[ivxlcdm]{2,}|[ivx])(?![\w/'])")
SMALL_LETTERS = frozenset("IVX")
DEFAULT_LETTERS = frozenset("IVXLC")
WORD_AFTER = re.compile(r"[ \n](?:[dl]')?(?P<word>[^\W\d_]+)")
WORD_BEFORE = re.compile(r"(?<!\w)(?P<word>[^\W\d_]+)[ \n-]\Z")
CLOSED = re.compile(r"[ ]?(?:[.,:;!?)”—…\n]|\Z)")
LINE_START = re.compile(r"(?:\A|\n)[ ]*\Z")
LINE_END = re.compile(r"[.):]?[ ]*(?:\n|\Z)|[.:]?[ ]?—|[.):][ ][^\n.!?]*\n")
SURE_LENGTH = 4
"""A numeral of at least this many letters is not also a word."""
MIN_NAME_LENGTH = 3
MIN_CAPITAL_NAME_LENGTH = 4
SEEN_BEFORE_ORDINALS = 20
NEXT_WORD = re.compile(r"[ ](?P<word>[^\W\d_]+)")
AMOUNT = r"\d{1,3}(?:[ ]\d{3}){1,4}(?![\d.])|\d[\d.,]{0,30}(?<![.,])"
WHOLE = re.compile(r"\d{1,3}(?:\.\d{3}){0,4}|\d{1,15}")
CURRENCIES = frozenset(("$", "€", "£", "¥", "₹", "R$"))
WITHOUT_NUMBER = frozenset(
    ("km", "Km", "KM", "kg", "Kg", "KG", "cm", "km²", "km2", "m²", "m2", "cm²", "cm2", "m³", "m3", "cm³", "cm3", "kWh")
)
"""Units that are recognized without a number because they have no other meaning."""
SINGULAR = re.compile(
    r"(?:\b(?:el|al|del|un|por|cada|le|au|du|par|chaque|il|dal|nel|ogni|per|o|ao|do|no|um)|1)[ ]\Z", re.I
)
SEEN_BEFORE_UNITS = 8


def lower_capitals(draft: Draft, writing: Writing, numbering: Numbering) -> None:
    """Capitalize the words of titles, as espeak-ng then reads them as words where it can."""
    draft.rewrite(RUN, partial(_lowered, writing, numbering))


def in_case_of(neighbor: str, words: str) -> str:
    """Return the words in capitals if the neighboring word is, so that a title remains one."""
    return words.upper() if len(neighbor) > 1 and neighbor.isupper() else words


def _lowered(writing: Writing, numbering: Numbering, match: re.Match[str]) -> str | None:
    words = WORD.findall(match[0])
    long = max(map(len, words)) >= LONG_WORD_LETTERS
    if len(words) >= MIN_RUN_LENGTH or (len(words) > 1 and long):
        return WORD.sub(partial(_word, numbering), match[0])
    return match[0].capitalize() if match[0].casefold() in writing.stressed else None


def _word(numbering: Numbering, match: re.Match[str]) -> str:
    """Return a title word with a capital first letter, which marks sentences, except after an apostrophe."""
    letters = match[0]
    if len(letters) > 1 and letters not in numbering.words and parsed(letters) is not None:
        return letters
    return letters.lower() if match.string[match.start() - 1 : match.start()] == "'" else letters.capitalize()


def verbalize_roman_numerals(draft: Draft, numbering: Numbering) -> None:
    """Convert Roman numerals to words if they are recognized as such."""
    draft.rewrite(NUMERAL, partial(_said, numbering, draft.language), "numerals")


def _said(numbering: Numbering, language: Language, match: re.Match[str]) -> str | None:
    number = parsed(match[0].upper())
    if number is None:
        return None
    before = match.string[max(match.start() - SEEN_BEFORE, 0) : match.start()]
    after = match.string[match.end() : match.end() + SEEN_AFTER]
    numeral = _Numeral(match[0], number, numbering.first_of(before), after, numbering, language)
    words = numeral.said()
    return None if words is None else in_case_of(numeral.word_before or numeral.word_after, words)


@dataclass(frozen=True)
class _Numeral:
    """Letters that have the value `number`, with the text around them."""

    written: str
    number: int
    before: str
    after: str
    numbering: Numbering
    language: Language

    def said(self) -> str | None:
        """Return the spoken form; None if this is not a numeral."""
        if self.after.startswith("-") and not NUMERAL.match(self.after, 1):
            return None
        if self.numbering.is_century(self.word_after):
            known = self._is_sure or self.numbering.determiner(self.before)
            return self._ordinal() if known and not self._is_small_letter else None
        if self.numbering.is_month(self.word_after) and self._is_sure:
            return self._up_to(1)
        if self.numbering.is_century(self.word_before):
            return self._up_to(self.numbering.ordinals_to) if self._is_sure or len(self.written) > 1 else None
        if self._is_small_letter:
            return None
        part = self.numbering.part_gender(self.word_before)
        if part is not None:
            return self._up_to(self.numbering.parts_to, part == "f") if self._is_of_part() else None
        if self.written.islower():
            return None
        if self._is_of_name():
            return self._up_to(self.numbering.ordinals_to, self.numbering.is_feminine_name(self.word_before))
        if self.before.endswith("-"):
            return None
        return self._placed() or self._alone()

    def _ordinal(self, feminine: bool = False) -> str:
        return ordinal(self.number, self.language, feminine)

    def _up_to(self, limit: int, feminine: bool = False) -> str:
        """Return an ordinal up to the limit, else a cardinal."""
        return self._ordinal(feminine) if self.number <= limit else cardinal(self.number, self.language)

    def _is_of_part(self) -> bool:
        """Return whether the letters number a part of a book, which the word before them names."""
        if self._is_sure:
            return True
        if self.written.islower():
            return self._is_small and self._is_closed
        if self._is_small:
            return self._stands_free
        return self._is_closed and self.word_before.casefold().startswith(("cap", "chap"))

    def _is_of_name(self) -> bool:
        """Return whether the letters number the person named before them."""
        name = self.word_before
        shortest = MIN_CAPITAL_NAME_LENGTH if name.isupper() else MIN_NAME_LENGTH
        if not self._is_small or not name[:1].isupper() or len(name) < shortest or self.numbering.is_particle(name):
            return False
        if len(self.written) == 1 and (self.numbering.takes_letters(name) or self.numbering.is_title(name)):
            return False
        return self._is_sure or self._stands_free

    def _placed(self) -> str | None:
        """Return an ordinal between an article and its noun; None elsewhere."""
        gender = self.numbering.determiner(self.before)
        numbered = self.word_after
        if gender is None or len(numbered) < MIN_NAME_LENGTH or self.numbering.is_particle(numbered):
            return None
        if not (self._is_sure or self.written == "I") or (len(self.written) == 1 and not self._begins_noun(numbered)):
            return None
        feminine = numbered.casefold().endswith(("a", "ione")) if gender == "elided" else gender == "f"
        words = self._ordinal(feminine)
        return self.numbering.short.get(words, words)

    def _begins_noun(self, word: str) -> bool:
        return self.written == "I" or word[0].isupper()

    def _alone(self) -> str | None:
        """Return a numeral that is a line, begins a heading or is long enough to be nothing else; None elsewhere."""
        begins = LINE_START.search(self.before) is not None
        is_line = begins and LINE_END.match(self.after) is not None
        begins_heading = begins and self._is_common and self.after.startswith((". ", ") ", ": "))
        stands_out = begins_heading or (is_line and (self._is_small or self._is_common))
        known = stands_out or (self._is_sure and len(self.written) > 1)
        return self._up_to(self.numbering.alone_to) if known else None

    @property
    def _is_small_letter(self) -> bool:
        return len(self.written) == 1 and self.written.islower()

    @property
    def _is_small(self) -> bool:
        """True if it consists of the letters of small numbers, as most numerals of names and parts do."""
        return SMALL_LETTERS.issuperset(self.written.upper())

    @property
    def _is_common(self) -> bool:
        """True if it has several letters, of those in chapter numbers."""
        return len(self.written) > 1 and DEFAULT_LETTERS.issuperset(self.written)

    @property
    def _is_sure(self) -> bool:
        """True if the letters are not a word of the language."""
        letters = self.written.upper()
        return (self._is_small or len(letters) >= SURE_LENGTH) and letters not in self.numbering.words

    @property
    def _is_closed(self) -> bool:
        return CLOSED.match(self.after) is not None

    @property
    def _stands_free(self) -> bool:
        """True if the next word shows that an ambiguous word is a numeral."""
        if self._is_closed or self.numbering.is_particle(self.word_after):
            return True
        if self.word_before.isupper():
            return not self.word_after.isupper()
        return not self.word_after[:1].isupper()

    @cached_property
    def word_after(self) -> str:
        """The next word; empty if punctuation precedes it."""
        found = WORD_AFTER.match(self.after)
        return found["word"] if found else ""

    @cached_property
    def word_before(self) -> str:
        """The last word; empty if punctuation follows it."""
        found = WORD_BEFORE.search(self.before)
        return found["word"] if found else ""


def verbalize_ordinals(draft: Draft, numbering: Numbering) -> None:
    """Convert ordinals to words."""
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
    return in_case_of(_neighbor(match), numbering.short.get(words, words) if suffix.short else words)


def _neighbor(match: re.Match[str]) -> str:
    """Return the word after the ordinal, else the one before it; empty if punctuation intervenes."""
    after = NEXT_WORD.match(match.string, match.end())
    before = LAST_WORD.search(match.string[max(match.start() - SEEN_BEFORE_ORDINALS, 0) : match.start()])
    return after["word"] if after else before["word"] if before else ""


def _roman_number(written: str, suffix: Suffix, numbering: Numbering, match: re.Match[str]) -> int | None:
    """Return the value of Roman letters with this suffix, unless they are a word: “Ce”, “De”, “vie”."""
    if not suffix.roman or written in ("L", "C", "D", "M"):
        return None
    if written.islower() and re.compile(rf"[ \n]{numbering.century}\b").match(match.string, match.end()) is None:
        return None
    return parsed(written.upper())


def _is_place(number: int, written: str, numbering: Numbering, match: re.Match[str]) -> bool:
    """Return whether a degree sign makes an ordinal here: of a Roman numeral, of one, or after an article."""
    before = match.string[max(match.start() - SEEN_BEFORE_ORDINALS, 0) : match.start()]
    return number == 1 or not written.isdecimal() or numbering.determiner(before) is not None


def verbalize_quantities(draft: Draft, writing: Writing) -> None:
    """Convert minus signs, and signs and abbreviations next to numbers, to words."""
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


def _agreeing(amount: str, unit: InflectedUnit, language: Language) -> str:
    """Return the number in words if it agrees with the gender of the unit, else in digits."""
    if not unit.is_noun or WHOLE.fullmatch(amount) is None:
        return amount
    number = int(amount.replace(".", ""))
    words = counted(number, language, unit.feminine)
    return amount if words == cardinal(number, language) else words


def _unit_alone(units: Mapping[str, InflectedUnit], match: re.Match[str]) -> str:
    unit = units[match["unit"]]
    before = match.string[max(match.start() - SEEN_BEFORE_UNITS, 0) : match.start()]
    name = unit.one if match["number"] or SINGULAR.search(before) else unit.many
    per = f" {units[match['per']].per}" if match["per"] else ""
    return f"{name}{per}{match['number'] or ''}"
