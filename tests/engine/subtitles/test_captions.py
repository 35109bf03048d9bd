"""Captions can be read: short lines, not too short a time, broken where the sense breaks."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.subtitles.captions import (
    LINE_CHARACTERS,
    LONGEST_SECONDS,
    SHORTEST_SECONDS,
    SILENCE_SECONDS,
    captions_of,
)
from tests.engine.subtitles.words import timed


def lines(text: str, seconds: float = 0.4, gap_seconds: float = 0.0) -> list[tuple[str, ...]]:
    return [caption.lines for caption in captions_of(timed(text, seconds, gap_seconds))]


def test_a_short_sentence_is_one_line() -> None:
    assert lines("The quick brown fox jumps.") == [("The quick brown fox jumps.",)]


def test_two_lines_are_about_as_long_and_broken_at_a_comma() -> None:
    found = lines("When the rain had stopped at last, the children ran into the garden.", 0.3)
    assert found == [("When the rain had stopped at last,", "the children ran into the garden.")]


def test_captions_end_at_clauses() -> None:
    text = (
        "In the morning, long before the sun had risen, they walked along the river to the lake; "
        "there they sat down on the cold stones, and nobody said a word until the light came."
    )
    found = lines(text)
    assert len(found) > 2
    assert all(caption[-1][-1] in ",;." for caption in found)


def test_a_word_alone_is_shown_with_what_follows() -> None:
    assert lines("Yes. We can go there tomorrow morning.") == [("Yes. We can go there tomorrow morning.",)]


def test_a_long_silence_and_a_paragraph_are_between_captions() -> None:
    assert lines("One here two", 0.5, SILENCE_SECONDS + 1) == [("One",), ("here",), ("two",)]
    assert lines("One here is.\n\nTwo there are.") == [("One here is.",), ("Two there are.",)]


def test_a_word_too_long_for_a_line_is_cut_and_one_too_long_for_two_is_shortened() -> None:
    assert lines("x" * 60) == [("x" * 42, "x" * 18)]
    assert lines("x" * 100) == [("x" * 42, "x" * 41 + "…")]


def test_no_words_make_no_captions() -> None:
    assert captions_of([]) == ()


WORDS = st.lists(
    st.sampled_from(["a", "garden,", "walked", "over.", "incomprehensibilities", "x" * 50, "me\n\n"]),
    min_size=1,
    max_size=60,
)


@given(WORDS, st.floats(0.05, 2.0), st.floats(0, 1.5))
def test_any_words_are_in_captions_once_in_order_and_fit(words: list[str], seconds: float, gap: float) -> None:
    made = timed(" ".join(words), seconds, gap)
    captions = captions_of(made)
    assert [word for caption in captions for word in caption.words] == made
    for caption in captions:
        assert len(caption.lines) <= 2
        assert all(0 < len(line) <= LINE_CHARACTERS for line in caption.lines)
        assert caption.start_seconds == caption.words[0].start_seconds
        assert caption.end_seconds >= caption.words[-1].end_seconds
        assert caption.end_seconds - caption.start_seconds <= LONGEST_SECONDS or len(caption.words) == 1
    for caption, following in pairwise(captions):
        assert caption.end_seconds <= following.start_seconds
    assert captions[-1].end_seconds - captions[-1].start_seconds >= SHORTEST_SECONDS - 1e-9
