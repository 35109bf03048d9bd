import pytest
from misaki import en
from misaki.token import MToken

from engine.text.g2p import english
from engine.text.g2p.analysis import import_spacy, load_offline_analyser
from engine.text.g2p.directions import Override
from engine.text.g2p.english import Pronouncer, UnknownWords, homographs, load_letter_to_sound


class Letters:
    """A lexicon of letters."""

    def get_NNP(self, letter: str) -> tuple[str | None, int | None]:
        return (f"<{letter}>", 3) if letter.isascii() else (None, None)


def token(text: str) -> MToken:
    return MToken(text=text, tag="NN", whitespace="", start_ts=5, end_ts=5 + len(text))


def test_spelling_decides_first() -> None:
    words = UnknownWords(Letters(), load_letter_to_sound(british=False))
    assert words(token("zorgify")) == ("zˈɔɹʤᵻfˌI", 2)
    assert words.reports() == []


def test_without_it_words_are_spelled_and_reported() -> None:
    words = UnknownWords(Letters(), None)
    assert words(token("ab"))[0] == "<a> <b>"
    assert words(token("漢"))[0] == ""
    reports = words.reports()
    assert [(start, end) for _, start, end in reports] == [(5, 7), (5, 6)]
    assert "spelled" in reports[0][0]
    assert "left out" in reports[1][0]
    assert words.reports() == []


@pytest.mark.parametrize("error", [OSError("no library"), AttributeError("espeak_Initialize")])
def test_a_library_that_does_not_load_is_done_without(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(british: bool) -> None:
        raise error

    monkeypatch.setattr(english, "LetterToSound", fail)
    assert load_letter_to_sound(british=True) is None


@pytest.fixture(scope="module")
def pronouncer() -> Pronouncer:
    import_spacy()
    return Pronouncer(british=False, load_analyser=load_offline_analyser)


def test_words_carry_phonemes_and_places(pronouncer: Pronouncer) -> None:
    words = pronouncer.pronounce("The cat's mat.")
    assert [(word.text, word.phonemes, word.start, word.end, word.space) for word in words] == [
        ("The", "ðə", 0, 3, True),
        ("cat's", "kˈæts", 4, 9, True),
        ("mat", "mˈæt", 10, 13, False),
        (".", ".", 13, 14, False),
    ]


def test_an_override_may_cover_words_or_a_part_of_one(pronouncer: Pronouncer) -> None:
    words = pronouncer.pronounce("New York prefix", [Override(0, 8, phonemes="X"), Override(12, 15, phonemes="Y")])
    assert words[0].phonemes == "X"
    assert (words[0].start, words[0].end) == (0, 8)
    assert words[-1].phonemes.endswith("Y")


def test_stress_and_number_flags_reach_misaki(pronouncer: Pronouncer) -> None:
    plain, stressed = pronouncer.pronounce("Chinese"), pronouncer.pronounce("Chinese", [Override(0, 7, stress=-2)])
    assert "ˈ" in plain[0].phonemes
    assert "ˈ" not in stressed[0].phonemes
    assert "ænd" in pronouncer.pronounce("123", [Override(0, 3, number_flags="&")])[0].phonemes


def test_a_failure_of_misaki_costs_one_word_only(pronouncer: Pronouncer, monkeypatch: pytest.MonkeyPatch) -> None:
    get_word = en.Lexicon.get_word

    def failing(self: en.Lexicon, word: str, *rest: object) -> object:
        if word == "zap":
            raise TypeError("unexpected")
        return get_word(self, word, *rest)

    monkeypatch.setattr(en.Lexicon, "get_word", failing)
    words = pronouncer.pronounce("The zap mat", [Override(8, 11, phonemes="X")])
    assert [(word.text, word.start, word.end, word.space) for word in words] == [
        ("The", 0, 3, True),
        ("zap", 4, 7, True),
        ("mat", 8, 11, False),
    ]
    assert words[1].phonemes == "zˈæp"
    assert words[2].phonemes == "X"


TRAPS = ("9" * 5000, "1,2.3,4", "-", "'", "a'-b", "$", "$ 5", "1.2.3", "--5", "5'ed", "_", "x" * 300)


@pytest.mark.parametrize("text", TRAPS)
def test_what_misaki_trips_over_is_spoken_or_reported(pronouncer: Pronouncer, text: str) -> None:
    pronouncer.unknown_words.reports()
    words = pronouncer.pronounce(text)
    reported = pronouncer.unknown_words.reports()
    assert reported or any(word.phonemes for word in words) or not any(character.isalnum() for character in text)


def test_homographs_are_those_whose_class_matters() -> None:
    lexicon = {
        "cat": "x",
        "record": {"DEFAULT": "a", "VERB": "b"},
        "could": {"DEFAULT": "a", "None": "b"},
        "AD": {"DEFAULT": "a", "NOUN": None},
    }
    assert homographs(lexicon) == {"record": {"VERB"}}
