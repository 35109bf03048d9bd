"""Tests of `engine speech-dispatcher` as a process."""

from __future__ import annotations

import shlex
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


@pytest.mark.parametrize("is_bundle", [False, True])
def test_the_script_starts_the_named_model(is_bundle: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sd_kokoro"
    if is_bundle:
        program = tmp_path / "kokoro-desk"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m app.bundle.launcher "$@"\n')
        program.chmod(0o755)
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        monkeypatch.setattr(sys, "executable", str(program))
    assert main(["speech-dispatcher", "--model", "starter", "--write-script", str(path)]) == 0
    done = subprocess.run([path], input="INIT\nQUIT\n", capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines() == ["299-starter is ready.", "299 OK LOADED SUCCESSFULLY", "210 OK QUIT"]


@pytest.mark.parametrize("options", [["--device", "cpu"], ["--weights", "random:0"], ["--model", "kokoro-82m"], []])
def test_the_script_has_all_options(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "sd_kokoro"
    assert main(["speech-dispatcher", *options, "--write-script", str(path)]) == 0
    words = shlex.split(path.read_text().splitlines()[-1])
    assert words[words.index("speech-dispatcher") + 1 :] == [*options, "$@"]


def test_a_script_for_an_unknown_device_is_refused(tmp_path: Path) -> None:
    assert main(["speech-dispatcher", "--device", "abacus", "--write-script", str(tmp_path / "x")]) == 1
    assert not (tmp_path / "x").exists()


def test_a_script_in_a_missing_folder_gets_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speech-dispatcher", "--model", "starter", "--write-script", str(tmp_path / "missing" / "x")]) == 1
    error = capsys.readouterr().err
    assert "missing" in error
    assert error.count("\n") == 1
