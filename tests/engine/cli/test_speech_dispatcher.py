"""Tests of `engine speech-dispatcher` as a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.__main__ import main

ROOT = Path(__file__).resolve().parents[3]


def answers(commands: str, *options: str) -> list[str]:
    """Return the lines that the module writes to standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "engine", "speech-dispatcher", *options],
        input=commands,
        capture_output=True,
        encoding="latin-1",
        check=True,
        cwd=ROOT,
    )
    assert "Traceback" not in done.stderr
    return done.stdout.split("\n")


def test_standard_output_has_only_the_protocol() -> None:
    commands = "INIT\nLIST VOICES\nSPEAK\n<speak>Good morning.</speak>\n.\nQUIT\n"
    lines = answers(commands, "--model", "starter", "settings.conf")
    assert {"299 OK LOADED SUCCESSFULLY", "200 OK VOICE LIST SENT", "200 OK SPEAKING", "210 OK QUIT"} <= set(lines)
    assert all(line[:3].isdigit() for line in lines if line)


def test_an_unknown_model_is_reported() -> None:
    first, second, _ = answers("INIT\n", "--model", "nobody")
    assert first.startswith("399-")
    assert "nobody" in first
    assert second == "399 ERR CANT INIT MODULE"


def test_the_script_starts_the_named_model(tmp_path: Path) -> None:
    path = tmp_path / "sd_kokoro"
    assert main(["speech-dispatcher", "--model", "starter", "--write-script", str(path)]) == 0
    done = subprocess.run([path], input="INIT\nQUIT\n", capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines() == ["299-starter is ready.", "299 OK LOADED SUCCESSFULLY", "210 OK QUIT"]


def test_a_script_in_a_missing_folder_gets_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speech-dispatcher", "--model", "starter", "--write-script", str(tmp_path / "missing" / "x")]) == 1
    error = capsys.readouterr().err
    assert "missing" in error
    assert error.count("\n") == 1
