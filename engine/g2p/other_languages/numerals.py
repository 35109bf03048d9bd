"""Roman numerals of French, Italian, Spanish and Portuguese: whether one stands here, and how it is said here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, partial

from engine.g2p.draft import Draft
from engine.g2p.other_languages.capitals import in_case_of
from engine.g2p.other_languages.number_words import cardinal, ordinal
from engine.g2p.other_languages.numbering import Numbering
from engine.languages import Language
from engine.roman_numerals import parsed

SEEN_BEFORE = 60
SEEN_AFTER = 80
"""So many characters around letters tell whether they are a numeral."""
NUMERAL = re.compile(r"(?<![\w./])(?:[IVXLCDM]+|[ivxlcdm]{2,}|[ivx])(?![\w/'])")
SMALL_LETTERS = frozenset("IVX")
USUAL_LETTERS = frozenset("IVXLC")
WORD_AFTER = re.compile(r"[ \n](?:[dl]')?(?P<word>[^\W\d_]+)")
WORD_BEFORE = re.compile(r"(?<!\w)(?P<word>[^\W\d_]+)[ \n-]\Z")
CLOSED = re.compile(r"[ ]?(?:[.,:;!?)”—…\n]|\Z)")
LINE_START = re.compile(r"(?:\A|\n)[ ]*\Z")
LINE_END = re.compile(r"[.):]?[ ]*(?:\n|\Z)|[.:]?[ ]?—|[.):][ ][^\n.!?]*\n")
SURE_LENGTH = 4
"""So many letters that make a numeral make no word."""
SHORTEST_NAME = 3
SHORTEST_CAPITAL_NAME = 4


def say_roman_numerals(draft: Draft, numbering: Numbering) -> None:
    """Put into words the Roman numerals that are known to be some."""
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
        """What is said; `None` if this is no numeral."""
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
        """An ordinal up to the limit, else a cardinal."""
        return self._ordinal(feminine) if self.number <= limit else cardinal(self.number, self.language)

    def _is_of_part(self) -> bool:
        """Whether the letters number a part of a book, whose name is before them."""
        if self._is_sure:
            return True
        if self.written.islower():
            return self._is_small and self._is_closed
        if self._is_small:
            return self._stands_free
        return self._is_closed and self.word_before.casefold().startswith(("cap", "chap"))

    def _is_of_name(self) -> bool:
        """Whether the letters number somebody of the name before them."""
        name = self.word_before
        shortest = SHORTEST_CAPITAL_NAME if name.isupper() else SHORTEST_NAME
        if not self._is_small or not name[:1].isupper() or len(name) < shortest or self.numbering.is_particle(name):
            return False
        if len(self.written) == 1 and (self.numbering.takes_letters(name) or self.numbering.is_title(name)):
            return False
        return self._is_sure or self._stands_free

    def _placed(self) -> str | None:
        """An ordinal between an article and what it numbers."""
        gender = self.numbering.determiner(self.before)
        numbered = self.word_after
        if gender is None or len(numbered) < SHORTEST_NAME or self.numbering.is_particle(numbered):
            return None
        if not (self._is_sure or self.written == "I") or (len(self.written) == 1 and not self._begins_noun(numbered)):
            return None
        feminine = numbered.casefold().endswith(("a", "ione")) if gender == "elided" else gender == "f"
        words = self._ordinal(feminine)
        return self.numbering.short.get(words, words)

    def _begins_noun(self, word: str) -> bool:
        return self.written == "I" or word[0].isupper()

    def _alone(self) -> str | None:
        """A numeral that is a line, or begins a heading, or is long enough to be nothing else."""
        begins = LINE_START.search(self.before) is not None
        is_line = begins and LINE_END.match(self.after) is not None
        begins_heading = begins and self._is_usual and self.after.startswith((". ", ") ", ": "))
        stands_out = begins_heading or (is_line and (self._is_small or self._is_usual))
        known = stands_out or (self._is_sure and len(self.written) > 1)
        return self._up_to(self.numbering.alone_to) if known else None

    @property
    def _is_small_letter(self) -> bool:
        return len(self.written) == 1 and self.written.islower()

    @property
    def _is_small(self) -> bool:
        """Whether it is made of the letters of small numbers, as those of names and parts mostly are."""
        return SMALL_LETTERS.issuperset(self.written.upper())

    @property
    def _is_usual(self) -> bool:
        """Whether it is several letters of the numbers that chapters have."""
        return len(self.written) > 1 and USUAL_LETTERS.issuperset(self.written)

    @property
    def _is_sure(self) -> bool:
        """Whether the letters are no word of the language."""
        letters = self.written.upper()
        return (self._is_small or len(letters) >= SURE_LENGTH) and letters not in self.numbering.words

    @property
    def _is_closed(self) -> bool:
        return CLOSED.match(self.after) is not None

    @property
    def _stands_free(self) -> bool:
        """Whether the word behind shows that a numeral, which may also be a word, is one."""
        if self._is_closed or self.numbering.is_particle(self.word_after):
            return True
        if self.word_before.isupper():
            return not self.word_after.isupper()
        return not self.word_after[:1].isupper()

    @cached_property
    def word_after(self) -> str:
        """The next word; nothing if a stop is between."""
        found = WORD_AFTER.match(self.after)
        return found["word"] if found else ""

    @cached_property
    def word_before(self) -> str:
        """The last word; nothing if a stop is between."""
        found = WORD_BEFORE.search(self.before)
        return found["word"] if found else ""
