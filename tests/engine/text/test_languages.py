"""The languages of Kokoro, by tag, and no other."""

import pytest

from engine.errors import InvalidRequest
from engine.text.languages import AMERICAN, BRITISH, FRENCH, LANGUAGES, MANDARIN, PORTUGUESE, Language, language_of


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.tag)
def test_tags_name_languages(language: Language) -> None:
    assert language_of(language.tag) is language
    assert language_of(language.tag.upper()) is language


@pytest.mark.parametrize(("tag", "language"), [("fr", FRENCH), ("pt", PORTUGUESE), ("ZH", MANDARIN)])
def test_the_first_part_is_enough_where_it_is_clear(tag: str, language: Language) -> None:
    assert language_of(tag) is language


def test_only_the_british_put_the_day_first() -> None:
    assert (AMERICAN.day_first, BRITISH.day_first) == (False, True)
    assert [language.english for language in LANGUAGES[:3]] == [True, True, False]


@pytest.mark.parametrize("tag", ["", "en", "en_us", "de-DE", "es-MX"])
def test_other_tags_are_refused(tag: str) -> None:
    with pytest.raises(InvalidRequest, match="Choose one of: en-US, en-GB"):
        language_of(tag)


def test_every_language_has_a_letter_and_a_sentence_of_its_own() -> None:
    assert "".join(language.letter for language in LANGUAGES) == "abefhijpz"
    assert len({language.sample for language in LANGUAGES}) == len(LANGUAGES)
