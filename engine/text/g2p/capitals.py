"""Converts words in capitals to lowercase in titles and shouts, but not acronyms.

A run of capitals is classified as a whole: a single word of the lexicon that is no acronym makes all of it words. A
lone word in capitals keeps them, so that misaki stresses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from engine.text.abbreviated_words import BEFORE_NUMBERS, MONTH_NUMBERS, NAMES, TITLES, WEEKDAYS, WORDS
from engine.text.g2p.abbreviations import STATES
from engine.text.g2p.draft import Draft
from engine.text.g2p.numbers import is_numeral

WORD = re.compile(r"(?<![\w&/@#])(?<!\w\.)[A-Z]++(?:'[A-Z]++)*+(?![\w&/@]|\.[A-Za-z])")
RUN = re.compile(rf"{WORD.pattern}(?:[^A-Za-z0-9]*+{WORD.pattern})*+")
"""Words in capitals with only signs between them."""
LETTERS = re.compile("[A-Z]+")
ANY_LETTERS = re.compile("[A-Za-z]+")
SENTENCE_START = re.compile(r"(?:\A|\n|[.!?…])[^\w\n]*\Z")
MAX_SIGNS = 20
"""The most characters before a word among which the end of a sentence is searched."""
_FUNCTION_WORDS = (
    "a about after all am an and are as at be been but by can could did do does for from had has have he her him his "
    "how i if in into is it its me must my no nor not of on or our she should so than that the their them then there "
    "they this thy to up upon us was we were what when where which who why will with would you your"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words of sentences and titles, which are rarely next to acronyms."""
DETERMINERS = frozenset(("THE", "A", "AN", "EVERY", "FORMER", "OUR", "ITS", "THIS", "THAT"))
PRONOUNS = frozenset(("US", "IT", "WHO"))
"""Acronyms after a determiner; US also at the beginning of a sentence."""
_MOSTLY_LETTERS = "ID OS GI ISO LED POW AD ER BA MS SAT DOE LA DA MI PA EST SEC PM"
MOSTLY_LETTERS = frozenset(_MOSTLY_LETTERS.split())
"""Acronyms unless a word in `FUNCTION_WORDS` is near."""
_LETTER_NOUNS = (
    "PLAN VITAMIN GRADE CLASS TYPE GROUP SECTION PART LEVEL SERIES LINE FIGURE TABLE APPENDIX SCHEDULE HEPATITIS"
)
LETTER_NOUNS = frozenset(_LETTER_NOUNS.split())
"""Words after which an A is a letter."""
ABBREVIATIONS = frozenset((*TITLES, *WORDS, *BEFORE_NUMBERS, *NAMES, *MONTH_NUMBERS, *WEEKDAYS, "St"))
WITHOUT_DOT = {"MR": "Mr", "MRS": "Mrs", "MS": "Ms", "DR": "Dr", "ST": "St", "MME": "Mme", "MLLE": "Mlle", "JR": "Jr"}
ONSET = (
    r"(?:[^AEIOUY]|QU|[BCDFGKPST]R|[BCFGPS]L|[CGPRSTW]H|[ST]W|S[CKMNPQT]|S[CPT]R|SPL|SCH|SHR|[CT]HR|PHR|KN|GN|WR|DW|PS)"
)
SAYABLE = re.compile(rf"(?=.{{4}}){ONSET}?(?:[AEIOUY]+[^AEIOUY]{{1,4}})*[AEIOUY]+[^AEIOUY]{{0,3}}")
"""Letters that may be a word, as names are, which no lexicon lists completely."""
MIN_LONE_NAME_LENGTH = 5
"""The minimum length of a lone name in capitals; shorter words are acronyms."""
ZIP_CODE = re.compile(r"[ ]\d{5}\b")
NUMBER_BEHIND = re.compile(r"\.[ ]?(?:\d|[IVXLCDM]+\b)")
TITLE_CASE = re.compile(r"\b[A-Z][a-z]+\b")
OF_FAMILY = re.compile(r"\A(?:O'|D'|MC)(?=[A-Z]{3})")
"""Prefixes of family names."""


class KnownWords(Protocol):
    """The words in capitals that a lexicon knows."""

    def in_small_letters(self, word: str) -> str | None:
        """Return “stop” for `STOP` and “Rome” for `ROME`; None for unknown words, which may be acronyms."""

    def is_acronym(self, word: str) -> bool:
        """Return whether the lexicon lists a word in capitals: `NASA`, `LED`."""

    def may_be_spelled(self, word: str) -> bool:
        """Return whether a word is also an acronym that is spelled: `US`, `LED`."""


def lower_capitals(draft: Draft, known: KnownWords) -> None:
    """Convert the words of titles and shouts to lowercase, without changing their lengths."""
    capitals = _Capitals(draft.text, known)
    changes = dict(change for run in RUN.finditer(draft.text) for change in capitals.changes(run))
    if changes:
        draft.rewrite(LETTERS, lambda match: changes.get(match.start()))


@dataclass(frozen=True)
class _Word:
    """A word in capitals at `start` of the text; `small` is its lowercase form, if known."""

    text: str
    start: int
    small: str | None

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def _name(text: str) -> str:
    """Return “O'Brien” for `O'BRIEN`."""
    family = OF_FAMILY.match(text)
    return family[0].capitalize() + text[family.end() :].capitalize() if family else text.capitalize()


class _Capitals:
    """The capitals of one text."""

    def __init__(self, text: str, known: KnownWords) -> None:
        self._text = text
        self._known = known

    def changes(self, run: re.Match[str]) -> Iterator[tuple[int, str]]:
        """Yield the positions and replacements of the letters to change in a run."""
        words = [self._word(match) for match in WORD.finditer(self._text, *run.span())]
        shouted = len(words) > 1 and (
            any(map(self._is_certain, words)) or self._is_heading(words) or all(map(self._is_name, words))
        )
        spoken = any(word.text.lower() in FUNCTION_WORDS for word in words if word.text not in PRONOUNS)
        for index, word in enumerate(words):
            new = self._lowered(words, index, spoken) if shouted else self._alone(word)
            if new is not None:
                yield from ((word.start + part.start(), part[0]) for part in ANY_LETTERS.finditer(new))

    def _word(self, match: re.Match[str]) -> _Word:
        text = match[0]
        return _Word(text, match.start(), self._known.in_small_letters(text) if len(text) > 1 else None)

    def _is_certain(self, word: _Word) -> bool:
        """Return whether a word is certainly not an acronym."""
        text = word.text
        if word.small is None or is_numeral(text):
            return self._abbreviation(word) in (*TITLES, *NAMES, *BEFORE_NUMBERS, "St")
        return text.lower() in FUNCTION_WORDS - {"us", "who"} or (len(text) > 2 and not self._may_be_spelled(text))

    def _is_heading(self, words: Sequence[_Word]) -> bool:
        """Return whether a line begins with a word and a numeral: `ACT I`."""
        return words[0].small is not None and is_numeral(words[1].text) and self._begins_line(words, 1)

    def _is_name(self, word: _Word) -> bool:
        """Return whether a word is a name rather than an acronym, although the lexicon lacks it."""
        if word.small is not None or self._known.is_acronym(word.text):
            return False
        text = OF_FAMILY.sub("", word.text).partition("'")[0]
        return SAYABLE.fullmatch(text) is not None or (len(text) > 2 and text.capitalize() in self._names)

    def _may_be_spelled(self, text: str) -> bool:
        return text in MOSTLY_LETTERS or self._known.may_be_spelled(text)

    def _alone(self, word: _Word) -> str | None:
        """Return the form of a lone word in capitals if it would wrongly be spelled, else None."""
        abbreviation = self._abbreviation(word)
        if abbreviation in TITLES or abbreviation in BEFORE_NUMBERS:
            return abbreviation
        is_name = len(word.text) >= MIN_LONE_NAME_LENGTH and self._is_name(word)
        return _name(word.text) if is_name else None

    def _lowered(self, words: Sequence[_Word], index: int, spoken: bool) -> str | None:
        """Return the form of a word in a run of words; None if it keeps its capitals."""
        word, before = words[index], words[index - 1].text if index else ""
        if len(word.text) == 1:
            keeps = word.text != "A" or before in LETTER_NOUNS or index + 1 == len(words) or self._begins(word)
            return None if keeps else "a"
        abbreviation = self._abbreviation(word)
        if abbreviation is not None:
            return abbreviation
        if is_numeral(word.text) and (
            word.small is None or not set(word.text) - set("IVX") or self._begins_line(words, index)
        ):
            return None
        if self._stays_acronym(word, before, spoken):
            return None
        small = self._small(word)
        if small is None:
            return None
        follows_title = index > 0 and small not in FUNCTION_WORDS and self._abbreviation(words[index - 1]) in TITLES
        return small[0].upper() + small[1:] if follows_title or self._begins(word, words[index - 1 : index]) else small

    def _stays_acronym(self, word: _Word, before: str, spoken: bool) -> bool:
        text = word.text
        if text in STATES and ZIP_CODE.match(self._text, word.end):
            return True
        determined = before in DETERMINERS or (
            not before and self._text[: word.start].rstrip()[-4:].lower().endswith(" the")
        )
        if text in PRONOUNS:
            return determined or (text == "US" and self._begins(word))
        return text in MOSTLY_LETTERS and (determined or not spoken)

    def _small(self, word: _Word) -> str | None:
        return _name(word.text) if self._is_name(word) else word.small

    def _abbreviation(self, word: _Word) -> str | None:
        """Return “Mr” for `MR`, and “vol” for `VOL` before a dot that cannot be a full stop."""
        if word.text in WITHOUT_DOT:
            return WITHOUT_DOT[word.text]
        if self._text[word.end : word.end + 1] != ".":
            return None
        capital, small = word.text.capitalize(), word.text.lower()
        found = capital if capital in ABBREVIATIONS else small if small in ABBREVIATIONS else None
        numbered = (found in BEFORE_NUMBERS or found in MONTH_NUMBERS) and NUMBER_BEHIND.match(self._text, word.end)
        unknown = word.small is None and len(word.text) > 1  # a letter before a dot is an initial
        return found if numbered or found in TITLES or unknown else None

    def _begins(self, word: _Word, before: Sequence[_Word] = ()) -> bool:
        """Return whether a sentence begins with the word; the dot of an abbreviation before it ends none."""
        if before and self._abbreviation(before[0]) in (*TITLES, *NAMES):
            return False
        return SENTENCE_START.search(self._text[max(0, word.start - MAX_SIGNS) : word.start]) is not None

    def _begins_line(self, words: Sequence[_Word], index: int) -> bool:
        """Return whether a word is the second of a line, where a heading has its number."""
        start = words[index - 1].start if index else words[index].start
        return start == 0 or self._text[start - 1] == "\n"

    @cached_property
    def _names(self) -> frozenset[str]:
        """The capitalized words of the text."""
        return frozenset(TITLE_CASE.findall(self._text))
