"""Words with their punctuation and the border after them."""

from engine.g2p.pieces import SpokenWord, has_sound, pieces_of
from engine.g2p.split import Border


def words(*tokens: str) -> list[SpokenWord]:
    """Tokens whose text is their phonemes; a trailing space means that a space follows."""
    made: list[SpokenWord] = []
    start = 0
    for token in tokens:
        text = token.rstrip(" ")
        made.append(SpokenWord(text, text, start, start + len(text), token.endswith(" ")))
        start += len(token)
    return made


def test_punctuation_is_glued_to_its_word() -> None:
    found = pieces_of(words("“", "hello", ",", "” ", "she ", "said", "."), Border.SENTENCE)
    assert [piece.phonemes for piece in found] == ["“hello,”", "she", "said."]
    assert [piece.border for piece in found] == [Border.CLAUSE, Border.WORD, Border.SENTENCE]
    assert all(piece.space for piece in found)


def test_a_dash_can_be_broken_after() -> None:
    found = pieces_of(words("yes", "—", "no"), Border.PARAGRAPH)
    assert [(piece.phonemes, piece.space) for piece in found] == [("yes—", False), ("no", True)]


def test_a_dash_between_spaces_stays_with_the_word_before() -> None:
    found = pieces_of(words("yes ", "— ", "no"), Border.PARAGRAPH)
    assert [(piece.phonemes, piece.space) for piece in found] == [("yes —", True), ("no", True)]
    assert [piece.border for piece in found] == [Border.CLAUSE, Border.PARAGRAPH]


def test_a_phrase_begins_at_its_first_word() -> None:
    found = pieces_of(words("he ", "left ", "because ", "she ", "came"), Border.SENTENCE)
    borders = [Border.WORD, Border.CONJUNCTION, Border.WORD, Border.WORD, Border.SENTENCE]
    assert [piece.border for piece in found] == borders
    assert pieces_of(words("he ", "sat ", "in"), Border.SENTENCE)[1].border is Border.PHRASE


def test_a_conjunction_of_another_language_only_begins_a_phrase() -> None:
    found = pieces_of(words("lui ", "e ", "lei"), Border.SENTENCE, frozenset({"e"}))
    assert [piece.border for piece in found] == [Border.PHRASE, Border.WORD, Border.SENTENCE]


def test_a_number_is_one_phrase() -> None:
    found = pieces_of(words("two ", "hundred ", "and ", "five"), Border.SENTENCE)
    assert Border.CONJUNCTION not in [piece.border for piece in found]
    spoken = [
        SpokenWord("forty", "f", 0, 6, True),
        SpokenWord("and", "a", 6, 6, True),
        SpokenWord("six", "s", 6, 6, True),
    ]
    assert [piece.border for piece in pieces_of(spoken, Border.WORD)] == [Border.PHRASE, Border.WORD, Border.WORD]


def test_a_parenthesis_begins_a_clause() -> None:
    assert pieces_of(words("he ", "(", "she", ")"), Border.WORD)[0].border is Border.CLAUSE


def test_silent_words_leave_their_space() -> None:
    spoken = [SpokenWord("a", "a", 0, 1, False), SpokenWord("-", "", 1, 2, True), SpokenWord("'", "", 2, 3, True)]
    (piece,) = pieces_of(spoken, Border.WORD)
    assert (piece.phonemes, piece.start, piece.end, piece.space) == ("a", 0, 2, True)


def test_no_words_make_no_pieces() -> None:
    assert pieces_of([], Border.SENTENCE) == []


def test_punctuation_has_no_sound() -> None:
    assert not has_sound(" —…“”().")
    assert has_sound("“ə”")
