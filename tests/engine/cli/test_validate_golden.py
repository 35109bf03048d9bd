"""Golden runs from the command line: made, passed, and failed by one error that has grown."""

import json
from pathlib import Path

import pytest

from engine.cli.command import Outcome
from engine.errors import InvalidRequest
from tests.engine.cli.test_validate import outcome

STARTER = ("--model", "starter")
HELLO = (*STARTER, "--text", "Hello.", "--regimes", "upstream,compiled")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    path = tmp_path_factory.mktemp("golden") / "golden.json"
    return path, outcome(*HELLO, "--save-golden", str(path))


def with_error(path: Path, output: str, times: float) -> None:
    plain = json.loads(path.read_text(encoding="utf-8"))
    for error in plain["errors"]:
        if error["output"] == output:
            error["relative_l2"] *= times
    path.write_text(json.dumps(plain), encoding="utf-8")


def test_the_same_again_passes(made: tuple[Path, Outcome]) -> None:
    path, first = made
    assert first.passed
    assert "There is no golden run of this text" in first.words
    again = outcome(*HELLO, "--golden", str(path))
    assert again.passed
    assert "The golden run is of the same build" in again.words
    compiled = [row for row in again.data["rows"] if row["regime"] == "compiled" and row["relative_l2"] is not None]
    assert {row["times_golden"] <= 1 for row in compiled} == {True}
    assert {row["verdict"] for row in compiled} == {"pass"}


def test_one_error_that_has_grown_fails_and_is_named(made: tuple[Path, Outcome], tmp_path: Path) -> None:
    path = tmp_path / "better.json"
    path.write_bytes(made[0].read_bytes())
    with_error(path, "magnitude", 1 / 30)
    failed = outcome(*HELLO, "--golden", str(path))
    assert not failed.passed
    assert failed.data["passed"]
    assert {row["output"] for row in failed.data["rows"] if row["verdict"] == "worse"} == {"magnitude"}
    assert "compiled: decoder's magnitude is within its tolerance, but its error is 30 × that of the golden run." in (
        " ".join(failed.words.split())
    )


def test_what_the_golden_run_does_not_have_fails_too(made: tuple[Path, Outcome], tmp_path: Path) -> None:
    path = tmp_path / "less.json"
    plain = json.loads(made[0].read_text(encoding="utf-8"))
    plain["errors"] = [error for error in plain["errors"] if error["output"] != "f0"]
    path.write_text(json.dumps(plain), encoding="utf-8")
    failed = outcome(*HELLO, "--golden", str(path))
    assert not failed.passed
    assert "The golden run has no error for: f0." in failed.words


def test_a_golden_run_of_something_else_is_refused(made: tuple[Path, Outcome]) -> None:
    with pytest.raises(InvalidRequest, match="is of another text and another seed"):
        outcome(*STARTER, "--text", "Bye.", "--seed", "1", "--regimes", "compiled", "--golden", str(made[0]))


@pytest.mark.parametrize("other", [("--fuzz", "2"), ("--text-parity",), ("--case", "case.zip")])
@pytest.mark.parametrize("option", ["--golden", "--save-golden"])
def test_only_a_run_of_a_text_has_a_golden_run(other: tuple[str, ...], option: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=f"{other[0]} has no golden run"):
        outcome(*STARTER, *other, option, str(tmp_path / "golden.json"))


def test_nothing_compiled_makes_no_golden_run(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be golden"):
        outcome(*STARTER, "--text", "Hm.", "--regimes", "upstream", "--save-golden", str(tmp_path / "g.json"))
