"""Words of the lexicon, the English front end, and pronunciation by spelling, compared with misaki's own."""

import gc
import json
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from misaki import en
from misaki.token import MToken

from engine.text.g2p import english, letter_to_sound
from engine.text.g2p.analysis import import_spacy, load_offline_analyzer
from engine.text.g2p.english import Pronouncer, UnknownWords, homographs, load_letter_to_sound
from engine.text.g2p.letter_to_sound import LetterToSound
from engine.text.g2p.lexicon import Lexicon, LexiconFile, other_case
from engine.text.g2p.overrides import Override
from engine.text.g2p.sorted_file import BLOCK_BYTES, SortedFile
from tests.engine.text.g2p.plain_words import same_as, sounds


@pytest.fixture(scope="module", params=[False, True], ids=["American", "British"])
def both(request: pytest.FixtureRequest) -> tuple[Lexicon, en.Lexicon]:
    return Lexicon(request.param), en.Lexicon(request.param)


@pytest.mark.parametrize("name", ["golds", "silvers"])
def test_every_word_is_as_misaki_has_it(both, name):
    ours, theirs = (getattr(lexicon, name) for lexicon in both)
    assert [word for word, entry in theirs.items() if ours.get(word) != entry] == []


def test_words_that_misaki_lacks_are_not_there(both):
    ours, theirs = both
    words = [form for word in list(theirs.golds)[::50] for form in (word.upper(), f"{word}q", word[:-1])]
    words += ["", '"', "{", "}", "\n", "é", "\ud800", "\u212a", "ſun", "zzz", "DEFAULT", 'a": {\n', "aB"]
    assert [word for word in words if (word in ours.golds) != (word in theirs.golds)] == []


def test_homographs_are_those_of_misaki(both):
    ours, theirs = both
    assert homographs(ours.golds.dependent()) == homographs(theirs.golds)


def test_everything_else_that_misaki_sets_is_set(both):
    ours, theirs = ({**vars(lexicon), "golds": None, "silvers": None} for lexicon in both)
    assert ours == theirs


def test_a_word_brings_its_other_case_unless_that_is_there_itself(tmp_path):
    path = tmp_path / "lexicon.json"
    entries = {"Polish": {"DEFAULT": "A", "NOUN": None}, "Rome": {"DEFAULT": "B"}, "a": "C", "cat": "D", "polish": "E"}
    path.write_text(json.dumps(entries, indent=2, ensure_ascii=False), encoding="utf-8")
    file = LexiconFile(path)
    assert dict(file) == en.Lexicon.grow_dictionary(entries)
    assert len(file) == 7
    assert file.dependent() == {"Polish": entries["Polish"], "Rome": entries["Rome"], "rome": entries["Rome"]}


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("cat", "Cat"),
        ("Cat", "cat"),
        ("CAT", None),
        ("a", None),
        ("A", None),
        ("'em", None),
        ("ß", None),
        ("été", None),
    ],
)
def test_other_case(word, other):
    assert other_case(word) == other


@pytest.mark.parametrize(
    ("written", "phonemes"),
    [
        ("Shh!", "ʃ!"),
        ("Ssshhh!", "ʃ!"),
        ("SHH!", "ʃ!"),
        ("Brr.", "bɹ."),
        ("Grrr.", "ɡɹ."),
        ("Zzz.", "z."),
        ("Zzzzzz.", "z."),
        ("Pssst!", "pst!"),
        ("Hmmmmmmm.", "hm."),
        ("Hmph!", "hmf!"),
        ("Tsk.", "tsk."),
        ("Pffft!", "pft!"),
    ],
)
def test_an_interjection_without_a_vowel_is_its_consonants(american, written, phonemes):
    assert sounds(american, written) == phonemes


@pytest.mark.parametrize("text", ["RSS", "CSS", "SSL", "BBC", "HTTP", "KKK", "the css", "a pp"])
def test_abbreviations_without_a_vowel_are_spelled(american, text):
    *words, last = text.split()
    assert same_as(american, text, " ".join([*words, ".".join(last.upper())]))


@pytest.mark.parametrize(
    ("stuttered", "first", "word"),
    [
        ("W-what", "w", "what"),
        ("B-but", "b", "but"),
        ("N-n-no", "nn", "no"),
        ("Th-that", "ð", "that"),
        ("Wh-where", "w", "where"),
        ("St-stop", "st", "stop"),
        ("Z-Zorgle", "z", "Zorgle"),
        ("K-know", "n", "know"),
        ("A-apples", "æ", "apples"),
        ("W—what", "w", "what"),
        ("W...what", "w", "what"),
        ("B-b-b-b-b-b-but", "bb", "but"),
    ],
)
def test_a_stutter_repeats_the_first_sound(american, stuttered, first, word):
    assert sounds(american, f"{stuttered}?") == first + sounds(american, f"{word}?")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("I-I know.", "I I know."),
        ("A T-shirt.", "A tee shirt."),
        ("A t-test.", "A tee test."),
        ("An X-ray.", "An ex ray."),
        ("Try plan B—but now.", "Try plan bee—but now."),
    ],
)
def test_other_letters_before_a_hyphen_are_names(american, written, plain):
    assert same_as(american, written, plain)


def test_contractions_end_like_those_that_the_lexicon_has(american, british):
    assert sounds(american, "who're") == "huəɹ"
    assert sounds(british, "who're") == "huːə"
    assert sounds(american, "Zorg'll").endswith("zɔɹɡəl")
    assert sounds(american, "that'd").endswith("əd")
    assert sounds(american, "We'd've gone.") == sounds(american, "We'd") + "əv" + sounds(american, "gone.")
    assert sounds(american, "Darcy'd").endswith("id")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("'Tis the season.", "'tis the season."),
        ("’Twas a dark night.", "'twas a dark night."),
        ("“'Twould do.”", "'twould do."),
        ("`Tis done.", "'tis done."),
        ("I won`t go and he can`t.", "I won't go and he can't."),
        ("The end o' th' year.", "The end o' the year."),
        ("He went thro' it.", "He went through it."),
        ("'Round the corner.", "Round the corner."),
        ("He said 'no' then.", "He said no then."),
        ("The dogs' tails.", "The dogs' tails."),
    ],
)
def test_apostrophes_keep_their_words(american, written, plain):
    assert same_as(american, written, plain)


WORDS = sorted([*(f"w{number}" for number in range(3000)), "été", "ü", "♥"])


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.txt"
    entries = [f"{word} <{word}>" for word in WORDS]
    path.write_text("\n".join([";; about", ";; z not a word", *entries, ""]), encoding="utf-8")
    assert path.stat().st_size > 5 * BLOCK_BYTES
    return path


def test_every_word_is_found(lines):
    file = SortedFile(lines, "\n", " ", ";;")
    assert [file.after(word) for word in WORDS] == [f"<{word}>" for word in WORDS]


@pytest.mark.parametrize("word", ["", " ", "a", "w", "w30000", "zz", ";;", "é", "\ud800", "\U0010ffff"])
def test_no_other_word_is_found(lines, word):
    assert SortedFile(lines, "\n", " ", ";;").after(word) is None


@pytest.mark.parametrize("word", ["w0 <w0>\nw1", "w0 <w0>", "w0\n", "w0 "])
def test_a_lookup_beyond_one_word_finds_nothing(lines, word):
    assert SortedFile(lines, "\n", " ", ";;").after(word) is None


def test_a_file_without_entries_has_no_words(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    assert SortedFile(path, "\n", " ").after("word") is None
    assert SortedFile(path, "\n", " ").text() == ""


def test_a_replaced_file_is_still_read_as_it_was(lines, tmp_path):
    file = SortedFile(lines, "\n", " ", ";;")
    other = tmp_path / "other.txt"
    other.write_text("\na b\n", encoding="utf-8")
    os.replace(other, lines)
    assert file.after("w2999") == "<w2999>"


def test_the_file_closes_when_nothing_references_it(lines):
    def open_files() -> int:
        return len(os.listdir("/dev/fd"))

    gc.collect()  # nothing else may close in the meantime
    before = open_files()
    file = SortedFile(lines, "\n", " ", ";;")
    assert open_files() == before + 1
    del file
    assert open_files() == before


_WORDS = (
    "zorgify kubernetes tomato Vladivostok schadenfreude button mountain little kitten Llanelli Bach chutzpah bear "
    "beer bird nurse goat face price mouth choice Nguyen Tchaikovsky x-ray rhythm prism isn't café-noir qwrtz goatherd "
    "loch rural squirrel milieu señor canyon McKenzie wugs blick frobnicate Szczecin aeolian quay"
)
UNKNOWN_WORDS = _WORDS.split()


@pytest.mark.parametrize("british", [False, True])
def test_words_sound_as_misaki_wants_them(british):
    import_spacy()
    from misaki.espeak import EspeakFallback  # loads phonemizer

    theirs = EspeakFallback(british)
    ours = LetterToSound(british)
    for word in UNKNOWN_WORDS:
        assert ours.phonemes(word) == theirs(MToken(text=word, tag="NN", whitespace=""))[0]


def test_two_accents_live_side_by_side():
    american, british = LetterToSound(british=False), LetterToSound(british=True)
    assert american.phonemes("tomato") == "təmˈATO"
    assert british.phonemes("tomato") == "təmˈɑːtQ"
    assert american.phonemes("tomato") == "təmˈATO"


@pytest.mark.parametrize(
    "text", ["a" * 300, "привет", "\x00", "", "🙂", "-", "漢字", "a b", "’", "\ud800", "déjà", "."]
)
def test_any_word_is_survived(text):
    assert "(" not in LetterToSound(british=False).phonemes(text)


def test_nothing_is_left_in_the_folder_for_temporary_files(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    LetterToSound(british=False).phonemes("zorg")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_an_error_of_the_system(monkeypatch):
    monkeypatch.setattr(letter_to_sound, "find_spec", lambda name: None)
    with pytest.raises(OSError, match="installed"):
        LetterToSound(british=True)


def test_a_folder_without_a_library_is_an_error_of_the_system(monkeypatch, tmp_path):
    (tmp_path / "espeak-ng-data").mkdir()
    (tmp_path / "espeak-ng-data" / "phontab").touch()
    found = SimpleNamespace(submodule_search_locations=[tmp_path])
    monkeypatch.setattr(letter_to_sound, "find_spec", lambda name: found)
    with pytest.raises(OSError, match="for this system"):
        LetterToSound(british=True)


class Letters:
    """A lexicon of letters."""

    def get_NNP(self, letter: str) -> tuple[str | None, int | None]:
        return (f"<{letter}>", 3) if letter.isascii() else (None, None)


def token(text: str) -> MToken:
    return MToken(text=text, tag="NN", whitespace="", start_ts=5, end_ts=5 + len(text))


def test_spelling_decides_first():
    words = UnknownWords(Letters(), load_letter_to_sound(british=False))
    assert words(token("zorgify")) == ("zˈɔɹʤᵻfˌI", 2)
    assert words.reports() == []


def test_without_it_words_are_spelled_and_reported():
    words = UnknownWords(Letters(), None)
    assert words(token("ab"))[0] == "<a> <b>"
    assert words(token("漢"))[0] == ""
    reports = words.reports()
    assert [(start, end) for _, start, end in reports] == [(5, 7), (5, 6)]
    assert "spelled" in reports[0][0]
    assert "skipped" in reports[1][0]
    assert words.reports() == []


@pytest.mark.parametrize("error", [OSError("no library"), AttributeError("espeak_Initialize")])
def test_a_library_that_does_not_load_is_done_without(monkeypatch, error):
    def fail(british: bool) -> None:
        raise error

    monkeypatch.setattr(english, "LetterToSound", fail)
    assert load_letter_to_sound(british=True) is None


@pytest.fixture(scope="module")
def pronouncer() -> Pronouncer:
    import_spacy()
    return Pronouncer(british=False, load_analyzer=load_offline_analyzer)


def test_words_carry_phonemes_and_places(pronouncer):
    words = pronouncer.pronounce("The cat's mat.")
    assert [(word.text, word.phonemes, word.start, word.end, word.space) for word in words] == [
        ("The", "ðə", 0, 3, True),
        ("cat's", "kˈæts", 4, 9, True),
        ("mat", "mˈæt", 10, 13, False),
        (".", ".", 13, 14, False),
    ]


def test_an_override_may_cover_words_or_a_part_of_one(pronouncer):
    words = pronouncer.pronounce("New York prefix", [Override(0, 8, phonemes="X"), Override(12, 15, phonemes="Y")])
    assert words[0].phonemes == "X"
    assert (words[0].start, words[0].end) == (0, 8)
    assert words[-1].phonemes.endswith("Y")


def test_stress_and_number_flags_reach_misaki(pronouncer):
    plain, stressed = pronouncer.pronounce("Chinese"), pronouncer.pronounce("Chinese", [Override(0, 7, stress=-2)])
    assert "ˈ" in plain[0].phonemes
    assert "ˈ" not in stressed[0].phonemes
    assert "ænd" in pronouncer.pronounce("123", [Override(0, 3, number_flags="&")])[0].phonemes


def test_a_failure_of_misaki_costs_one_word_only(pronouncer, monkeypatch):
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
def test_text_that_trips_misaki_is_spoken_or_reported(pronouncer, text):
    pronouncer.unknown_words.reports()
    words = pronouncer.pronounce(text)
    reported = pronouncer.unknown_words.reports()
    assert reported or any(word.phonemes for word in words) or not any(character.isalnum() for character in text)


def test_homographs_are_those_whose_class_matters():
    lexicon = {
        "cat": "x",
        "record": {"DEFAULT": "a", "VERB": "b"},
        "could": {"DEFAULT": "a", "None": "b"},
        "AD": {"DEFAULT": "a", "NOUN": None},
    }
    assert homographs(lexicon) == {"record": {"VERB"}}
