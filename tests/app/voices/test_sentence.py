import pytest

from app.voices.sentence import sentence_at

TEXT = "One, two. “Three?” Four!\n\nHeading\nThe end"


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
def test_it_is_the_sentence_at_the_place_or_after_it(place: int, sentence: str) -> None:
    assert sentence_at(TEXT, place) == sentence


def test_a_blank_text_has_none_and_a_long_one_is_limited() -> None:
    assert sentence_at(" \n", 0) == ""
    assert len(sentence_at("word " * 1000, 0)) == 300
