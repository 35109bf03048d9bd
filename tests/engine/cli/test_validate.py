"""What `engine validate` leaves behind: figures, words, files."""

import argparse
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.cli.validate import Outcome, outcome_of
from engine.cli.validate_options import add_options
from engine.errors import EngineError
from engine.validator.results import Regime
from engine.validator.wire import Wire


def outcome(*arguments: str) -> Outcome:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="starter")
    parser.add_argument("--weights")
    add_options(parser)
    return outcome_of(parser.parse_args(arguments), lambda: "all is well", lambda event: None)


def test_figures_and_words_tell_the_same() -> None:
    made = outcome("--text", "Hello there.", "--regimes", "dynamic,static-no-pack,compiled", "--padding", "4")
    assert made.passed
    assert made.data["passed"]
    rows = made.data["rows"]
    assert {row["regime"] for row in rows} == {"static-no-pack", "compiled"}
    assert {"regime", "reference", "reading", "stage", "pearson", "max_abs", "verdict"} <= rows[0].keys()
    assert "packing matters" in made.words
    assert Wire().report_from_dict({name: made.data[name] for name in made.data if name not in ("lstms", "sweep")})


def test_all_files_are_written(tmp_path: Path) -> None:
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "html", "npz", "zip")}
    made = outcome(
        *("--text", "Hello there.", "--regimes", "compiled", "--lstm", "--sweep", "padding"),
        *("--json", str(files["json"]), "--html", str(files["html"]), "--npz", str(files["npz"])),
        *("--wav-dir", str(tmp_path / "wavs"), "--bundle", str(files["zip"])),
    )
    written = json.loads(files["json"].read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(made.data))
    assert {comparison["stage"] for comparison in written["lstms"]} == {"duration", "text_encoder"}
    assert {point["regime"] for point in written["sweep"]} >= {"static-no-pack", "compiled-padded"}
    assert files["html"].read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert "u0000/compiled/own-fed/audio" in np.load(files["npz"])
    assert all(soundfile.info(path).subtype == "FLOAT" for path in (tmp_path / "wavs").iterdir())
    with zipfile.ZipFile(files["zip"]) as bundle:
        assert b"all is well" in b"".join(bundle.read(name) for name in bundle.namelist() if "doctor" in name)


def test_random_utterances_report_their_worst() -> None:
    made = outcome("--fuzz", "3")
    assert made.passed
    assert made.words.startswith("3 of 3 utterances within tolerance")
    assert {row["regime"] for row in made.data["worst"]} == {Regime.COMPILED}


def test_a_file_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        outcome("--text", "Hello.", "--html", str(tmp_path / "no" / "such" / "report.html"))
    assert "no" in str(caught.value)


def test_phonemes_are_compared_with_kokoros(tmp_path: Path) -> None:
    lines, figures = tmp_path / "lines.txt", tmp_path / "figures.json"
    lines.write_text("Hello there.\nProf. Lee.\n")
    made = outcome("--text-parity", str(lines), "--language", "en-GB", "--json", str(figures))
    assert made.passed
    assert made.words.startswith("1 of 2 sentences")
    written = json.loads(figures.read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(made.data))
    assert written["differences"][0]["upstream"] == "pɹˈɒf lˈiː."
