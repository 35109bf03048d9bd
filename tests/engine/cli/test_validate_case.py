"""Failing cases on the command line."""

import json
from pathlib import Path

import pytest

from engine.errors import InvalidRequest, OutputError
from tests.engine.cli.test_validate import outcome

TEXT = ("--text", "Hello there.", "--model", "starter")
NO_PACK = (*TEXT, "--regimes", "static-no-pack")
UNLIMITED = (*NO_PACK, "--reduce", "--reduce-seconds", "1e9")


def test_a_failure_is_reduced_saved_and_run_again(tmp_path: Path) -> None:
    file = tmp_path / "case.safetensors"
    made = outcome(*UNLIMITED, "--case-stage", "text_encoder", "--save-case", str(file))
    case = made.data["case"]
    assert case["stage"] == "text_encoder"
    assert len(case["phonemes"]) <= 5
    assert case["elements"]["first"]["ulps"] > 0
    assert f"--case {file}" in made.words
    again = outcome("--case", str(file), "--json", str(tmp_path / "case.json"))
    assert not again.passed
    assert again.data["elements"] == case["elements"]
    assert json.loads((tmp_path / "case.json").read_text(encoding="utf-8"))["fails"]
    assert again.words.startswith("It still fails.")


def test_a_case_is_saved_without_being_reduced(tmp_path: Path) -> None:
    made = outcome(*NO_PACK, "--save-case", str(tmp_path / "case.safetensors"))
    assert made.data["case"]["stage"] == "duration"
    assert made.data["case"]["inputs"] == []
    assert made.data["case"]["words"].splitlines()[0].startswith("Saved with ")
    assert (tmp_path / "case.safetensors").stat().st_size > 0


def test_where_nothing_fails_nothing_is_saved(tmp_path: Path) -> None:
    made = outcome(*TEXT, "--regimes", "compiled", "--reduce", "--save-case", str(tmp_path / "case.safetensors"))
    assert made.passed
    assert "case" not in made.data
    assert made.words.endswith("there is no failing case to save or reduce.")
    assert not any(tmp_path.iterdir())


def test_bad_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="There is no stage"):
        outcome(*NO_PACK, "--reduce", "--case-stage", "nonsense")
    with pytest.raises(OutputError, match="does not exist"):
        outcome(*NO_PACK, "--save-case", str(tmp_path / "nowhere" / "case.safetensors"))
