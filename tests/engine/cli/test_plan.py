import json
from typing import Any

import pytest

from engine.cli.parser import run_command
from engine.cli.plan import COMMAND

TEXT = "The FBI of [Kokoro](/kˈOkəɹO/) blorfifies <b>it</b> on May 5. (漢字) 😀 NASA!"


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run_command([COMMAND.name, *arguments, "--model", "starter", "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_each_word_reports_the_source_of_its_pronunciation(capsys):
    (chapter,) = planned(capsys, TEXT)["chapters"]
    words = [word for utterance in chapter["utterances"] for word in utterance["words"]]
    assert chapter["title"] is None
    assert [(word["text"], word["source"]) for word in words] == [
        ("The", "lexicon"),
        ("FBI", "letters"),
        ("of", "lexicon"),
        ("[Kokoro](/kˈOkəɹO/)", "markup"),
        ("blorfifies", "espeak"),
        ("<b>", "silent"),
        ("it", "lexicon"),
        ("</b>", "silent"),
        ("on", "lexicon"),
        ("May", "lexicon"),
        ("5", "rule: dates"),
        ("(漢字)", "silent"),
        ("😀", "rule: characters"),
        ("NASA", "lexicon"),
    ]
    assert all(TEXT[word["start"] : word["end"]] == word["text"] for word in words)
    assert all(bool(word["phonemes"]) is (word["source"] != "silent") for word in words)


def test_words_are_parts_of_the_phonemes_of_their_utterance(capsys):
    (chapter,) = planned(capsys, TEXT)["chapters"]
    for utterance in chapter["utterances"]:
        spoken = [word["phonemes"] for word in utterance["words"]]
        assert TEXT[utterance["start"] : utterance["end"]] == utterance["text"]
        assert "".join(utterance["phonemes"].split()).startswith("".join(spoken[0].split()))
        assert all(phonemes in utterance["phonemes"] for phonemes in spoken)


def test_words_have_their_tags(capsys):
    data = planned(capsys, "[slow]Are [rise]you?[/slow] No. [fast]x")
    words = [word for utterance in data["chapters"][0]["utterances"] for word in utterance["words"]]
    assert [(word["text"], word["tags"]) for word in words] == [
        ("Are", ["slow"]), ("you", ["slow", "rise"]), ("No", []), ("x", []),
    ]  # fmt: skip
    assert [each["message"] for each in data["notices"] if "[/fast]" in each["message"]]
    assert run_command([COMMAND.name, "Are [rise]you?", "--model", "starter"]) == 0
    assert "[rise]" in capsys.readouterr().out.splitlines()[2]


def test_omitted_text_is_reported(capsys):
    notices = planned(capsys, TEXT)["notices"]
    assert [TEXT[notice["start"] : notice["end"]] for notice in notices] == ["<b>", "</b>", "漢字"]


def test_a_document_is_planned_by_chapters(tmp_path, capsys):
    path = tmp_path / "a.md"
    path.write_text("# One\n\nIt begins.\n\n# Two\n\n漢字\n\n# Three\n\nIt ends.")
    chapters = planned(capsys, "--file", str(path))["chapters"]
    assert [(chapter["title"], chapter["text"]) for chapter in chapters] == [
        ("One", "One\n\nIt begins."),
        ("Two", "Two\n\n漢字"),
        ("Three", "Three\n\nIt ends."),
    ]
    assert chapters[0]["utterances"][0]["words"][0]["text"] == "One"


def test_people_read_a_table(capsys):
    assert run_command([COMMAND.name, "In 1984.", "--model", "starter"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["0", "In", "1984"]


@pytest.mark.parametrize("arguments", [[], ["…"], ["Hi", "--file", "a.txt"], ["Hi", "--voice", "nobody"]])
def test_an_impossible_plan_reports_an_error(arguments, capsys):
    assert run_command([COMMAND.name, *arguments]) != 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "error:" in said.err


def test_other_languages_tell_their_rules_too(capsys):
    (chapter,) = planned(capsys, "Louis XIV a 5 km.", "--language", "fr-FR")["chapters"]
    words = [word for utterance in chapter["utterances"] for word in utterance["words"]]
    assert [(word["text"], word["source"]) for word in words] == [
        ("Louis", "espeak"),
        ("XIV", "rule: numerals"),
        ("a", "espeak"),
        ("5", "espeak"),
        ("km", "rule: quantities"),
    ]


def test_a_number_with_a_power_is_one_word(capsys):
    (chapter,) = planned(capsys, "About 10⁶ stars, 100² of them.")["chapters"]
    words = [word["text"] for utterance in chapter["utterances"] for word in utterance["words"]]
    assert words == ["About", "10⁶", "stars", "100²", "of", "them"]
