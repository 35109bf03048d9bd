"""Cutting into utterances: short first, whole sentences, never beyond the limit, nothing lost."""

from hypothesis import given
from hypothesis import strategies as st

from engine.g2p.split import PAUSE_SECONDS, SLACK, TARGET_PHONEMES, Border, Piece, groups, joined

FIRST, SECOND, LATER = TARGET_PHONEMES


def pieces(*lengths_and_borders: tuple[int, Border]) -> list[Piece]:
    made: list[Piece] = []
    start = 0
    for length, border in lengths_and_borders:
        made.append(Piece("a" * length, start, start + length, space=True, border=border))
        start += length + 1
    return made


def lengths(made: list[Piece], limit: int = 510) -> list[int]:
    return [len(joined(group)) for group in groups(made, limit)]


WORD, PHRASE, CLAUSE, SENTENCE, PARAGRAPH = Border


def test_a_short_text_is_one_utterance() -> None:
    assert lengths(pieces((10, SENTENCE), (20, PARAGRAPH))) == [31]


def test_the_first_utterance_is_the_shortest() -> None:
    found = lengths(pieces(*[(29, SENTENCE)] * 60))
    assert found[0] <= FIRST
    assert found[0] < found[1] <= SECOND < found[2] <= LATER


def test_a_long_first_sentence_is_cut_at_a_clause() -> None:
    assert lengths(pieces(*[(9, WORD)] * 5, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 59


def test_without_a_clause_a_long_first_sentence_is_cut_at_a_phrase() -> None:
    assert lengths(pieces(*[(9, WORD)] * 6, (9, PHRASE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 69


def test_a_sentence_a_little_too_long_stays_whole() -> None:
    assert lengths(pieces((50, CLAUSE), (int(FIRST * SLACK) - 51, SENTENCE), (20, SENTENCE))) == [
        int(FIRST * SLACK),
        20,
    ]


def test_a_clause_somewhat_later_is_better_than_a_torn_phrase() -> None:
    assert lengths(pieces(*[(9, WORD)] * 12, (9, CLAUSE), *[(9, WORD)] * 9, (9, SENTENCE)))[0] == 129


def test_words_are_the_last_resort() -> None:
    assert (
        lengths(pieces(*[(9, WORD)] * 100)) == [89, 149, 249, 249, 249, 9][: len(lengths(pieces(*[(9, WORD)] * 100)))]
    )


def test_paragraphs_stay_apart() -> None:
    assert lengths(pieces((5, PARAGRAPH), (5, PARAGRAPH))) == [5, 5]


def test_a_word_beyond_the_limit_is_cut_in_parts() -> None:
    found = groups([Piece("abcdefghij", 100, 110, True, SENTENCE)], 4)
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
    found = groups(given_pieces, limit)
    assert "".join(piece.phonemes for group in found for piece in group) == "".join(p.phonemes for p in given_pieces)
    assert all(0 < len(joined(group)) <= limit for group in found)
    ends = [place for group in found for place in (group[0].start, group[-1].end)]
    assert ends == sorted(ends)
