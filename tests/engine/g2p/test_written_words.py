"""What is written as one word lights up as one, whatever is spoken for it."""

import pytest
from hypothesis import given, settings

from engine.errors import NothingToSpeak
from engine.g2p import Phonemizer
from engine.g2p.pieces import PUNCTUATION
from engine.g2p.spans import Written
from engine.g2p.split import Border, Piece
from engine.g2p.written_words import written_words
from engine.speech import Plan, Utterance
from tests.engine.g2p.test_phonemizer import ANYTHING


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
