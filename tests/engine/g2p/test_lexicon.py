"""The lexicon in misaki's files gives the entries of misaki's own."""

import json
from pathlib import Path

import pytest
from misaki import en

from engine.g2p.lexicon import Lexicon, LexiconFile, other_case
from engine.g2p.phonemes import homographs


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
