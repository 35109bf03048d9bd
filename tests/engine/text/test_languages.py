"""Tests of the languages of Kokoro, the beginnings of sentences, and Roman numerals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.text.languages import AMERICAN, BRITISH, FRENCH, LANGUAGES, MANDARIN, PORTUGUESE, language_of
from engine.text.roman_numerals import parsed, value_of, written
from engine.text.sentences import sentence_starts, sentence_text


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.tag)
def test_tags_name_languages(language):
    assert language_of(language.tag) is language
    assert language_of(language.tag.upper()) is language


@pytest.mark.parametrize(("tag", "language"), [("fr", FRENCH), ("pt", PORTUGUESE), ("ZH", MANDARIN)])
def test_the_first_part_is_enough_where_it_is_clear(tag, language):
    assert language_of(tag) is language


def test_only_the_british_put_the_day_first():
    assert (AMERICAN.day_first, BRITISH.day_first) == (False, True)
    assert [language.english for language in LANGUAGES[:3]] == [True, True, False]


@pytest.mark.parametrize("tag", ["", "en", "en_us", "de-DE", "es-MX"])
def test_other_tags_are_refused(tag):
    with pytest.raises(InvalidRequest, match="Choose one of: en-US, en-GB"):
        language_of(tag)


def test_every_language_has_a_unique_letter_and_sample_sentence():
    assert "".join(language.letter for language in LANGUAGES) == "abefhijpz"
    assert len({language.sample for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(
    "sentences",
    [
        ["One. ", "Two! ", "“Three?” ", "She left (at four). ", "Five"],
        ["Dr. Smith met J. R. Jones at 5 p.m. and left. ", "Then he slept."],
        ["It costs 3.50 at www.shop.com today. ", "Good."],
        ["Well… perhaps not. ", "Yes."],
        ["“Who?” said the owl. ", "Who? ", "me! ", "Nobody (or all!) knew."],
        ["A heading\n\n", "Its text goes\non here. ", "End."],
        ["Asst. Prof. Lee read No. 5 and pp. 3-5 on Jan. 6. ", "No. ", "I said no. ", "Then Dec. ", "It ended."],
        ["Ford Motor Co. Chairman Hill left. ", "He owned Hill Inc. ", "They sold it, etc. ", "Lee left."],
        ["It is in the U.S. ", "The army, the U.S. Army, has a plan B. ", "But J. A. Lee has none."],
        ["最初の文。", "次の文です。"],
        ["only one"],
    ],
)
def test_sentences_start_where_a_reader_would_say(sentences):
    text = "".join(sentences)
    starts = sentence_starts(text)
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences


def test_a_long_text_takes_no_time():
    assert len(sentence_starts("It was late. Nobody came.\n" * 20_000)) == 40_000


TEXT = "One, two. “Three?” Four!\n\nHeading\n\nThe end"


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        (0, "One, two."),
        (8, "One, two."),
        (11, "“Three?”"),
        (20, "Four!"),
        (27, "Heading"),
        (40, "The end"),
        (99, "The end"),
    ],
)
def test_it_is_the_sentence_at_the_place_or_after_it(place, sentence):
    assert sentence_text(TEXT, place, 300) == sentence


def test_a_blank_text_has_none_and_a_long_one_is_limited():
    assert sentence_text(" \n", 0, 300) == ""
    assert len(sentence_text("word " * 1000, 0, 300)) == 300


@given(st.integers(1, 3999))
def test_a_number_comes_back(number):
    assert parsed(written(number)) == value_of(written(number).lower()) == number


@pytest.mark.parametrize(("letters", "value"), [("XIV", 14), ("XXXX", None), ("xiv", None), ("IC", None), ("", None)])
def test_only_the_usual_form_is_parsed(letters, value):
    assert parsed(letters) == value


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_other_numbers_stay_in_digits(number):
    assert written(number) == str(number)
