from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import NothingToSpeak
from engine.speech import Plan, Utterance
from engine.text.g2p import Phonemizer
from engine.text.g2p.draft import WrittenForm
from engine.text.g2p.pieces import PUNCTUATION, PronouncedWord, has_sound, pieces_of, written_words
from engine.text.g2p.split import (
    COVERED,
    FEWEST_PHONEMES,
    FIRST_PHONEMES,
    GROWTH,
    MAX_CHARACTERS,
    MAX_PHONEMES,
    PAUSE_SECONDS,
    SLACK,
    TORN_PHONEMES,
    Border,
    PhonemePiece,
    Sentence,
    groups,
    joined,
    max_phonemes,
    sentences,
)
from tests.engine.text.g2p.test_phonemizer import ANYTHING


def pieces(*lengths_and_borders: tuple[int, Border]) -> list[PhonemePiece]:
    made: list[PhonemePiece] = []
    start = 0
    for length, border in lengths_and_borders:
        made.append(PhonemePiece("a" * length, start, start + length, space=True, border=border))
        start += length + 1
    return made


def lengths(made: list[PhonemePiece], limit: int = 510) -> list[int]:
    return [len(joined(group)) for group in groups(made, limit)]


WORD, PHRASE, CONJUNCTION, CLAUSE, SENTENCE, PARAGRAPH = Border


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), min_size=2, max_size=40), st.data())
def test_fixed_groups_stay_regardless_of_preceding_pieces(lengths_and_borders, data):
    made = pieces(*lengths_and_borders)
    whole = list(groups(made, 510))
    chosen = data.draw(st.lists(st.sampled_from(whole), max_size=3, unique_by=lambda group: group[0].start))
    fixed = {group[0].start: joined(group) for group in chosen}
    assert list(groups(made, 510, fixed)) == whole
    skipped = data.draw(st.integers(0, len(made) - 1))
    found = list(groups(made[skipped:], 510, fixed))
    assert [piece for group in found for piece in group] == made[skipped:]
    assert all(group in found for group in chosen if group[0].start >= made[skipped].start)


def test_a_short_text_is_one_utterance():
    assert lengths(pieces((10, SENTENCE), (20, PARAGRAPH))) == [31]


def test_utterances_grow_from_a_short_first_one_to_the_most():
    found = lengths(pieces(*[(24, SENTENCE)] * 60))
    assert found[0] <= FIRST_PHONEMES
    assert all(later <= GROWTH * (earlier + 1) for earlier, later in pairwise(found))
    assert MAX_PHONEMES / 2 < max(found) <= MAX_PHONEMES


def test_a_long_first_sentence_is_cut_at_a_clause():
    assert lengths(pieces(*[(9, WORD)] * 3, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 39


def test_a_first_clause_that_is_too_short_is_not_spoken_alone():
    assert lengths(pieces((9, CLAUSE), *[(9, WORD)] * 5, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 69


def test_a_too_short_first_sentence_is_spoken_with_the_following_text():
    assert lengths(pieces((4, SENTENCE), *[(9, WORD)] * 3, (9, CLAUSE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 44


def test_without_a_clause_a_long_first_sentence_is_cut_at_a_phrase():
    assert lengths(pieces(*[(9, WORD)] * 6, (9, PHRASE), *[(9, WORD)] * 10, (9, SENTENCE)))[0] == 69


def test_without_a_clause_a_long_first_sentence_is_cut_at_a_conjunction():
    sentence = [*[(9, WORD)] * 3, (9, CONJUNCTION), *[(9, WORD)] * 4, (9, SENTENCE)]
    assert lengths(pieces(*sentence)) == [39, 49]
    assert lengths(pieces((40, PARAGRAPH), *sentence)) == [40, 89]


def test_a_clause_is_better_than_a_conjunction_before_it():
    assert lengths(pieces((29, CONJUNCTION), (29, CLAUSE), (39, SENTENCE))) == [59, 39]


def test_a_long_sentence_after_a_very_short_utterance_splits_at_a_conjunction():
    sentence = [*[(9, WORD)] * 4, (9, CONJUNCTION), *[(9, WORD)] * 3, (9, SENTENCE)]
    assert lengths(pieces((22, PARAGRAPH), *sentence)) == [22, 49, 39]


def test_a_sentence_a_little_too_long_stays_whole():
    whole = int(FIRST_PHONEMES * SLACK)
    assert lengths(pieces((30, CLAUSE), (whole - 31, SENTENCE), (30, SENTENCE))) == [whole, 30]


def test_no_scrap_is_left_of_a_paragraph():
    assert lengths(pieces((45, SENTENCE), (10, PARAGRAPH), (45, SENTENCE), (60, PARAGRAPH))) == [56, 45, 60]


def test_a_clause_somewhat_later_is_better_than_a_torn_phrase():
    assert lengths(pieces(*[(9, WORD)] * 12, (9, CLAUSE), *[(9, WORD)] * 9, (9, SENTENCE)))[0] == 129
    assert lengths(pieces(*[(9, WORD)] * 3, (9, PHRASE), *[(9, WORD)] * 4, (9, CLAUSE), *[(9, WORD)] * 9))[0] == 89


def test_words_are_the_last_resort():
    found = lengths(pieces(*[(9, WORD)] * 100))
    assert found[0] == TORN_PHONEMES - 1
    assert min(found) >= FEWEST_PHONEMES


def test_paragraphs_stay_apart():
    assert lengths(pieces((5, PARAGRAPH), (5, PARAGRAPH))) == [5, 5]


@pytest.mark.parametrize(
    ("model_limit", "speed", "most"), [(510, 1.0, 200), (510, 2.0, 200), (510, 0.5, 100), (100, 1.0, 100)]
)
def test_the_model_and_decoder_memory_limit_utterance_length(model_limit, speed, most):
    assert max_phonemes(model_limit, speed) == most


def test_a_word_beyond_the_limit_is_cut_in_parts():
    found = list(groups([PhonemePiece("abcdefghij", 100, 110, True, SENTENCE)], 4))
    assert [joined(group) for group in found] == ["abcd", "efgh", "ij"]
    assert [(group[0].start, group[-1].end) for group in found] == [(100, 103), (103, 106), (106, 110)]
    assert found[-1][-1].border is SENTENCE


def test_stronger_borders_pause_longer():
    pauses = [PAUSE_SECONDS[border] for border in Border]
    assert pauses == sorted(pauses)
    assert pauses[WORD] == 0


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), max_size=80), st.integers(1, 600))
def test_nothing_is_lost_and_nothing_is_too_long(made, limit):
    given_pieces = pieces(*made)
    found = list(groups(given_pieces, limit))
    assert "".join(piece.phonemes for group in found for piece in group) == "".join(p.phonemes for p in given_pieces)
    assert all(0 < len(joined(group)) <= limit for group in found)
    ends = [place for group in found for place in (group[0].start, group[-1].end)]
    assert ends == sorted(ends)


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), max_size=80), st.integers(100, 600))
def test_no_more_is_read_than_the_next_utterance_needs(made, limit):
    given_pieces = pieces(*made)
    read: list[PhonemePiece] = []
    start = 0
    for group in groups((read.append(piece) or piece for piece in given_pieces), limit):
        assert len(joined(read[start:-1])) <= limit
        start += len(group)
    assert start == len(read) == len(given_pieces)


@given(st.lists(st.tuples(st.integers(FEWEST_PHONEMES, 30), st.sampled_from([CONJUNCTION, CLAUSE])), min_size=10))
def test_a_first_sentence_starts_short_and_plays_on_without_a_gap(made):
    found = lengths(pieces(*made), MAX_PHONEMES)
    assert found[0] <= SLACK * FIRST_PHONEMES
    for count in range(1, len(found)):  # the speaker's lead is everything generated before
        assert sum(found[1 : count + 1]) <= COVERED * (sum(found[:count]) + count)


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from(Border)), min_size=1, max_size=40))
@example([(10, Border.WORD), (60, Border.WORD), (19, Border.WORD)])
def test_only_a_whole_paragraph_is_spoken_shorter_than_is_sensible(made):
    given_pieces = pieces(*made)
    whole = [sum(len(piece.phonemes) + 1 for piece in part) - 1 for part in paragraphs(given_pieces)]
    scraps = {length for length in lengths(given_pieces, sum(whole) + len(whole)) if length < FEWEST_PHONEMES}
    assert scraps <= set(whole)


def paragraphs(given_pieces: list[PhonemePiece]) -> list[list[PhonemePiece]]:
    parts: list[list[PhonemePiece]] = [[]]
    for piece in given_pieces:
        parts[-1].append(piece)
        if piece.border is PARAGRAPH:
            parts.append([])
    return parts


def texts(text: str) -> list[str]:
    return [text[found.start : found.end] for found in sentences(text)]


def test_sentences_end_before_capitals_quotes_and_figures():
    assert texts("One. “Two?” Three! (Four.) five… Six") == ["One.", "“Two?”", "Three!", "(Four.) five…", "Six"]


def test_lower_case_after_a_dot_continues_the_sentence():
    assert texts("It is approx. five, i.e. few.") == ["It is approx. five, i.e. few."]


def test_paragraphs_have_the_strongest_border():
    assert list(sentences("One. Two.\nThree")) == [
        Sentence(0, 4, Border.SENTENCE),
        Sentence(5, 9, Border.PARAGRAPH),
        Sentence(10, 15, Border.PARAGRAPH),
    ]


def test_endless_sentences_come_in_stretches():
    found = list(sentences("word " * 1000))
    assert max(sentence.end - sentence.start for sentence in found) <= MAX_CHARACTERS
    assert {sentence.border for sentence in found[:-1]} == {Border.WORD}


@given(st.text("ab .!?\n“”", max_size=200))
def test_nothing_but_white_space_lies_between(text):
    end = 0
    for sentence in sentences(text):
        assert text[end : sentence.start].strip() == ""
        assert end <= sentence.start < sentence.end
        end = sentence.end
    assert text[end:].strip() == ""


def test_long_rows_of_stops_take_linear_time():
    """Quadratic time would be an hour or more."""
    count, rest = divmod(1_000_000, MAX_CHARACTERS)
    assert texts("." * 1_000_000 + "a") == ["." * MAX_CHARACTERS] * count + ["." * rest + "a"]


def words(*tokens: str) -> list[PronouncedWord]:
    """Return tokens whose text is their phonemes; a trailing space means that a space follows."""
    made: list[PronouncedWord] = []
    start = 0
    for token in tokens:
        text = token.rstrip(" ")
        made.append(PronouncedWord(text, text, start, start + len(text), token.endswith(" ")))
        start += len(token)
    return made


def test_punctuation_is_glued_to_its_word():
    found = pieces_of(words("“", "hello", ",", "” ", "she ", "said", "."), Border.SENTENCE)
    assert [piece.phonemes for piece in found] == ["“hello,”", "she", "said."]
    assert [piece.border for piece in found] == [Border.CLAUSE, Border.WORD, Border.SENTENCE]
    assert all(piece.space for piece in found)


def test_a_dash_can_be_broken_after():
    found = pieces_of(words("yes", "—", "no"), Border.PARAGRAPH)
    assert [(piece.phonemes, piece.space) for piece in found] == [("yes—", False), ("no", True)]


def test_a_dash_between_spaces_stays_with_the_word_before():
    found = pieces_of(words("yes ", "— ", "no"), Border.PARAGRAPH)
    assert [(piece.phonemes, piece.space) for piece in found] == [("yes —", True), ("no", True)]
    assert [piece.border for piece in found] == [Border.CLAUSE, Border.PARAGRAPH]


def test_a_phrase_begins_at_its_first_word():
    found = pieces_of(words("he ", "left ", "because ", "she ", "came"), Border.SENTENCE)
    borders = [Border.WORD, Border.CONJUNCTION, Border.WORD, Border.WORD, Border.SENTENCE]
    assert [piece.border for piece in found] == borders
    assert pieces_of(words("he ", "sat ", "in"), Border.SENTENCE)[1].border is Border.PHRASE


def test_a_non_english_conjunction_only_begins_a_phrase():
    found = pieces_of(words("lui ", "e ", "lei"), Border.SENTENCE, frozenset({"e"}))
    assert [piece.border for piece in found] == [Border.PHRASE, Border.WORD, Border.SENTENCE]


def test_a_number_is_one_phrase():
    found = pieces_of(words("two ", "hundred ", "and ", "five"), Border.SENTENCE)
    assert Border.CONJUNCTION not in [piece.border for piece in found]
    spoken = [
        PronouncedWord("forty", "f", 0, 6, True),
        PronouncedWord("and", "a", 6, 6, True),
        PronouncedWord("six", "s", 6, 6, True),
    ]
    assert [piece.border for piece in pieces_of(spoken, Border.WORD)] == [Border.PHRASE, Border.WORD, Border.WORD]


def test_a_parenthesis_begins_a_clause():
    assert pieces_of(words("he ", "(", "she", ")"), Border.WORD)[0].border is Border.CLAUSE


def test_silent_words_leave_their_space():
    spoken = [
        PronouncedWord("a", "a", 0, 1, False),
        PronouncedWord("-", "", 1, 2, True),
        PronouncedWord("'", "", 2, 3, True),
    ]
    (piece,) = pieces_of(spoken, Border.WORD)
    assert (piece.phonemes, piece.start, piece.end, piece.space) == ("a", 0, 2, True)


def test_no_words_make_no_pieces():
    assert pieces_of([], Border.SENTENCE) == []


def test_punctuation_has_no_sound():
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
def test_words_are_those_that_are_written(american, text, words):
    assert lit(text, american.plan(text)) == words


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("fr-FR", "Le petit café, ouvert !", ["Le", "petit", "café", "ouvert"]),
        ("es", "¿Qué tal? Hoy hace 20 grados.", ["¿Qué", "tal", "Hoy", "hace", "20", "grados"]),
        ("it", "Oggi il mare è calmo.", ["Oggi", "il", "mare", "è", "calmo"]),
    ],
)
def test_words_of_other_languages(symbols, language, text, words):
    assert lit(text, Phonemizer(language, symbols, 510).plan(text)) == words


def test_a_number_in_two_utterances_is_in_each_with_its_part():
    number = tuple([WrittenForm(4, 10)] * 2)
    first = PhonemePiece("ab", 0, 7, True, Border.WORD, number)
    second = PhonemePiece("cd", 7, 10, True, Border.WORD, number)
    assert [(word.start, word.end) for word in (*written_words([first]), *written_words([second]))] == [(4, 7), (7, 10)]


def test_an_utterance_does_not_end_at_the_comma_of_a_date(american):
    text = "The old clock in the hall of the house was made on May 5, 2024, and it was sold after a year or two."
    first, *_ = american.plan(text).utterances
    assert first.text.endswith("on May 5, 2024,")


def check_words(utterance: Utterance) -> None:
    """Check that words are in order, without overlap, inside the utterance, each with a phoneme at both ends."""
    place = phoneme = 0
    for word in utterance.words:
        assert max(place, utterance.start) <= word.start < word.end <= utterance.end
        assert phoneme <= word.first_phoneme < word.end_phoneme <= len(utterance.phonemes)
        assert utterance.phonemes[word.first_phoneme] not in PUNCTUATION
        assert utterance.phonemes[word.end_phoneme - 1] not in PUNCTUATION
        place, phoneme = word.end, word.end_phoneme


@settings(max_examples=200)
@given(text=ANYTHING)
def test_words_of_any_text_are_in_order_and_apart(american, text):
    try:
        plan = american.plan(text)
    except NothingToSpeak:
        return
    for utterance in plan.utterances:
        check_words(utterance)


@settings(max_examples=60)
@given(text=ANYTHING)
def test_words_of_non_english_text_in_small_utterances_are_ordered_and_separate(spanish, text):
    try:
        plan = spanish.plan(text)
    except NothingToSpeak:
        return
    for utterance in plan.utterances:
        check_words(utterance)


def test_every_plain_word_is_lit_and_speaks_all_of_its_phonemes(american):
    text = "The quick brown fox jumps over the lazy dog, and then it sleeps for a very long time. " * 5
    plan = american.plan(text)
    assert " ".join(lit(text, plan)) == text.replace(",", "").replace(".", "").strip()
    for utterance in plan.utterances:
        spoken = [utterance.phonemes[word.first_phoneme : word.end_phoneme] for word in utterance.words]
        assert spoken == utterance.phonemes.replace(",", "").replace(".", "").split()
