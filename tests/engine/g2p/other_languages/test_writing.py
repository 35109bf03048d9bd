"""Every language but English is described, and its abbreviations stand for words in its own letters."""

import unicodedata

import pytest

from engine.g2p.other_languages.writing import writing_of
from engine.languages import LANGUAGES, Language

OTHERS = [language for language in LANGUAGES if not language.english]


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.tag)
def test_words_are_in_the_letters_of_the_language(language: Language) -> None:
    writing = writing_of(language)
    words = [*writing.abbreviations.values(), writing.minus]
    words += [name for unit in writing.units.values() for name in (unit.one, unit.many)]
    letters = {letter for word in words for letter in word if letter.isalpha()}
    assert {unicodedata.name(letter).split(" ")[0] for letter in letters} <= set(writing.scripts)
    assert all(words)


def test_only_japanese_and_mandarin_have_no_spaces() -> None:
    assert [language.tag for language in OTHERS if not writing_of(language).spaced] == ["ja", "zh"]


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.tag)
def test_abbreviations_are_written_without_their_last_dot(language: Language) -> None:
    assert not any(short.endswith(".") for short in writing_of(language).abbreviations)
