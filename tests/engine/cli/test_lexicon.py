"""`engine lexicon`, from the command line to the next plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from engine.cli.parser import run_command
from engine.text.g2p.user_lexicon.store import UserLexicon


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    UserLexicon().path.unlink(missing_ok=True)
    yield
    UserLexicon().path.unlink(missing_ok=True)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run_command(["lexicon", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command(["lexicon", *arguments]) == 1
    return capsys.readouterr().err


def test_an_added_word_is_in_the_next_plan(capsys):
    added = answer(capsys, "add", "Zorg", "--phonemes", "/zɔːrɡ/")
    assert added == {
        "word": "Zorg", "pattern": "", "phonemes": "zɔːrɡ", "say": "", "part_of_speech": "", "case": "any",
        "language": "en",
    }  # fmt: skip
    assert run_command(["plan", "Dr. Zorg's 5 Zorgs.", "--model", "starter", "--json"]) == 0
    (chapter,) = json.loads(capsys.readouterr().out)["chapters"]
    words = [word for utterance in chapter["utterances"] for word in utterance["words"]]
    assert [(word["text"], word["phonemes"], word["source"]) for word in words if word["source"] == "you"] == [
        ("Zorg's", "zɔɹɡz", "you"),
        ("Zorgs", "zɔɹɡz", "you"),
    ]


def test_entries_are_listed_by_language_and_text(capsys):
    answer(capsys, "add", "Zorg", "--say", "zorgue", "--language", "en-gb", "--case", "exact")
    answer(capsys, "add", "--pattern", r"(\d+)k\b", "--say", r"\1 thousand")
    answer(capsys, "add", "lead", "--phonemes", "lˈɛd", "--pos", "noun")
    answer(capsys, "add", "casa", "--say", "piso", "--language", "es")

    def titles(*arguments: str) -> list[str]:
        return [entry["word"] or entry["pattern"] for entry in answer(capsys, "list", *arguments)]

    assert titles() == ["Zorg", r"(\d+)k\b", "lead", "casa"]
    assert titles("--language", "en-US") == [r"(\d+)k\b", "lead"]
    assert titles("--language", "en") == ["Zorg", r"(\d+)k\b", "lead"]
    assert titles("--language", "es") == ["casa"]
    assert titles("--search", "THOUSAND") == [r"(\d+)k\b"]
    assert titles("--search", "lˈɛ") == ["lead"]
    assert run_command(["lexicon", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "“Zorg”: “zorgue” (en-GB, exact case)",
        r"pattern “(\d+)k\b”: “\1 thousand” (en)",
        "“lead”: /lˈɛd/ (en, noun)",
        "“casa”: “piso” (es)",
    ]


def test_a_word_is_removed(capsys):
    answer(capsys, "add", "Zorg", "--say", "a")
    assert [entry["word"] for entry in answer(capsys, "remove", "zorg")] == ["Zorg"]
    assert answer(capsys, "list") == []
    assert "isn’t in your lexicon" in error(capsys, "remove", "zorg")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["add", "Zorg", "--phonemes", "zж5"], "“ж”, “5”"),
        (["add", "Zorg"], "phonemes or words"),
        (["add"], "word or a pattern"),
        (["add", "--pattern", "(", "--say", "a"], "regular expression"),
        (["add", "Zorg", "--say", "a", "--language", "xx"], "Unsupported language"),
        (["list", "--language", "xx"], "Unsupported language"),
        (["import", "missing.csv"], "isn’t a file"),
    ],
)
def test_bad_input_is_refused(capsys, arguments, problem):
    assert problem in error(capsys, *arguments)
    assert UserLexicon().entries() == ()


def test_usable_lines_are_imported_and_exported_again(capsys, tmp_path):
    path, copy = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("word,phonemes\nZorg,zɔɹɡ\nBad,ж\nYes,jɛs\n", encoding="utf-8")
    imported = answer(capsys, "import", str(path))
    assert imported["entries"] == 2
    assert imported["refused"] == [{"line": 3, "reason": "“ж” in “ж” isn’t in the model’s alphabet."}]
    assert answer(capsys, "export", str(copy)) == {"file": str(copy), "entries": 2}
    answer(capsys, "remove", "Zorg")
    assert answer(capsys, "import", str(copy))["entries"] == 2


def test_an_import_fails_if_no_line_is_usable(capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("word,phonemes\n" + "Bad,ж\n" * 200, encoding="utf-8")
    assert run_command(["lexicon", "import", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["100 more lines were refused; --json lists them.", "Imported 0 entries, refused 200."]


def test_a_damaged_lexicon_is_reported(capsys):
    UserLexicon().path.parent.mkdir(parents=True, exist_ok=True)
    UserLexicon().path.write_text("{")
    for arguments in (["list"], ["add", "a", "--say", "b"], ["remove", "a"]):
        assert "can’t be read" in error(capsys, *arguments)
    assert UserLexicon().path.read_text() == "{"
