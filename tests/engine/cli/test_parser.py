"""Commands and options as they are typed."""

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli import command
from engine.cli.documents import document_of
from engine.cli.parser import COMMANDS, build_parser
from engine.cli.speak import DEFAULT_OUTPUT, text_of
from engine.cli.validate import request_from
from engine.errors import EngineError, InvalidRequest, UnusableDocument


def test_every_command_can_be_carried_out(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["--help"])
    assert ended.value.code == 0
    words = capsys.readouterr().out
    listed = [line.split()[0] for line in words.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == list(COMMANDS)
    assert build_parser().parse_args(["voices"]).command == "voices"


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


@pytest.mark.parametrize("parser", list(parsers(build_parser())), ids=lambda parser: parser.prog)
def test_every_command_and_option_has_its_help(parser: argparse.ArgumentParser) -> None:
    assert parser.description
    plain = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    assert [action.dest for action in plain if not action.help] == []


def test_help_names_the_regimes_that_are_compared_by_default() -> None:
    (validate,) = (each for each in parsers(build_parser()) if each.prog.endswith(" validate"))
    options = validate.parse_args([])
    (regimes,) = (action for action in validate._actions if action.dest == "regimes")
    assert regimes.help is not None
    assert f"(default: {','.join(request_from(options).regimes)};" in regimes.help


@pytest.mark.parametrize("words", [[], ["sing"], ["speak", "Hi", "--seed", "one"]])
def test_what_is_no_command_is_refused_with_what_is(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(words)
    assert ended.value.code == 2
    assert "usage: python -m engine" in capsys.readouterr().err


def test_without_a_name_the_best_model_is_meant(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = build_parser()
    monkeypatch.setattr(command, "default_model", lambda: "the best")
    for words in (["speak", "Hi"], ["voices"], ["voices", "save", "a", "b"], ["validate"]):
        assert parser.parse_args(words).model == "the best"
    named = ["voices", "--model", "kokoro-82m-8bit", "save", "a", "b"]
    assert parser.parse_args(named).model == parser.parse_args([*named[:1], *named[3:], *named[1:3]]).model == named[2]

    def damaged() -> str:
        raise EngineError("The list of models cannot be read.")

    monkeypatch.setattr(command, "default_model", damaged)
    with pytest.raises(SystemExit):
        parser.parse_args(["speak", "Hi"])
    assert "The list of models cannot be read." in capsys.readouterr().err


def piped(content: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="ascii")


@pytest.mark.parametrize("content", ["Grüße".encode(), "Grüße".encode("cp1252"), "Grüße".encode("utf-16")])
def test_standard_input_is_decoded_as_a_file_is(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", piped(content))
    assert text_of(build_parser().parse_args(["speak", "-"]), None).text == "Grüße"


def test_what_was_guessed_of_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", piped("Grüße".encode("cp1252")))
    (notice,) = text_of(build_parser().parse_args(["speak", "-"]), None).notices
    assert "Windows-1252" in notice


@pytest.mark.parametrize(
    ("stdin", "words"), [(None, "Standard input is closed"), (piped(b"\x89PNG\x00\x01"), "is not a text")]
)
def test_standard_input_that_has_no_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, stdin: io.TextIOWrapper | None, words: str
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InvalidRequest, match=words):
        text_of(build_parser().parse_args(["speak", "-"]), None)


def test_the_text_comes_from_the_line_a_file_or_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*words: str) -> str:
        options = build_parser().parse_args(["speak", *words])
        return text_of(options, document_of(options)).text

    path = tmp_path / DEFAULT_OUTPUT.with_suffix(".txt")
    path.write_text("Grüße", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", piped(b"from a pipe"))
    assert asked("Hi") == "Hi"
    assert asked("--file", str(path)) == "Grüße"
    assert asked("-") == "from a pipe"
    with pytest.raises(InvalidRequest, match="No text was given"):
        asked()
    with pytest.raises(UnusableDocument, match="missing"):
        asked("--file", str(tmp_path / "missing.txt"))
