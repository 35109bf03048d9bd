import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.__main__ import main
from engine.synthesizer import Synthesizer


@pytest.mark.usefixtures("starter")
def test_speak_writes_a_wav_and_reports_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.wav"
    assert main(["speak", "Hello there.", "--out", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    samples, rate_hz = soundfile.read(path)
    assert rate_hz == 24_000
    assert np.abs(samples).max() > 0.05
    assert figures["seconds_audio"] == pytest.approx(len(samples) / rate_hz)
    assert {"voice", "model", "device", "seconds_total", "seconds_to_first_audio", "rtf"} <= set(figures)


@pytest.mark.usefixtures("starter")
def test_text_comes_from_a_file_or_standard_input(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Good morning.", encoding="utf-8")
    assert main(["speak", "--file", str(text), "--out", str(tmp_path / "file.wav")]) == 0
    command = [sys.executable, "-m", "engine", "speak", "-", "--out", str(tmp_path / "stdin.wav")]
    subprocess.run(command, input="Good morning.", text=True, check=True, capture_output=True)
    assert (tmp_path / "file.wav").read_bytes() == (tmp_path / "stdin.wav").read_bytes()


def test_voices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert all({"name", "language"} <= set(voice) for voice in listed)
    assert main(["voices"]) == 0
    assert listed[0]["name"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["speak", ""], "Type"),
        (["speak", " \n "], "Type"),
        (["speak"], "No text was given"),
        (["speak", "a" * 200_000], "Split it into parts"),
        (["speak", "Hi", "--voice", "af_salli"], "Known voices"),
        (["speak", "Hi", "--speed", "0"], "Choose a speed"),
        (["speak", "Hi", "--speed", "-1"], "Choose a speed"),
        (["speak", "Hi", "--speed", "nan"], "Choose a speed"),
        (["speak", "Hi", "--speed", "100"], "Choose a speed"),
        (["speak", "Hi", "--out", "/nonexistent/folder/x.wav"], "does not exist"),
        (["speak", "Hi", "--model", "nothing"], "Known models"),
        (["speak", "Hi", "--model", "kokoro-82m"], "--weights random:0"),
        (["speak", "Hi", "--device", "metal"], "Use one of"),
        (["speak", "--file", "/nonexistent.txt"], "cannot be read"),
        (["compile", "--stage", "nothing"], "Stages: all"),
        (["compile", "--target", "nothing"], "Known targets"),
    ],
)
@pytest.mark.usefixtures("starter")
def test_bad_input_gets_one_sentence_and_a_failing_code(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) != 0
    output = capsys.readouterr()
    assert output.out == ""
    errors = [line for line in output.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert words in errors[0]
    assert "Traceback" not in output.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\xff\xfe")
    assert main(["speak", "--file", str(path)]) == 1
    assert "not UTF-8 text" in capsys.readouterr().err


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Synthesizer, "prepare", interrupt)
    assert main(["speak", "Hello."]) == 130
    assert capsys.readouterr().err.strip() == "Stopped."
