import pytest
from hypothesis import given, settings

from engine.errors import NothingToSpeak
from engine.speech import Plan, Utterance
from engine.text.g2p import Phonemizer
from engine.text.g2p.draft import Written
from engine.text.g2p.pieces import PUNCTUATION, SpokenWord, has_sound, pieces_of, written_words
from engine.text.g2p.split import Border, Piece
from tests.engine.text.g2p.test_phonemizer import ANYTHING


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


@pytest.fixture(scope="session")
def spanish(symbols: frozenset[str]) -> Phonemizer:
    return Phonemizer("es", symbols, 12)


def lit(text: str, plan: Plan) -> list[str]:
    return [text[word.start : word.end] for utterance in plan.utterances for word in utterance.words]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It costs $45.67, no?", ["It", "costs", "$45.67", "no"]),
        ("Don't, “stop”!", ["Don't", "stop"]),
        ("A well-known — word", ["A", "well-known", "word"]),
        ("See https://example.com/a_b?c=1.", ["See", "https://example.com/a_b?c=1"]),
        (
            "On May 5, 2024 at 10:30 p.m. we ran 3 km.",
            ["On", "May 5, 2024", "at", "10:30 p.m.", "we", "ran", "3", "km"],
        ),
        ("I 😀 you 🎉🎉.", ["I", "😀", "you", "🎉🎉"]),
        ("**Bold** and **$5** x", ["Bold", "and", "$5", "x"]),
        ("Dr. Smith of St. James St.", ["Dr.", "Smith", "of", "St.", "James", "St."]),
        ("[New York](/nˈuː jˈɔːɹk/) is.", ["[New York](/nˈuː jˈɔːɹk/)", "is"]),
        ("A cafe\u0301 is", ["A", "cafe\u0301", "is"]),
        ("e.g. the U.S.A. & I", ["e.g.", "the", "U.S.A.", "&", "I"]),
        ("Say Привет мир.", ["Say", "Привет", "мир"]),
        ("Q&A, yes/no", ["Q", "&", "A", "yes", "no"]),
    ],
)
def test_words_are_those_that_are_written(american: Phonemizer, text: str, words: list[str]) -> None:
    assert lit(text, american.plan(text)) == words


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("fr-FR", "Le petit café, ouvert !", ["Le", "petit", "café", "ouvert"]),
        ("es", "¿Qué tal? Hoy hace 20 grados.", ["¿Qué", "tal", "Hoy", "hace", "20", "grados"]),
        ("it", "Oggi il mare è calmo.", ["Oggi", "il", "mare", "è", "calmo"]),
    ],
)
def test_words_of_other_languages(symbols: frozenset[str], language: str, text: str, words: list[str]) -> None:
    assert lit(text, Phonemizer(language, symbols, 510).plan(text)) == words


def test_a_number_in_two_utterances_is_in_each_with_its_part() -> None:
    number = tuple([Written(4, 10)] * 2)
    first = Piece("ab", 0, 7, True, Border.WORD, number)
    second = Piece("cd", 7, 10, True, Border.WORD, number)
    assert [(word.start, word.end) for word in (*written_words([first]), *written_words([second]))] == [(4, 7), (7, 10)]


def test_an_utterance_does_not_end_at_the_comma_of_a_date(american: Phonemizer) -> None:
    text = "The old clock in the hall of the house was made on May 5, 2024, and it was sold after a year or two."
    first, *_ = american.plan(text).utterances
    assert first.text.endswith("on May 5, 2024,")


def check_words(utterance: Utterance) -> None:
    """In order, without overlap, inside the utterance, each with a sound at both ends."""
    place = phoneme = 0
    for word in utterance.words:
        assert max(place, utterance.start) <= word.start < word.end <= utterance.end
        assert phoneme <= word.first_phoneme < word.end_phoneme <= len(utterance.phonemes)
        assert utterance.phonemes[word.first_phoneme] not in PUNCTUATION
        assert utterance.phonemes[word.end_phoneme - 1] not in PUNCTUATION
        place, phoneme = word.end, word.end_phoneme


@settings(max_examples=200)
@given(text=ANYTHING)
def test_words_of_any_text_are_in_order_and_apart(american: Phonemizer, text: str) -> None:
    try:
        plan = american.plan(text)
    except NothingToSpeak:
        return
    for utterance in plan.utterances:
        check_words(utterance)


@settings(max_examples=60)
@given(text=ANYTHING)
def test_so_are_those_of_another_language_in_small_utterances(spanish: Phonemizer, text: str) -> None:
    try:
        plan = spanish.plan(text)
    except NothingToSpeak:
        return
    for utterance in plan.utterances:
        check_words(utterance)


def test_every_plain_word_is_lit_and_speaks_all_of_its_phonemes(american: Phonemizer) -> None:
    text = "The quick brown fox jumps over the lazy dog, and then it sleeps for a very long time. " * 5
    plan = american.plan(text)
    assert " ".join(lit(text, plan)) == text.replace(",", "").replace(".", "").strip()
    for utterance in plan.utterances:
        spoken = [utterance.phonemes[word.first_phoneme : word.end_phoneme] for word in utterance.words]
        assert spoken == utterance.phonemes.replace(",", "").replace(".", "").split()
