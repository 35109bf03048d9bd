"""Entries of the user's lexicon: a word or a pattern, and its pronunciation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

import regex

from engine.errors import InvalidRequest
from engine.speech import Pronunciation
from engine.text.g2p.overrides import PLACEHOLDERS, to_misaki
from engine.text.g2p.pieces import has_sound
from engine.text.languages import LANGUAGES, Language, language_of

ENGLISH = "en"
"""The tag of entries for American and British English."""
ANY_CASE, EXACT_CASE = "any", "exact"
PARTS_OF_SPEECH = ("noun", "verb", "adjective", "adverb", "name")
MAX_CHARACTERS = {"word": 100, "pattern": 500, "phonemes": 200, "say": 500}
SPOKEN_KINDS = "LNS"
"""The Unicode categories of spoken characters, by first letter: letters, numbers and symbols."""
PLAIN_WORD = re.compile(r"[A-Za-z'’ -]+")
AROUND_PHONEMES = "/[] "
MAX_PATTERN_SIZE = 100_000
"""The most characters that a pattern may stand for; the memory of a compiled one grows with them, to some 50 MB."""
PATTERN_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<times>\d+)(?:,\d*)?\}|.", re.DOTALL)
PHONEMES_HINT = "Use IPA or the symbols that `kokoro-desk plan` shows."
SPACES = re.compile(r"\s+")
CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{PLACEHOLDERS}]")


@dataclass(frozen=True)
class LexiconEntry(Pronunciation):
    """A pronunciation in a lexicon; its part of speech is one of `PARTS_OF_SPEECH`, or empty."""

    @property
    def title(self) -> str:
        """The word or the pattern."""
        return self.word or self.pattern

    @property
    def key(self) -> tuple[str, ...]:
        """The part of the entry that is unique in a lexicon."""
        word = self.word if self.case == EXACT_CASE else self.word.casefold()
        return (word, self.pattern, self.part_of_speech, self.case, self.language)

    @property
    def fields(self) -> dict[str, str]:
        """The fields that differ from the defaults."""
        return {name: value for name, value in vars(self).items() if value != DEFAULTS[name]}

    def applies_to(self, language: Language) -> bool:
        """Return whether the entry is used in a language."""
        return language in self.languages()

    def languages(self) -> tuple[Language, ...]:
        """Return the languages in which the entry is used."""
        return LANGUAGES_OF[self.language]

    def compiled(self) -> regex.Pattern[str]:
        """Return the pattern, compiled. Raises `regex.error`."""
        return _compiled(self.pattern, self.case == EXACT_CASE)


LANGUAGES_OF: Mapping[str, tuple[Language, ...]] = {
    ENGLISH: tuple(language for language in LANGUAGES if language.english),
    **{language.tag: (language,) for language in LANGUAGES},
}
DEFAULTS: Mapping[str, str] = asdict(LexiconEntry())
FIELDS = tuple(field.name for field in fields(LexiconEntry))


@lru_cache(maxsize=512)
def _compiled(pattern: str, exact: bool) -> regex.Pattern[str]:
    if _size(pattern) > MAX_PATTERN_SIZE:
        raise regex.error("it repeats too often")
    return regex.compile(pattern, 0 if exact else regex.IGNORECASE)


def _size(pattern: str) -> int:
    """Return the number of characters, classes and escapes that a pattern stands for with its repetitions unrolled."""
    sizes, last = [0], 0
    for part in PATTERN_PART.finditer(pattern):
        if part[0] == "(":
            sizes.append(0)
        elif part[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif part["times"] is not None:
            times = min(int(part["times"]), MAX_PATTERN_SIZE)
            sizes[-1] += last * max(times - 1, 0)
            last *= max(times, 1)
        else:
            last = 1
            sizes[-1] += last
    return sum(sizes)


def entry_of(values: Any) -> LexiconEntry:
    """Return the entry with these fields, as read from a file. Raises `ValueError` if they are not those of one."""
    if not isinstance(values, dict) or not values.keys() <= DEFAULTS.keys():
        raise ValueError("The fields aren’t those of an entry.")
    if not all(isinstance(value, str) for value in values.values()):
        raise ValueError("A field isn’t text.")
    entry = LexiconEntry(**values)
    known = entry.part_of_speech in ("", *PARTS_OF_SPEECH) and entry.case in (ANY_CASE, EXACT_CASE)
    said = bool(entry.phonemes) != bool(entry.say) if entry.word else not entry.phonemes
    if not (known and said and bool(entry.word) != bool(entry.pattern) and entry.language in LANGUAGES_OF):
        raise ValueError("The entry is incomplete.")
    if entry.pattern:
        try:
            entry.compiled()
        except regex.error as error:
            raise ValueError("The pattern is invalid.") from error
    return entry


def checked(entry: LexiconEntry, symbols: Collection[str]) -> LexiconEntry:
    """Return the entry in the form in which it is saved; `symbols` is the vocabulary of the model.

    Raises `InvalidRequest`, with one sentence about the problem.
    """
    entry = _tidied(entry)
    if bool(entry.word) == bool(entry.pattern):
        raise InvalidRequest("An entry needs a word or a pattern, not both.")
    _check_characters(entry)
    if entry.case not in (ANY_CASE, EXACT_CASE):
        raise InvalidRequest(f"“{entry.case}” isn’t a case.", f"Choose {ANY_CASE} or {EXACT_CASE}.")
    _check_part_of_speech(entry)
    if entry.pattern:
        _check_rule(entry)
    elif bool(entry.phonemes) == bool(entry.say):
        raise InvalidRequest(f"“{entry.word}” needs phonemes or words to say, not both.")
    elif entry.phonemes:
        _check_phonemes(entry, symbols)
    elif not _is_spoken(entry.say):
        raise InvalidRequest(f"“{entry.say}” has nothing to say for “{entry.word}”.")
    if entry.word and not _is_spoken(entry.word):
        raise InvalidRequest(f"“{entry.word}” isn’t a word.")
    return entry


def _tidied(entry: LexiconEntry) -> LexiconEntry:
    """Return the entry with single spaces in its words, and its language's tag in full."""
    tag = entry.language.strip()
    return replace(
        entry,
        word=SPACES.sub(" ", unicodedata.normalize("NFC", entry.word)).strip(),
        phonemes=SPACES.sub(" ", entry.phonemes.strip().strip(AROUND_PHONEMES)),
        say=entry.say if entry.pattern else SPACES.sub(" ", entry.say).strip(),
        part_of_speech=entry.part_of_speech.strip().lower(),
        case=entry.case.strip().lower() or ANY_CASE,
        language=ENGLISH if tag.lower() in ("", ENGLISH) else language_of(tag).tag,
    )


def _check_characters(entry: LexiconEntry) -> None:
    for name, max_length in MAX_CHARACTERS.items():
        text: str = getattr(entry, name)
        if len(text) > max_length:
            raise InvalidRequest(f"The {name} “{text[:20]}…” is longer than {max_length} characters.")
        if CONTROL.search(text):
            raise InvalidRequest(f"The {name} of an entry can’t contain control characters.")


def _check_part_of_speech(entry: LexiconEntry) -> None:
    if not entry.part_of_speech:
        return
    if entry.part_of_speech not in PARTS_OF_SPEECH:
        choices = ", ".join(PARTS_OF_SPEECH)
        raise InvalidRequest(f"“{entry.part_of_speech}” isn’t a part of speech.", f"Choose one of: {choices}.")
    if PLAIN_WORD.fullmatch(entry.word) is None or not all(each.english for each in entry.languages()):
        raise InvalidRequest("Only English words can have a part of speech.")


def _check_rule(entry: LexiconEntry) -> None:
    if entry.phonemes:
        raise InvalidRequest("A pattern can’t have phonemes.", "Give it text to say.")
    try:
        pattern = entry.compiled()
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequest(f"“{entry.pattern}” isn’t a valid regular expression: {error}.") from error
    if pattern.search("") is not None:
        raise InvalidRequest(f"“{entry.pattern}” also matches nothing.", "Use a pattern that needs a character.")
    try:
        regex.sub(f"(?:{entry.pattern})|", entry.say, "")  # a replacement is compiled only where something matches
    except (regex.error, IndexError) as error:
        raise InvalidRequest(f"“{entry.say}” isn’t a valid replacement: {error}.") from error


def _check_phonemes(entry: LexiconEntry, symbols: Collection[str]) -> None:
    for language in entry.languages():
        phonemes = to_misaki(entry.phonemes, language)
        unknown = "”, “".join(dict.fromkeys(each for each in phonemes if each not in symbols))
        if unknown:
            raise InvalidRequest(f"“{unknown}” in “{entry.phonemes}” isn’t in the model’s alphabet.", PHONEMES_HINT)
        if not has_sound(phonemes):
            raise InvalidRequest(f"“{entry.phonemes}” has no sound.", PHONEMES_HINT)


def _is_spoken(text: str) -> bool:
    return any(unicodedata.category(character)[0] in SPOKEN_KINDS for character in text)
