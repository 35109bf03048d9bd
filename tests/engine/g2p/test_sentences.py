"""Sentences and paragraphs."""

from hypothesis import given
from hypothesis import strategies as st

from engine.g2p.sentences import LONGEST_CHARACTERS, Sentence, sentences
from engine.g2p.split import Border


def texts(text: str) -> list[str]:
    return [text[found.start : found.end] for found in sentences(text)]


def test_sentences_end_before_capitals_quotes_and_figures() -> None:
    assert texts("One. “Two?” Three! (Four.) five… Six") == ["One.", "“Two?”", "Three!", "(Four.) five…", "Six"]


def test_lower_case_after_a_dot_goes_on() -> None:
    assert texts("It is approx. five, i.e. few.") == ["It is approx. five, i.e. few."]


def test_paragraphs_have_the_strongest_border() -> None:
    assert list(sentences("One. Two.\nThree")) == [
        Sentence(0, 4, Border.SENTENCE),
        Sentence(5, 9, Border.PARAGRAPH),
        Sentence(10, 15, Border.PARAGRAPH),
    ]


def test_endless_sentences_come_in_stretches() -> None:
    found = list(sentences("word " * 1000))
    assert max(sentence.end - sentence.start for sentence in found) <= LONGEST_CHARACTERS
    assert {sentence.border for sentence in found[:-1]} == {Border.WORD}


@given(st.text("ab .!?\n“”", max_size=200))
def test_nothing_but_white_space_lies_between(text: str) -> None:
    end = 0
    for sentence in sentences(text):
        assert text[end : sentence.start].strip() == ""
        assert end <= sentence.start < sentence.end
        end = sentence.end
    assert text[end:].strip() == ""


def test_long_rows_of_stops_take_linear_time() -> None:
    """Else this would take an hour or more."""
    count, rest = divmod(1_000_000, LONGEST_CHARACTERS)
    assert texts("." * 1_000_000 + "a") == ["." * LONGEST_CHARACTERS] * count + ["." * rest + "a"]
