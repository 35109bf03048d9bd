from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.text.g2p.sentences import LONGEST_CHARACTERS, Sentence, sentences
from engine.text.g2p.split import (
    COVERED,
    FEWEST_PHONEMES,
    FIRST_PHONEMES,
    GROWTH,
    MOST_PHONEMES,
    PAUSE_SECONDS,
    SLACK,
    TORN_PHONEMES,
    Border,
    Piece,
    groups,
    joined,
    longest,
)


def pieces(*lengths_and_borders: tuple[int, Border]) -> list[Piece]:
    made: list[Piece] = []
    start = 0
    for length, border in lengths_and_borders:
        made.append(Piece("a" * length, start, start + length, space=True, border=border))
        start += length + 1
    return made


def lengths(made: list[Piece], limit: int = 510) -> list[int]:
    return [len(joined(group)) for group in groups(made, limit)]


WORD, PHRASE, CONJUNCTION, CLAUSE, SENTENCE, PARAGRAPH = Border


def test_a_short_text_is_one_utterance() -> None:
    assert lengths(pieces((10, SENTENCE), (20, PARAGRAPH))) == [31]


def test_utterances_grow_from_a_short_first_one_to_the_most() -> None:
    found = lengths(pieces(*[(24, SENTENCE)] * 60))
    assert found[0] <= FIRST_PHONEMES
    assert all(later <= GROWTH * (earlier + 1) for earlier, later in pairwise(found))
    assert MOST_PHONEMES / 2 < max(found) <= MOST_PHONEMES


def test_a_long_first_sentence_is_cut_at_a_clause() -> None:
    assert lengths(pieces(*[(9, WORD)] * 3, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 39


def test_a_first_clause_that_is_too_short_is_not_spoken_alone() -> None:
    assert lengths(pieces((9, CLAUSE), *[(9, WORD)] * 5, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 69


def test_a_first_sentence_that_is_too_short_is_spoken_with_what_follows() -> None:
    assert lengths(pieces((4, SENTENCE), *[(9, WORD)] * 3, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 44


def test_without_a_clause_a_long_first_sentence_is_cut_at_a_phrase() -> None:
    assert lengths(pieces(*[(9, WORD)] * 6, (9, PHRASE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 69


def test_without_a_clause_a_long_first_sentence_is_cut_at_a_conjunction() -> None:
    sentence = [*[(9, WORD)] * 3, (9, CONJUNCTION), *[(9, WORD)] * 4, (9, SENTENCE)]
    assert lengths(pieces(*sentence)) == [39, 49]
    assert lengths(pieces((40, PARAGRAPH), *sentence)) == [40, 89]


def test_a_clause_is_better_than_a_conjunction_before_it() -> None:
    assert lengths(pieces((29, CONJUNCTION), (29, CLAUSE), (39, SENTENCE))) == [59, 39]


def test_a_long_sentence_after_a_very_short_utterance_is_cut_at_a_conjunction() -> None:
    sentence = [*[(9, WORD)] * 4, (9, CONJUNCTION), *[(9, WORD)] * 3, (9, SENTENCE)]
    assert lengths(pieces((22, PARAGRAPH), *sentence)) == [22, 49, 39]


def test_a_sentence_a_little_too_long_stays_whole() -> None:
    whole = int(FIRST_PHONEMES * SLACK)
    assert lengths(pieces((30, CLAUSE), (whole - 31, SENTENCE), (30, SENTENCE))) == [whole, 30]


def test_no_scrap_is_left_of_a_paragraph() -> None:
    assert lengths(pieces((45, SENTENCE), (10, PARAGRAPH), (45, SENTENCE), (60, PARAGRAPH))) == [56, 45, 60]


def test_a_clause_somewhat_later_is_better_than_a_torn_phrase() -> None:
    assert lengths(pieces(*[(9, WORD)] * 12, (9, CLAUSE), *[(9, WORD)] * 9, (9, SENTENCE)))[0] == 129
    assert lengths(pieces(*[(9, WORD)] * 3, (9, PHRASE), *[(9, WORD)] * 4, (9, CLAUSE), *[(9, WORD)] * 9))[0] == 89


def test_words_are_the_last_resort() -> None:
    found = lengths(pieces(*[(9, WORD)] * 100))
    assert found[0] == TORN_PHONEMES - 1
    assert min(found) >= FEWEST_PHONEMES


def test_paragraphs_stay_apart() -> None:
    assert lengths(pieces((5, PARAGRAPH), (5, PARAGRAPH))) == [5, 5]


@pytest.mark.parametrize(
    ("model_limit", "speed", "most"), [(510, 1.0, 200), (510, 2.0, 200), (510, 0.5, 100), (100, 1.0, 100)]
)
def test_an_utterance_is_as_long_as_the_model_and_the_decoders_memory_allow(
    model_limit: int, speed: float, most: int
) -> None:
    assert longest(model_limit, speed) == most


def test_a_word_beyond_the_limit_is_cut_in_parts() -> None:
    found = list(groups([Piece("abcdefghij", 100, 110, True, SENTENCE)], 4))
    assert [joined(group) for group in found] == ["abcd", "efgh", "ij"]
    assert [(group[0].start, group[-1].end) for group in found] == [(100, 103), (103, 106), (106, 110)]
    assert found[-1][-1].border is SENTENCE


def test_stronger_borders_pause_longer() -> None:
    pauses = [PAUSE_SECONDS[border] for border in Border]
    assert pauses == sorted(pauses)
    assert pauses[WORD] == 0


@given(
    st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), max_size=80),
    st.integers(1, 600),
)
def test_nothing_is_lost_and_nothing_is_too_long(made: list[tuple[int, Border]], limit: int) -> None:
    given_pieces = pieces(*made)
    found = list(groups(given_pieces, limit))
    assert "".join(piece.phonemes for group in found for piece in group) == "".join(p.phonemes for p in given_pieces)
    assert all(0 < len(joined(group)) <= limit for group in found)
    ends = [place for group in found for place in (group[0].start, group[-1].end)]
    assert ends == sorted(ends)


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), max_size=80), st.integers(100, 600))
def test_no_more_is_read_than_the_next_utterance_needs(made: list[tuple[int, Border]], limit: int) -> None:
    given_pieces = pieces(*made)
    read: list[Piece] = []
    start = 0
    for group in groups((read.append(piece) or piece for piece in given_pieces), limit):  # type: ignore[func-returns-value]
        assert len(joined(read[start:-1])) <= limit
        start += len(group)
    assert start == len(read) == len(given_pieces)


@given(st.lists(st.tuples(st.integers(FEWEST_PHONEMES, 30), st.sampled_from([CONJUNCTION, CLAUSE])), min_size=10))
def test_a_first_sentence_starts_short_and_plays_on_without_a_gap(made: list[tuple[int, Border]]) -> None:
    found = lengths(pieces(*made), MOST_PHONEMES)
    assert found[0] <= SLACK * FIRST_PHONEMES
    for count in range(1, len(found)):  # whoever speaks is ahead by all that was made before
        assert sum(found[1 : count + 1]) <= COVERED * (sum(found[:count]) + count)


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), min_size=1, max_size=40))
@example([(10, Border.WORD), (60, Border.WORD), (19, Border.WORD)])
def test_only_a_whole_paragraph_is_spoken_shorter_than_is_sensible(made: list[tuple[int, Border]]) -> None:
    given_pieces = pieces(*made)
    whole = [sum(len(piece.phonemes) + 1 for piece in part) - 1 for part in paragraphs(given_pieces)]
    scraps = {length for length in lengths(given_pieces, sum(whole) + len(whole)) if length < FEWEST_PHONEMES}
    assert scraps <= set(whole)


def paragraphs(given_pieces: list[Piece]) -> list[list[Piece]]:
    parts: list[list[Piece]] = [[]]
    for piece in given_pieces:
        parts[-1].append(piece)
        if piece.border is PARAGRAPH:
            parts.append([])
    return parts


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
