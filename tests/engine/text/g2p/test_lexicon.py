import gc
import json
import os
from pathlib import Path

import pytest
from misaki import en

from engine.text.g2p import Phonemizer
from engine.text.g2p.english import homographs
from engine.text.g2p.lexicon import Lexicon, LexiconFile, other_case
from engine.text.g2p.sorted_file import BLOCK_BYTES, SortedFile
from tests.engine.text.g2p.plain_words import same_as, sounds


@pytest.fixture(scope="module", params=[False, True], ids=["American", "British"])
def both(request: pytest.FixtureRequest) -> tuple[Lexicon, en.Lexicon]:
    return Lexicon(request.param), en.Lexicon(request.param)


@pytest.mark.parametrize("name", ["golds", "silvers"])
def test_every_word_is_as_misaki_has_it(both: tuple[Lexicon, en.Lexicon], name: str) -> None:
    ours, theirs = (getattr(lexicon, name) for lexicon in both)
    assert [word for word, entry in theirs.items() if ours.get(word) != entry] == []


def test_words_that_misaki_lacks_are_not_there(both: tuple[Lexicon, en.Lexicon]) -> None:
    ours, theirs = both
    words = [form for word in list(theirs.golds)[::50] for form in (word.upper(), f"{word}q", word[:-1])]
    words += ["", '"', "{", "}", "\n", "é", "\ud800", "\u212a", "ſun", "zzz", "DEFAULT", 'a": {\n', "aB"]
    assert [word for word in words if (word in ours.golds) != (word in theirs.golds)] == []


def test_homographs_are_those_of_misaki(both: tuple[Lexicon, en.Lexicon]) -> None:
    ours, theirs = both
    assert homographs(ours.golds.dependent()) == homographs(theirs.golds)


def test_everything_else_that_misaki_sets_is_set(both: tuple[Lexicon, en.Lexicon]) -> None:
    ours, theirs = ({**vars(lexicon), "golds": None, "silvers": None} for lexicon in both)
    assert ours == theirs


def test_a_word_brings_its_other_case_unless_that_is_there_itself(tmp_path: Path) -> None:
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
def test_other_case(word: str, other: str | None) -> None:
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
def test_an_interjection_without_a_vowel_is_its_consonants(american: Phonemizer, written: str, phonemes: str) -> None:
    assert sounds(american, written) == phonemes


@pytest.mark.parametrize("text", ["RSS", "CSS", "SSL", "BBC", "HTTP", "KKK", "the css", "a pp"])
def test_abbreviations_without_a_vowel_are_spelled(american: Phonemizer, text: str) -> None:
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
def test_a_stutter_repeats_the_first_sound(american: Phonemizer, stuttered: str, first: str, word: str) -> None:
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
def test_other_letters_before_a_hyphen_are_names(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


def test_contractions_end_like_those_that_the_lexicon_has(american: Phonemizer, british: Phonemizer) -> None:
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
def test_apostrophes_keep_their_words(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


WORDS = sorted([*(f"w{number}" for number in range(3000)), "été", "ü", "♥"])


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.txt"
    entries = [f"{word} <{word}>" for word in WORDS]
    path.write_text("\n".join([";; about", ";; z not a word", *entries, ""]), encoding="utf-8")
    assert path.stat().st_size > 5 * BLOCK_BYTES
    return path


def test_every_word_is_found(lines: Path) -> None:
    file = SortedFile(lines, "\n", " ", ";;")
    assert [file.after(word) for word in WORDS] == [f"<{word}>" for word in WORDS]


@pytest.mark.parametrize("word", ["", " ", "a", "w", "w30000", "zz", ";;", "é", "\ud800", "\U0010ffff"])
def test_no_other_word_is_found(lines: Path, word: str) -> None:
    assert SortedFile(lines, "\n", " ", ";;").after(word) is None


@pytest.mark.parametrize("word", ["w0 <w0>\nw1", "w0 <w0>", "w0\n", "w0 "])
def test_what_reaches_beyond_a_word_is_none(lines: Path, word: str) -> None:
    assert SortedFile(lines, "\n", " ", ";;").after(word) is None


def test_a_file_without_entries_has_no_words(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    assert SortedFile(path, "\n", " ").after("word") is None
    assert SortedFile(path, "\n", " ").text() == ""


def test_a_replaced_file_is_still_read_as_it_was(lines: Path, tmp_path: Path) -> None:
    file = SortedFile(lines, "\n", " ", ";;")
    other = tmp_path / "other.txt"
    other.write_text("\na b\n", encoding="utf-8")
    os.replace(other, lines)
    assert file.after("w2999") == "<w2999>"


def test_it_is_closed_when_nobody_holds_it(lines: Path) -> None:
    file = SortedFile(lines, "\n", " ", ";;")
    descriptor = file._file
    os.fstat(descriptor)
    del file
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
