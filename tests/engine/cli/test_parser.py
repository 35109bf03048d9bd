"""Commands and options as they are typed."""

import io
import sys
from pathlib import Path

import pytest

from engine.cli.parser import COMMANDS, build_parser
from engine.cli.speak import DEFAULT_OUTPUT, text_of
from engine.errors import InvalidRequest


def test_every_command_can_be_carried_out(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["--help"])
    assert ended.value.code == 0
    words = capsys.readouterr().out
    listed = [line.split()[0] for line in words.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == list(COMMANDS)
    assert build_parser().parse_args(["voices"]).command == "voices"


@pytest.mark.parametrize("words", [[], ["sing"], ["speak", "Hi", "--seed", "one"]])
def test_what_is_no_command_is_refused_with_what_is(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(words)
    assert ended.value.code == 2
    assert "usage: python -m engine" in capsys.readouterr().err


def test_the_text_comes_from_the_line_a_file_or_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*words: str) -> str:
        return text_of(build_parser().parse_args(["speak", *words]))

    path = tmp_path / DEFAULT_OUTPUT.with_suffix(".txt")
    path.write_text("Grüße", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe"))
    assert asked("Hi") == "Hi"
    assert asked("--file", str(path)) == "Grüße"
    assert asked("-") == "from a pipe"
    with pytest.raises(InvalidRequest, match="No text was given"):
        asked()
    with pytest.raises(InvalidRequest, match="cannot be read"):
        asked("--file", str(tmp_path / "missing.txt"))
