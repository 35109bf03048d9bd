import pytest

from engine.text.sentences import sentence_starts, sentence_text


@pytest.mark.parametrize(
    "sentences",
    [
        ["One. ", "Two! ", "“Three?” ", "She left (at four). ", "Five"],
        ["Dr. Smith met J. R. Jones at 5 p.m. and left. ", "Then he slept."],
        ["It costs 3.50 at www.shop.com today. ", "Good."],
        ["Well… perhaps not. ", "Yes."],
        ["“Who?” said the owl. ", "Who? ", "me! ", "Nobody (or all!) knew."],
        ["A heading\n\n", "Its text goes\non here. ", "End."],
        ["最初の文。", "次の文です。"],
        ["only one"],
    ],
)
def test_sentences_start_where_a_reader_would_say(sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = sentence_starts(text)
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences


def test_a_long_text_takes_no_time() -> None:
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
def test_it_is_the_sentence_at_the_place_or_after_it(place: int, sentence: str) -> None:
    assert sentence_text(TEXT, place, 300) == sentence


def test_a_blank_text_has_none_and_a_long_one_is_limited() -> None:
    assert sentence_text(" \n", 0, 300) == ""
    assert len(sentence_text("word " * 1000, 0, 300)) == 300
